import { Link } from '#web/lib/router.tsx'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteType } from '#shared/doctypes/site.ts'
import { listHref } from '#web/documents/list-href.ts'
import { valueLabel } from '#web/documents/list-query.ts'
import { statusLook } from '#web/documents/status-tones.ts'
import { formatNumber } from '#web/lib/format.ts'
import { useMethod } from '#web/lib/frappe.tsx'
import { useListEvents } from '#web/lib/use-events.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Glyph } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** How many sites have each value of a field. */
interface Counted {
  value: string | null
  n: number
}

/** Bars of one card; the smaller rest is in the list behind each bar. */
const most = 6

function useCounts(field: string, filters: readonly unknown[]) {
  const counts = useMethod<Record<string, unknown>[]>('frappe.client.get_list', {
    doctype: 'Site',
    fields: JSON.stringify([field, 'count(name) as n']),
    filters: JSON.stringify(filters),
    group_by: field,
    order_by: `${field} asc`,
    limit_page_length: 50,
  })
  useListEvents('Site', () => void counts.reload())
  const rows: Counted[] | undefined = counts.data
    ?.map((row) => ({
      value: typeof row[field] === 'string' && row[field] !== '' ? row[field] : null,
      n: Number(row['n']),
    }))
    .toSorted((a, b) => b.n - a.n)
    .slice(0, most)
  return { rows, error: counts.error, reload: () => void counts.reload() }
}

/** One question as counted bars; a bar leads to the sites it counts. */
function CountCard({ title, field, filters }: { title: string; field: string; filters: readonly FilterTriple[] }) {
  const { rows, error, reload } = useCounts(field, filters)
  const total = rows?.reduce((sum, row) => sum + row.n, 0)
  const top = Math.max(1, ...(rows ?? []).map((row) => row.n))
  return (
    <Card>
      <CardHead title={title}>
        {total === undefined ? null : <span className="text-muted">{formatNumber(total)}</span>}
      </CardHead>
      {error && !rows ? (
        <div role="alert" className="grid justify-items-start gap-2 px-4 pb-4 text-table">
          <span className="flex items-center gap-2 font-medium">
            <Glyph tone="warn" />
            {t('dashboard.counts_error')}
          </span>
          <span className="text-muted">{error.message}</span>
          <Button size="sm" onClick={reload}>
            {t('dashboard.counts_retry')}
          </Button>
        </div>
      ) : null}
      <ul className="px-2 pb-2.5">
        {rows?.map((row) => (
          <CountLine
            key={row.value ?? ''}
            row={row}
            field={field}
            top={top}
            href={
              row.value === null
                ? null
                : listHref('/site', [...filters.filter(([name]) => name !== field), [field, '=', row.value]])
            }
          />
        )) ??
          (error
            ? null
            : Array.from({ length: 3 }, (_, index) => (
                <li key={index} aria-hidden="true" className="flex h-7 items-center px-2">
                  <Skeleton className="h-3 w-full" />
                </li>
              )))}
      </ul>
    </Card>
  )
}

function CountLine({ row, field, top, href }: { row: Counted; field: string; top: number; href: string | null }) {
  const look = row.value === null ? null : statusLook('Site', field, row.value)
  const content = (
    <>
      <span className="flex min-w-0 items-center gap-1.5">
        {look ? <Glyph tone={look.tone} busy={false} size={14} /> : null}
        <span className="truncate">
          {row.value === null ? t('dashboard.unset') : valueLabel(SiteType, field, row.value)}
        </span>
      </span>
      <span className="block">
        <span
          className="block h-1.5 min-w-[3px] rounded-[3px] bg-m-quiet"
          style={{ width: `${(row.n / top) * 100}%` }}
        />
      </span>
      <span className="text-right font-medium">{formatNumber(row.n)}</span>
    </>
  )
  const style = 'grid h-7 grid-cols-[112px_1fr_auto] items-center gap-2 rounded-ctl px-2 text-table max-md:h-11'
  return (
    <li>
      {href ? (
        <Link to={href} className={`${style} hover:bg-hover`}>
          {content}
        </Link>
      ) : (
        <span className={style}>{content}</span>
      )}
    </li>
  )
}

const present = [['status', '!=', 'Archived']] as const

/** Sites counted by status, PHP version and kind. */
export function SiteCounts() {
  return (
    <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      <CountCard title={t('dashboard.by_status')} field="status" filters={[]} />
      <CountCard
        title={t('dashboard.by_php')}
        field="php_version"
        filters={[...present, ['site_type', '!=', 'html']]}
      />
      <CountCard title={t('dashboard.by_type')} field="site_type" filters={present} />
    </div>
  )
}
