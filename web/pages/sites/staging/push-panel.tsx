import { GitCompareArrows } from 'lucide-react'
import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { storedPushPlan, type PushPlan } from '#shared/responses/push-plan.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { ClashList, type Decisions } from './clash-list.tsx'
import { t } from './messages.ts'
import { NotesCard, PlanView } from './plan-view.tsx'
import { PushCard, type PushParts } from './push-card.tsx'
import { changesOf, clashGroups, unlisted } from './push-texts.ts'

/** Compares a staging site with its source, and pushes. */
export function PushPanel({ site, live }: { site: Site; live: string }) {
  const stored = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'push_plan' },
    { verb: 'POST', returns: storedPushPlan },
  )
  useDocEvents('Site', site.name, () => void stored.reload())
  const { plan, made_at: madeAt } = stored.data ?? { plan: null, made_at: null }
  return (
    <div className="grid gap-4">
      <Card aria-labelledby="push-title">
        <CardHead id="push-title" title={t('push.title', { site: live })}>
          {madeAt === null ? null : (
            <span className="text-meta text-muted">
              <Time variant="standalone" value={madeAt} format={(when) => t('push.made', { when })} />
            </span>
          )}
        </CardHead>
        <CardBody className="grid justify-items-start gap-3">
          <p className="text-table text-muted">{t('push.hint', { site: live })}</p>
          {stored.error && !stored.data ? (
            <ErrorPanel
              className="flex items-start gap-3"
              title={t('push.error')}
              error={stored.error}
              onRetry={() => stored.reload()}
            />
          ) : null}
          <ActionButton
            type={SiteDoctype}
            doc={{ ...site, doctype: 'Site' }}
            name="plan_push"
            label={t(plan === null ? 'push.compare' : 'push.again')}
            icon={<GitCompareArrows size={14} strokeWidth={1.75} aria-hidden="true" />}
            size="md"
          />
          {plan !== null && isNothing(plan) ? <p className="text-table">{t('push.nothing')}</p> : null}
        </CardBody>
      </Card>
      {stored.data === undefined && !stored.error ? (
        <Skeleton className="h-48 w-full rounded-card" />
      ) : plan !== null && madeAt !== null ? (
        <PlanSections key={madeAt} {...{ site, live, plan, madeAt }} />
      ) : null}
    </div>
  )
}

const isNothing = ({ files, database }: PushPlan): boolean =>
  changesOf(files.staging) === 0 && (database?.kinds ?? []).every(({ staging }) => changesOf(staging) === 0)

/** Another plan begins with no decisions. */
function PlanSections({ site, live, plan, madeAt }: { site: Site; live: string; plan: PushPlan; madeAt: string }) {
  const [parts, setParts] = useState<PushParts>({ files: true, database: plan.database !== null })
  const [decisions, setDecisions] = useState<Decisions>({ take: new Set(), takeAll: new Set() })
  return (
    <>
      <PlanView plan={plan} live={live} />
      {isNothing(plan) ? null : (
        <>
          <ClashList
            groups={clashGroups(plan, parts)}
            more={unlisted(plan, parts)}
            live={live}
            decisions={decisions}
            onChange={setDecisions}
          />
          <PushCard {...{ site, live, plan, madeAt, parts, decisions }} onParts={setParts} />
        </>
      )}
      <NotesCard notes={plan.database?.notes ?? []} />
    </>
  )
}
