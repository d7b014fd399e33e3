import type { ReactNode } from 'react'
import type { Job } from '#shared/doctypes/job.ts'
import { jobLabel, stepLabel } from '#web/documents/jobs/job-label.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { currentStep, tabPrefix } from '#web/documents/jobs/job-progress.ts'
import { useJobReadable } from '#web/documents/jobs/use-job-readable.ts'
import { getDoc } from '#web/lib/api/api.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { useDoc, useLoaded } from '#web/lib/api/frappe.tsx'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useTitlePrefix } from '#web/lib/routing/use-title.ts'
import { Button } from '#web/ui/button.tsx'
import { SegmentBar } from '#web/ui/meter.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/**
 * A job that the drawer may be showing too. In that case only the drawer subscribes and this reads its cached data, because
 * each subscriber refetches on up to four changes a second. Null reads nothing.
 */
function useJobBehindDrawer(name: string | null): Job | undefined {
  const [params] = useSearchParams()
  const shared = params.get('job') === name
  const cached = useLoaded<Job>(name === null ? null : docKey('Job', name), () => getDoc<Job>('Job', name ?? ''))
  const own = useDoc('Job', shared ? null : name)
  return own.data ?? cached.data
}

/**
 * A job that is running: its steps so far, or only that it runs for users who can't read it. `title`: what it does, if it is not the
 * job of the site whose page this is; that of the site shows its progress in the tab's title.
 */
export function WorkingPanel({ job: name, title }: { job: string; title?: ReactNode }) {
  const readable = useJobReadable(name)
  const job = useJobBehindDrawer(readable ? name : null)
  const openJob = useOpenJob()
  // The tab title shows the progress while the user works in another tab.
  useTitlePrefix(job && title === undefined ? tabPrefix(job) : null)
  if (readable === false)
    return (
      <div className="mb-4 flex min-h-[68px] items-center gap-x-4 rounded-card border border-border bg-surface px-4 py-3 shadow-xs">
        <StatusIcon tone="info" busy />
        <span className="font-medium">{title ?? t('site.working_other')}</span>
      </div>
    )
  const steps = job?.steps ?? []
  return (
    <div className="mb-4 flex min-h-[68px] flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-border bg-surface px-4 py-3 shadow-xs">
      <StatusIcon tone="info" busy />
      <span className="min-w-0 flex-1 basis-60">
        <span className="block font-medium">{title ?? (job ? t('site.working', { label: jobLabel(job) }) : ' ')}</span>
        <span className="my-1.5 block max-w-md">
          <SegmentBar
            label={t('site.working', { label: job ? jobLabel(job) : '' })}
            steps={steps.map((step) => ({
              done: step.status === 'Done' || step.status === 'Skipped',
              percent: step.status === 'Running' ? Math.max(step.percent, 10) : 0,
            }))}
          />
        </span>
        <span className="block text-table text-muted">{stepLabel(currentStep(steps))}</span>
      </span>
      <Button onClick={() => openJob(name)}>{t('site.show_steps')}</Button>
    </div>
  )
}
