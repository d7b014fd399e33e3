import { lazy, Suspense, useState } from 'react'
import type { Server } from '#shared/doctypes/server.ts'
import { FailedJobButtons, useFailedJob } from '#web/documents/jobs/failed-job.tsx'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { ProblemTimes } from '#web/documents/values/problem.tsx'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { DecommissionButton } from './decommission-button.tsx'
import { t } from './messages.ts'
import { serverPrice } from './server-price.ts'
import { hasProblem, serverProblem } from './server-problem.ts'

const ElsewhereDialog = lazy(() =>
  import('./create/elsewhere-dialog.tsx').then((module) => ({ default: module.ElsewhereDialog })),
)

/** Why the server needs attention, and the ways out of a job that failed. */
export function ServerStatePanel({ server }: { server: Server }) {
  const { reason, ...times } = serverProblem(server)
  if (!hasProblem(server)) return null
  return (
    <Notice
      tone={server.status === 'Degraded' ? 'warn' : 'bad'}
      title={t('server.problem_title', { status: statusLabel('Server', 'status', server.status ?? '') })}
      className="mb-4"
    >
      <p className="mt-0.5">
        {reason ? <LocalizedText text={reason} i18n={server.failure_reason_i18n} /> : t('server.no_reason')}
      </p>
      <ProblemTimes {...times} />
      {server.status === 'Failed' || isNeverReached(server) ? <WaysOut server={server} /> : null}
    </Notice>
  )
}

/** Whether it is disconnected and always was: there is nothing to lose, and nothing to wait for. */
const isNeverReached = ({ status, checked_at }: Server): boolean => status === 'Disconnected' && !checked_at

function WaysOut({ server }: { server: Server }) {
  const job = useFailedJob('Server', server.name)
  const openJob = useOpenJob()
  const { admin, owner } = sessionRoles(useSession())
  const isNew = job?.job_type === 'server.create'
  const { cloud_provider: provider } = server
  const vendor = provider === 'Custom' ? null : provider
  const { hourly, monthly } = serverPrice(server)
  const [choosing, setChoosing] = useState(false)
  return (
    <>
      {/* The reason of a failed creation says it already. */}
      {job === null || isNew || hourly === null || monthly === null ? null : (
        <p className="mt-1 font-medium">
          {t('server.failed_costs', { provider: server.cloud_provider ?? '', hourly, monthly })}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <FailedJobButtons job={job} />
        {isNew && vendor && (admin || owner) ? (
          <Button size="md" onClick={() => setChoosing(true)}>
            {t('server.choose_another')}
          </Button>
        ) : null}
        <DecommissionButton server={server} {...((isNew || isNeverReached(server)) && { label: t('server.delete') })} />
      </div>
      {choosing && job && vendor ? (
        <Suspense>
          <ElsewhereDialog
            server={server}
            vendor={vendor}
            onDone={() => openJob(job.name)}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      ) : null}
    </>
  )
}
