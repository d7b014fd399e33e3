import { doctypes } from '../doctypes/registry.ts'
import type { NotificationLog } from '../doctypes/notification-log.ts'

/** Tabs of a document's page that say more, by event. */
const tabs: Readonly<Partial<Record<NotificationLog['event'] & string, string>>> = {
  site_down: 'monitoring',
  site_up: 'monitoring',
  backup_failed: 'backupandrestore',
  backup_unproven: 'backupandrestore',
  certificate_expiring: 'monitoring',
  server_down: 'monitoring',
  metrics_rule: 'monitoring',
}

/** Path (below /web) of the page that says more about a notification. */
export function notificationPath({
  event,
  reference_doctype,
  reference_name,
  job,
}: Partial<Pick<NotificationLog, 'event' | 'reference_doctype' | 'reference_name' | 'job'>>): string {
  if (event === 'plan_changed') return '/organization'
  const page = doctypes.find(({ name }) => name === reference_doctype)?.page
  const path = page && reference_name ? `${page}/${encodeURIComponent(reference_name)}` : job ? '/job' : '/'
  const tab = page && event ? tabs[event] : undefined
  return `${path}${job ? `?job=${job}` : ''}${tab ? `#${tab}` : ''}`
}
