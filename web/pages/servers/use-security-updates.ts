import type { FilterTriple } from '#shared/doctype.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { useGroupedCount } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'

/**
 * Pending security updates of the servers that `filters` name, counted by the server: a list ends at 500. Some servers report none:
 * Easydash reads them by SSH, which it does not use on the machine it runs on. It is fine only once all have said so.
 */
export function useSecurityUpdates(
  wanted: boolean,
  filters: readonly FilterTriple[],
): { item: SummaryCard; failed: boolean } {
  const { data, error } = useGroupedCount(wanted ? 'Server' : null, 'security_updates', { filters })
  return { item: { label: t('servers.patch_q'), ...summaryOf(data, filters) }, failed: error !== null && !data }
}

/** `groups`: how many servers report which number of updates, or nothing. */
function summaryOf(
  groups: readonly { readonly n: number; readonly security_updates: unknown }[] | undefined,
  filters: readonly FilterTriple[],
): Omit<SummaryCard, 'label'> {
  if (groups === undefined) return { value: null }
  const reported = groups.flatMap(({ n, security_updates: updates }) =>
    typeof updates === 'number' ? [{ n, updates }] : [],
  )
  const pending = reported.filter(({ updates }) => updates > 0)
  if (pending.length > 0)
    return {
      value: t('servers.patch', { count: pending.reduce((sum, { n, updates }) => sum + n * updates, 0) }),
      detail: t('servers.patch_on', { count: serversOf(pending) }),
      tone: 'warn',
      href: listHref('/server', [...filters, ['security_updates', '!=', 0]]),
    }
  const [observed, all] = [serversOf(reported), serversOf(groups)]
  if (observed === 0) return { value: t('servers.patch_unknown'), tone: 'none' }
  return observed < all
    ? {
        value: t('servers.patch_none'),
        detail: t('servers.patch_of', { n: formatNumber(observed), all: formatNumber(all) }),
        tone: 'none',
      }
    : { value: t('servers.patch_none'), tone: 'ok' }
}

const serversOf = (groups: readonly { readonly n: number }[]): number => groups.reduce((sum, { n }) => sum + n, 0)
