import { KeyRound, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import type { DatabaseRows } from '#shared/responses/site-database.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { CellText } from './cell-text.tsx'
import { useRows, type ShownRows } from './database-data.ts'
import { t } from './messages.ts'
import { RowDrawer } from './row-drawer.tsx'
import { RowFilter } from './row-filter.tsx'

/** Rows of a table, filtered and sorted as the URL says. */
export function TableRows({
  site,
  shown,
  onShow,
}: {
  site: Site
  shown: ShownRows
  onShow: (shown: ShownRows) => void
}) {
  const { data, error, isLoading, isValidating, isSlow, reload } = useRows(site.name, shown)
  const [open, setOpen] = useState<number | null>(null)
  const sortBy = (column: string) =>
    onShow({ ...shown, start: 0, sort: column, descending: shown.sort === column && !shown.descending })
  return (
    <div className="grid min-w-0 gap-3">
      {data ? (
        <RowFilter
          // Follows the URL.
          key={`${shown.column} ${shown.operator} ${shown.value}`}
          columns={data.columns}
          filter={shown}
          onFilter={(filter) => onShow({ ...shown, ...filter, start: 0 })}
        >
          <IconButton
            label={t('rows.refresh')}
            className="ml-auto"
            disabled={isValidating}
            onClick={() => void reload()}
          >
            <RefreshCw size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        </RowFilter>
      ) : error ? null : (
        <>
          <StillLoading slow={isSlow} />
          <Skeleton className="h-9 w-72 max-w-full" />
        </>
      )}
      {error ? <ErrorPanel title={t('rows.error')} error={error} onRetry={() => reload()} /> : null}
      {!data ? (
        error ? null : (
          <Skeleton className="h-80 w-full rounded-card" />
        )
      ) : data.rows.length === 0 ? (
        <Card>
          <EmptyState title={t(shown.column === '' ? 'rows.none' : 'rows.no_match')} />
        </Card>
      ) : (
        <Grid data={data} shown={shown} busy={isLoading} onSort={sortBy} onOpen={setOpen} />
      )}
      {data ? <Pager data={data} start={shown.start} onStart={(start) => onShow({ ...shown, start })} /> : null}
      {data && open !== null ? (
        <RowDrawer
          site={site.name}
          table={shown.table}
          number={shown.start + open + 1}
          columns={data.columns}
          row={data.rows[open] ?? null}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </div>
  )
}

function Grid({
  data,
  shown,
  busy,
  onSort,
  onOpen,
}: {
  data: DatabaseRows
  shown: ShownRows
  busy: boolean
  onSort: (column: string) => void
  onOpen: (index: number) => void
}) {
  return (
    <>
      <Table label={t('rows.of', { table: shown.table })} busy={busy}>
        <thead>
          <tr>
            <HeadCell sticky>{t('rows.number')}</HeadCell>
            {data.columns.map(({ name, type, key, hidden }) => (
              <HeadCell
                key={name}
                sort={shown.sort === name ? (shown.descending ? 'descending' : 'ascending') : 'none'}
                {...(!hidden && { onSort: () => onSort(name) })}
              >
                <span className="inline-flex items-center gap-1" translate="no" title={type}>
                  {key ? <KeyRound size={12} strokeWidth={1.75} aria-label={t('row.key')} /> : null}
                  {name}
                </span>
              </HeadCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map(({ row, cells }, index) => (
            <Row key={row ?? index}>
              <NameCell className="xl:min-w-0!">
                <Button
                  size="sm"
                  variant="ghost"
                  aria-label={t('rows.open', { number: formatNumber(shown.start + index + 1) })}
                  onClick={() => onOpen(index)}
                >
                  {formatNumber(shown.start + index + 1)}
                </Button>
              </NameCell>
              {cells.map((cell, at) => (
                <Cell
                  key={data.columns[at]?.name ?? at}
                  className="max-w-72 truncate [font-variant-ligatures:none]"
                  onClick={() => {
                    // Selecting text in a cell is no click on it.
                    if (String(getSelection()) === '') onOpen(index)
                  }}
                >
                  <CellText cell={cell} />
                </Cell>
              ))}
            </Row>
          ))}
        </tbody>
      </Table>
      {data.omitted > 0 ? <p className="text-meta text-muted">{t('rows.omitted', { count: data.omitted })}</p> : null}
    </>
  )
}

function Pager({ data, start, onStart }: { data: DatabaseRows; start: number; onStart: (start: number) => void }) {
  if (data.rows.length === 0 && start === 0) return null
  const range = { from: formatNumber(start + 1), to: formatNumber(start + data.rows.length) }
  return (
    <div className="flex flex-wrap items-center gap-2 text-table">
      <span role="status" className="mr-auto text-muted">
        {data.total === null
          ? t('rows.page_unknown', range)
          : t(data.more ? 'rows.page_more' : 'rows.page', { ...range, total: formatNumber(data.total) })}
      </span>
      <Button size="md" disabled={start === 0} onClick={() => onStart(Math.max(0, start - databaseLimits.rows))}>
        {t('rows.previous')}
      </Button>
      <Button size="md" disabled={data.last} onClick={() => onStart(start + databaseLimits.rows)}>
        {t('rows.next')}
      </Button>
    </div>
  )
}
