import { Database } from 'lucide-react'
import { useLocation, useNavigate } from 'react-router'
import type { Site } from '#shared/doctypes/site.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { allRowsOf, paramsOf, shownRowsOf, useTables, type ShownRows } from './database-data.ts'
import { t } from './messages.ts'
import { TableList } from './table-list.tsx'
import { TableRows } from './table-rows.tsx'

/** Tables, and the rows of the one that the URL names. */
export function TableBrowser({ site }: { site: Site }) {
  const [params] = useSearchParams()
  const { hash } = useLocation()
  const navigate = useNavigate()
  const shown = shownRowsOf(params)
  const { data, error, isSlow, reload } = useTables(site.name)
  const show = (next: ShownRows): void => void navigate({ search: `?${paramsOf(params, next)}`, hash })
  if (error && !data) return <ErrorPanel title={t('db.tables_error')} error={error} onRetry={() => reload()} />
  if (!data)
    return (
      <>
        <StillLoading slow={isSlow} />
        <div aria-hidden="true" className="grid gap-4 lg:grid-cols-[260px_minmax(0,1fr)]">
          <Skeleton className="h-96 w-full rounded-card max-lg:h-16" />
          <Skeleton className="h-96 w-full rounded-card" />
        </div>
      </>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[260px_minmax(0,1fr)]">
      <TableList tables={data} current={shown?.table ?? null} onOpen={(table) => show(allRowsOf(table))} />
      {shown ? (
        <TableRows key={shown.table} site={site} shown={shown} onShow={show} />
      ) : (
        <Card className="max-lg:hidden">
          <EmptyState icon={<Database size={20} strokeWidth={1.75} aria-hidden="true" />} title={t('db.choose')}>
            {t('db.choose_hint')}
          </EmptyState>
        </Card>
      )}
    </div>
  )
}
