import { isOneOf } from '../is-one-of.ts'

/** What people are notified about. Clients depend on these values. */
export const notificationEvents = [
  'site_down',
  'site_up',
  'job_failed',
  'backup_failed',
  'backup_unproven',
  'checksum_changed',
  'certificate_expiring',
  'server_down',
  'metrics_rule',
  'plan_changed',
  'new_sign_in',
] as const

/** One of `notificationEvents`. */
export type NotificationEvent = (typeof notificationEvents)[number]

/** How urgent a notification is, most urgent first. */
export const severities = ['critical', 'warning', 'info'] as const

/** One of `severities`. */
export type Severity = (typeof severities)[number]

/** What a notification says about an entry of the activity log. */
export interface Notable {
  readonly event: NotificationEvent
  readonly severity: Severity
}

/**
 * Activities that people are notified about whatever their result, by their key in the log. Those that something
 * is wrong with are recorded with the result Failed, which also brings them to Slack.
 */
const notable: Readonly<Record<string, Notable>> = {
  'Site.went_down': { event: 'site_down', severity: 'critical' },
  'Site.came_up': { event: 'site_up', severity: 'info' },
  'Site.backup_failed': { event: 'backup_failed', severity: 'critical' },
  'Site.backup_unproven': { event: 'backup_unproven', severity: 'critical' },
  'Site.files_changed': { event: 'checksum_changed', severity: 'critical' },
  'Site.certificate_expiring': { event: 'certificate_expiring', severity: 'warning' },
  'Server.certificate_expiring': { event: 'certificate_expiring', severity: 'warning' },
  'Server.went_down': { event: 'server_down', severity: 'critical' },
  'Server.came_up': { event: 'server_down', severity: 'info' },
  'Server.alert': { event: 'metrics_rule', severity: 'warning' },
  'Server.alert_ended': { event: 'metrics_rule', severity: 'info' },
  'Subscription Organization.change_plan': { event: 'plan_changed', severity: 'info' },
  'Subscription Organization.cancel_plan': { event: 'plan_changed', severity: 'info' },
  'Subscription Organization.reactivate_plan': { event: 'plan_changed', severity: 'info' },
  'subscription.scheduled_plan': { event: 'plan_changed', severity: 'info' },
  'subscription.canceled': { event: 'plan_changed', severity: 'warning' },
  'account.new_sign_in': { event: 'new_sign_in', severity: 'warning' },
}

/** The keys of these activities. */
export const notableActions: readonly string[] = Object.keys(notable)

/** What people are notified about in an entry of the activity log; null if nothing. */
export function notableIn(entry: {
  readonly action: string | null
  readonly result: string | null
  readonly job: string | null
  readonly after?: Readonly<Record<string, unknown>> | null
}): Notable | null {
  const known = notable[entry.action ?? '']
  if (known && entry.result === 'Denied') return null
  // Whoever made a rule said how urgent it is.
  const chosen = entry.result === 'Failed' ? entry.after?.['severity'] : null
  if (known) return { ...known, ...(isOneOf(severities, chosen) && { severity: chosen }) }
  // Whoever started what is no job saw the error.
  if (entry.result !== 'Failed' || entry.job === null) return null
  return entry.action === 'site.backup'
    ? { event: 'backup_failed', severity: 'critical' }
    : { event: 'job_failed', severity: 'warning' }
}
