import type { Job } from '#shared/doctypes/job.ts'
import { stepLabel } from '#web/documents/jobs/job-label.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'
import { usePeople } from '../people.ts'

/** Outcome of a job: cause of a failure and what to do, who canceled it and what was rolled back. */
export function JobOutcome({ job }: { job: Job }) {
  const person = usePeople([job.cancelled_by])
  if (job.status === 'Failed') {
    const step = job.steps?.find((candidate) => candidate.status === 'Failed')
    return (
      <div className="px-5 pt-4">
        <Notice
          tone="bad"
          title={step ? t('job.failed_title', { step: stepLabel(step) }) : t('job.failed_title_plain')}
        >
          {job.error_message ? (
            <p>
              <LocalizedText text={job.error_message} i18n={job.error_message_i18n} />
            </p>
          ) : null}
          {job.next_action ? (
            <p>
              {t('job.next')} <LocalizedText text={job.next_action} i18n={job.next_action_i18n} />
            </p>
          ) : null}
        </Notice>
      </div>
    )
  }
  if (job.status === 'Lost Contact') {
    return (
      <div className="px-5 pt-4">
        <Notice tone="warn" title={t('job.lost')} />
      </div>
    )
  }
  if (job.status === 'Cancelled') {
    return (
      <div className="px-5 pt-4">
        <Notice
          tone="info"
          title={job.cancelled_by ? t('job.canceled_by', { name: person(job.cancelled_by) }) : t('job.canceled_title')}
        >
          {job.outcome ? (
            <p>
              <LocalizedText text={job.outcome} i18n={job.outcome_i18n} />
            </p>
          ) : null}
        </Notice>
      </div>
    )
  }
  if (job.status === 'Done' && job.outcome)
    return (
      <div className="px-5 pt-4">
        <Notice tone="warn" title={<LocalizedText text={job.outcome} i18n={job.outcome_i18n} />} />
      </div>
    )
  return null
}
