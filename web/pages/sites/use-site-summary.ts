import { once } from '#web/lib/browser/once.ts'
import { siteName } from '#shared/rules/display-name.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { sitesDown as down, sitesFailed as failed } from '#shared/rules/site-attention.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { useSiteCounts } from '#web/features/sites/use-site-counts.ts'
import { useSiteProblems } from '#web/features/sites/use-site-problems.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useCount, useSmallList } from '#web/lib/api/frappe.tsx'
import { locale } from '#web/lib/i18n/locale.ts'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'
import { namedSites as named, namesRequest, sitesUp, sitesWorking as working } from './site-summary-reads.ts'

const list = once(() => new Intl.ListFormat(locale, { style: 'short', type: 'unit' }))

/** Names of the first sites that match the filters, also before it is known whether there are any: it would be a call of its own then. */
function useNames(filters: readonly FilterTriple[]): string | undefined {
  const sites = useSmallList('Site', namesRequest(filters))
  const names = sites.data?.map(siteName)
  return names && list().format(names.length > named ? [...names.slice(0, named), '…'] : names)
}

/** Servers with sites: their number and names. */
function useServersUsed(servers: boolean): {
  used: { count: number; names: string | undefined } | undefined
  failed: boolean
} {
  const read = useSiteCounts(servers)
  const used = read.counts && [...read.counts.keys()]
  const shownServers = used?.slice(0, named) ?? []
  const hosts = useSmallList(shownServers.length > 0 ? 'Server' : null, {
    fields: ['name', 'hostname'],
    filters: [['name', 'in', shownServers]],
    limit: named,
  }).data
  if (!used) return { used: undefined, failed: read.failed }
  const names = shownServers.flatMap((name) => hosts?.find((host) => host.name === name)?.hostname ?? [])
  return {
    used: {
      count: used.length,
      names: names.length > 0 ? list().format(used.length > named ? [...names, '…'] : names) : undefined,
    },
    failed: false,
  }
}

/** Summary cards of the list, from counts of the server; `total` is the number of sites that aren't archived. */
export function useSiteSummary(servers: boolean, total: number | undefined): { items: SummaryCard[]; failed: boolean } {
  const problems = useSiteProblems()
  const { down: downCount, failed: failedCount } = problems
  const up = useCount('Site', { filters: sitesUp }).data
  const workingRead = useCount('Site', { filters: working })
  const workingCount = workingRead.data
  const where = useServersUsed(servers)
  const { used } = where
  const downNames = useNames(down)
  const failedNames = useNames(failed)
  const workingNames = useNames(working)
  const names = downCount ? downNames : failedCount ? failedNames : undefined
  const broken =
    downCount === undefined || failedCount === undefined
      ? null
      : downCount > 0
        ? t('sites.down', { count: downCount })
        : failedCount > 0
          ? t('sites.failed_only', { count: failedCount })
          : t('sites.down_none')
  const items: SummaryCard[] = [
    {
      label: t('sites.down_q'),
      value: broken,
      // Without sites nothing was checked.
      tone: (downCount ?? 0) + (failedCount ?? 0) > 0 ? 'bad' : total ? 'ok' : 'none',
      href: downCount ? listHref('/site', down) : failedCount ? listHref('/site', failed) : undefined,
      detail:
        downCount && failedCount
          ? t('sites.failed', { count: failedCount })
          : (names ??
            (total && up !== undefined && up !== Infinity && !downCount && !failedCount
              ? t('sites.up_of', { n: formatNumber(up), all: formatNumber(total) })
              : undefined)),
    },
    {
      label: t('sites.working_q'),
      value:
        workingCount === undefined
          ? null
          : workingCount > 0
            ? t('sites.working', { count: workingCount })
            : t('sites.working_none'),
      tone: workingCount ? 'info' : 'none',
      busy: Boolean(workingCount),
      href: workingCount ? listHref('/site', working) : undefined,
      detail: workingCount ? workingNames : undefined,
    },
    ...(servers
      ? [
          {
            label: t('sites.where_q'),
            value:
              used === undefined
                ? null
                : used.count > 0
                  ? t('sites.where', { count: used.count })
                  : t('sites.where_none'),
            href: '/server',
            detail: used?.names,
          },
        ]
      : []),
  ]
  return { items, failed: where.failed || Boolean(problems.error ?? workingRead.error) }
}
