import type { ListRow } from '#web/documents/list/cells.tsx'
import { t as words } from '#web/documents/messages.ts'
import { statusLabel } from '#web/documents/list/status-tones.ts'
import { t } from './messages.ts'

/** Why a listed site's admin can't be opened now; null if it can. */
export function adminRefusal(row: ListRow): string | null {
  const site = String(row['domain'])
  if (row['site_type'] !== 'wp') return t('sites.admin_none', { site })
  if (row['status'] === 'Live') return row['locked_by_job'] ? words('action.busy') : null
  return t('sites.admin_not_live', { site, status: statusLabel('Site', 'status', String(row['status'])) })
}
