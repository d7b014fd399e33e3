import type { Site } from '#shared/doctypes/site.ts'
import { siteName } from '#shared/rules/display-name.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { t as actionText } from '#web/documents/actions/messages.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { t } from './messages.ts'

/** Why a listed site's admin can't be opened now; null if it can. */
export function adminUnavailableReason(row: RowOf<Site>): string | null {
  const site = siteName({ title: row.title ?? null, domain: row.domain ?? row.name })
  if (row.site_type !== 'wp') return t('sites.admin_none', { site })
  if (row.status === 'Live') return row.locked_by_job ? actionText('action.busy') : null
  return t('sites.admin_not_live', { site, status: statusLabel('Site', 'status', row.status ?? '') })
}
