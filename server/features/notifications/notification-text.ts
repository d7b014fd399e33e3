import type { Activity } from '#shared/doctypes/activity.ts'
import type { Job } from '#shared/doctypes/job.ts'
import {
  descriptorIn,
  deserializeMessage,
  jobLabelMessage,
  msg,
  untranslated,
  type LocalizedMessage,
} from '#shared/localized-message.ts'
import type { Notable } from '#shared/rules/notification-events.ts'

/** What a notification says. */
export interface NotificationText {
  readonly subject: LocalizedMessage
  readonly body: LocalizedMessage | null
}

/** An entry of the activity log, as far as notifications need it. */
export type NotableEntry = Pick<
  Activity,
  'action' | 'result' | 'reference_title' | 'detail' | 'detail_i18n' | 'before' | 'after'
>

/** The words about an entry. `job`: the one that it ends, if there is one. */
export function notificationText(
  { event }: Pick<Notable, 'event'>,
  entry: NotableEntry,
  job: Pick<Job, 'label' | 'reference_title'> | null,
): NotificationText {
  const title = entry.reference_title ?? ''
  const detail = entry.detail === null ? null : deserializeMessage(entry.detail, entry.detail_i18n)
  switch (event) {
    case 'site_down':
      return { subject: msg`${title} is down`, body: detail }
    case 'site_up':
      return { subject: msg`${title} is up again`, body: detail && msg`It answers again ${detail}.` }
    case 'job_failed':
      return { subject: msg`Failed: ${labelOf(job, title)}`, body: errorIn(entry) }
    case 'backup_failed':
      return { subject: msg`The backup of ${title} failed`, body: errorIn(entry) }
    case 'backup_unproven':
      return { subject: msg`A backup of ${title} can’t be restored`, body: defectsIn(entry) }
    case 'checksum_changed':
      return {
        subject: msg`Files of ${title} were changed`,
        body: msg`Files of WordPress, a plugin or a theme differ from those that were published.`,
      }
    case 'certificate_expiring':
      return { subject: msg`A certificate of ${title} expires soon`, body: detail }
    case 'server_down':
      return entry.result === 'Failed'
        ? { subject: msg`${title} is down`, body: detail }
        : { subject: msg`${title} is up again`, body: detail && msg`It answers again ${detail}.` }
    case 'metrics_rule':
      return {
        subject: entry.result === 'Failed' ? msg`${title} needs a look` : msg`An alert of ${title} is over`,
        body: detail,
      }
    case 'plan_changed':
      return { subject: msg`The organization’s plan was changed`, body: planIn(entry) }
    case 'new_sign_in':
      return { subject: msg`Your account was used from a new location`, body: detail }
  }
}

const labelOf = (job: Pick<Job, 'label' | 'reference_title'> | null, title: string) =>
  job?.label ? jobLabelMessage(job.label, job.reference_title) : untranslated(title)

const textIn = (side: Activity['after'], key: string): string | null => {
  const value = side?.[key]
  return typeof value === 'string' && value !== '' ? value : null
}

function errorIn({ after }: NotableEntry): LocalizedMessage | null {
  const text = textIn(after, 'error_message')
  return text === null ? null : deserializeMessage(text, descriptorIn(after?.['error_message_i18n']))
}

function defectsIn({ after }: NotableEntry): LocalizedMessage | null {
  const defects = after?.['defects']
  if (!Array.isArray(defects) || defects.length === 0) return null
  return untranslated(defects.filter((defect) => typeof defect === 'string').join(' '))
}

function planIn({ before, after }: NotableEntry): LocalizedMessage | null {
  const [from, to] = [textIn(before, 'plan'), textIn(after, 'plan')]
  return from && to ? msg`From ${from} to ${to}.` : null
}
