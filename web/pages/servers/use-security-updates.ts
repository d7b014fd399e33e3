import type { FilterTriple } from '#shared/doctype.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'

/**
 * Pending security updates of the servers that `filters` name, of which there are `total`. Some report none: Easydash reads
 * them by SSH, which it does not use on the machine it runs on. It is fine only once all have said so.
 */
export function useSecurityUpdates(
  wanted: boolean,
  filters: readonly FilterTriple[],
  total: number | undefined,
): { item: SummaryCard; failed: boolean } {
  const { data, error } = useSmallList(wanted ? 'Server' : null, {
    fields: ['name', 'security_updates'],
    filters: [...filters, ['security_updates', 'is', 'set']],
    order_by: 'security_updates desc',
    limit: 0,
  })
  return { item: { label: t('servers.patch_q'), ...summaryOf(data, filters, total) }, failed: error !== null && !data }
}

function summaryOf(
  observed: readonly { readonly security_updates?: number | null }[] | undefined,
  filters: readonly FilterTriple[],
  total: number | undefined,
): Omit<SummaryCard, 'label'> {
  if (observed === undefined || total === undefined) return { value: null }
  const pending = observed.flatMap(({ security_updates: count }) => (count ? [count] : []))
  if (pending.length > 0)
    return {
      value: t('servers.patch', { count: pending.reduce((sum, count) => sum + count, 0) }),
      detail: t('servers.patch_on', { count: pending.length }),
      tone: 'warn',
      href: listHref('/server', [...filters, ['security_updates', '!=', 0]]),
    }
  if (observed.length === 0) return { value: t('servers.patch_unknown'), tone: 'none' }
  return observed.length < total
    ? {
        value: t('servers.patch_none'),
        detail: t('servers.patch_of', { n: formatNumber(observed.length), all: formatNumber(total) }),
        tone: 'none',
      }
    : { value: t('servers.patch_none'), tone: 'ok' }
}
