import { useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { formatClock } from '#web/lib/format.ts'
import { useCount, useList } from '#web/lib/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Select } from '#web/ui/select.tsx'
import { canAct } from './action-gate.ts'
import type { ListRow } from './cells.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import {
  columnLabel,
  defaultColumns,
  drawnColumns,
  requestFields,
  visibleFields,
  type ListColumn,
} from './list-columns.ts'
import { ListFilters } from './list-filters.tsx'
import { ListPager } from './list-pager.tsx'
import { listRequest } from './list-query.ts'
import { ListCards, ListTable } from './list-rows.tsx'
import { listDefaults, sameFilters, type ListDefaults, type ListState } from './list-state.ts'
import { ListViews, type ListView } from './list-views.tsx'
import { t } from './messages.ts'
import { useShortcuts } from './shortcuts.ts'
import { useViewer } from './use-actions.ts'
import { useBreakpoint } from './use-breakpoint.ts'
import { useListColumns } from './use-list-preferences.ts'
import { useListState } from './use-list-state.ts'

/** Most rows of the skeleton: more would only scroll. */
const skeletonRows = 8

/** Focuses the link of the next (or previous) row; from nowhere, the first. */
function walk(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')]
  const row = document.activeElement?.closest('tr, li')
  const at = links.findIndex((link) => row?.contains(link))
  const next = links[at < 0 ? (step === 1 ? 0 : links.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** Opens the menu of the row that has the focus. */
function openRowMenu(): void {
  const trigger = document.activeElement?.closest('tr, li')?.querySelector<HTMLElement>('[data-row-menu]')
  trigger?.focus()
  trigger?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
}

/** A sort control for cards, which have no heads to press. */
function CardSort({
  type,
  columns,
  state,
  onChange,
}: {
  type: Doctype
  columns: readonly ListColumn[]
  state: ListState
  onChange: (change: Partial<ListState>) => void
}) {
  return (
    <Select
      small
      aria-label={t('list.sort')}
      className="flex-1"
      value={`${state.order.field} ${state.order.direction}`}
      onChange={(event) => {
        const [field = '', direction] = event.target.value.split(' ')
        onChange({ order: { field, direction: direction === 'desc' ? 'desc' : 'asc' } })
      }}
    >
      {columns
        .filter((column) => !column.unsortable)
        .flatMap((column) =>
          (['asc', 'desc'] as const).map((direction) => (
            <option key={`${column.field} ${direction}`} value={`${column.field} ${direction}`}>
              {t(`list.sort_${direction}`, { column: columnLabel(type, column) })}
            </option>
          )),
        )}
    </Select>
  )
}

/**
 * The list of a doctype: server-side pages, sorting and filters from its description, state in the URL, live. `href`
 * gives the path of a row's page (null where this person has none); `empty` is shown when there is nothing at all.
 */
export function DocumentList({
  type,
  columns: given,
  views = [],
  href,
  empty,
}: {
  type: Doctype
  columns?: readonly ListColumn[]
  views?: readonly ListView[]
  href: (row: ListRow) => string | null
  empty: ReactNode
}) {
  const columns = useMemo(() => given ?? defaultColumns(type), [given, type])
  const defaults: ListDefaults = useMemo(() => listDefaults(type), [type])
  const [state, change] = useListState(type, defaults)
  const { chosen, choose } = useListColumns(type)
  const breakpoint = useBreakpoint()
  const viewer = useViewer()
  const [adding, setAdding] = useState(false)

  const visible = visibleFields(columns, chosen)
  const drawn = drawnColumns(columns, visible, breakpoint === 'phone' ? 'desktop' : breakpoint)
  const { start, limit, order_by, filters, or_filters } = listRequest(type, [], state)
  const list = useList<ListRow>(type.name, {
    fields: requestFields(type, columns),
    filters,
    or_filters,
    order_by,
    limit,
    start,
  })
  const count = useCount(type.name, { filters, or_filters })
  const rows = list.data
  const total = count.data ?? rows?.length ?? 0
  const plural = (type.plural ?? type.name).toLowerCase()
  const untouched = state.text === '' && sameFilters(state.filters, defaults.filters)

  useShortcuts({ j: () => walk(1), k: () => walk(-1), f: () => setAdding(true), '.': openRowMenu })

  const lastPage = Math.max(1, Math.ceil(total / state.pageSize))
  useEffect(() => {
    // The rows of this page were deleted meanwhile: the last page that still has some is shown.
    if (count.data !== undefined && rows?.length === 0 && state.page > lastPage) change({ page: lastPage }, true)
  }, [count.data, rows?.length, state.page, lastPage, change])

  const rowsProps = {
    type,
    columns: drawn,
    rows,
    expected: Math.min(skeletonRows, state.pageSize),
    href,
    menu: canAct(type, viewer),
    state,
    defaults,
    onChange: change,
  }
  return (
    <>
      {views.length > 0 ? <ListViews type={type} views={views} state={state} onChange={change} /> : null}
      <ListFilters type={type} state={state} onChange={change} adding={adding} onAdding={setAdding}>
        {breakpoint === 'phone' ? (
          <CardSort type={type} columns={columns} state={state} onChange={change} />
        ) : (
          <ColumnsMenu type={type} columns={columns} visible={visible} onChange={choose} />
        )}
      </ListFilters>
      <p role="status" className="sr-only">
        {rows === undefined ? t('list.loading', { plural }) : t('list.loaded', { count: total })}
      </p>
      {list.error && rows ? (
        <p role="alert" className="mb-2 text-table text-warn">
          {t('list.stale', {
            time: formatClock(list.loadedAt === null ? null : new Date(list.loadedAt)),
            reason: list.error.message,
          })}
        </p>
      ) : null}
      {list.error && !rows ? (
        <ErrorPanel
          title={t('list.error_title', { plural })}
          error={list.error}
          onRetry={() => void list.reload()}
          wanted={{ doctype: type.name }}
        />
      ) : rows?.length === 0 ? (
        <div className="rounded-card border border-border bg-surface shadow-xs">
          {untouched ? (
            empty
          ) : (
            <EmptyState
              title={t('list.no_match_title')}
              action={
                <Button onClick={() => change({ filters: defaults.filters, text: '' })}>
                  {t('list.clear_filters')}
                </Button>
              }
            >
              {t('list.no_match', { plural })}
            </EmptyState>
          )}
        </div>
      ) : breakpoint === 'phone' ? (
        <ListCards {...rowsProps} />
      ) : (
        <ListTable {...rowsProps} />
      )}
      {rows && total > 0 ? <ListPager state={state} rows={rows.length} total={total} onChange={change} /> : null}
    </>
  )
}
