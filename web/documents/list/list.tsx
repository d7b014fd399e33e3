import { DenialReason } from '../errors/denial-reason.tsx'
import { useDeferredValue, useMemo, useState, type ReactNode } from 'react'
import type { Doc, Doctype, FilterTriple } from '#shared/doctype.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatClock } from '#web/lib/i18n/format.ts'
import { useCount, useDynamicList } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { canAct } from '../actions/action-gate.ts'
import { isBulkAction, type BulkStart } from '../bulk/bulk-choices.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { listCurl } from '../actions/copy-as.ts'
import { ListBody } from './list-body.tsx'
import { defaultColumns, type ListColumn } from './list-columns.ts'
import { groupRows } from './list-groups.ts'
import { ListFrame, useListSetup } from './list-frame.tsx'
import { useListKeys } from './list-keyboard.ts'
import { t } from './messages.ts'
import type { ListRequest } from '../query/list-request.ts'
import { favoriteField, hasFavorites, readableColumns, rowsRequest } from './list-rows-request.ts'
import type { RowsProps } from './list-rows.tsx'
import { sameFilters } from '../query/list-state.ts'
import type { ListView } from '../query/saved-views.ts'
import { viewerOf } from '../actions/viewer.ts'
import { matchingRows } from '../bulk/matching-rows.ts'
import { useSelection } from '../bulk/use-selection.ts'
import { useStableOrder } from './use-stable-order.ts'

/** Maximum skeleton rows; more would only be off screen. */
const skeletonRows = 8

/** Props of a list. All but `type`, `href` and `empty` have defaults. */
export interface DocumentListProps<D extends Doctype> {
  type: D
  /** Defaults to the description's columns. The first one names the row. */
  columns?: readonly ListColumn<RowOf<Doc<D>>>[]
  views?: readonly ListView[]
  /** Path of a row's page; null if this user has none. */
  href: (row: RowOf<Doc<D>>) => string | null
  /** Empty state, if there are no documents at all. */
  empty: ReactNode
  /** Fixed title of a load error, which is then shown in a toast too. */
  errorTitle?: string
  /** The page's own filters, which always apply (e.g. the activities of one site). */
  scope?: readonly FilterTriple[]
  /** Whether views can be saved; defaults to true. */
  savedViews?: boolean
  /** Whether rows can be selected; by default, if the user has a bulk action or `bulk` is given. */
  selectable?: boolean
  /** Extra content of the bulk bar; `clear` clears the selection. */
  bulk?: (rows: readonly RowOf<Doc<D>>[], clear: () => void) => ReactNode
  /** Does actions on multiple rows instead of one call per row from here (see `BulkDialog`). */
  bulkStart?: BulkStart
  /** Actions not offered for multiple rows. */
  bulkExcept?: readonly string[]
  /** At the end of the filter row; a function gets the list's filters, e.g. for an export. */
  toolbar?: ReactNode | ((conditions: Pick<ListRequest, 'filters' | 'or_filters'>) => ReactNode)
  /** Single-key shortcuts of the page for the focused row. */
  rowKeys?: Readonly<Record<string, (row: RowOf<Doc<D>>) => void>>
  /** Entries (`MenuItem`) before the actions in row menus; every row then has a menu. */
  rowMenu?: (row: RowOf<Doc<D>>) => ReactNode
  /** Entries after the actions in row menus. */
  rowMenuAfter?: (row: RowOf<Doc<D>>) => ReactNode
  /** Actions omitted from row menus. */
  menuExcept?: readonly string[]
}

const noScope: readonly FilterTriple[] = []
const noKeys = {}

/**
 * The list of a doctype, live: server-side pagination, sorting and filters from its description, state in the URL, views,
 * favorites and bulk actions.
 */
export function DocumentList<D extends Doctype>({
  type,
  columns: chosenColumns,
  views = [],
  href,
  empty,
  errorTitle,
  scope = noScope,
  savedViews = true,
  selectable,
  bulk,
  bulkExcept = [],
  bulkStart,
  toolbar,
  rowKeys = noKeys,
  rowMenu,
  rowMenuAfter,
  menuExcept,
}: DocumentListProps<D>) {
  const session = useSession()
  const viewer = viewerOf(session)
  // With other columns all rows are drawn again.
  const columns = useMemo(
    () => readableColumns(type, chosenColumns ?? defaultColumns(type), viewerOf(session)),
    [type, chosenColumns, session],
  )
  const setup = useListSetup(type, columns)
  const { ready, defaults, state, change, changeFilters, visible, renderedColumns: drawn } = setup
  const request = rowsRequest(type, columns, state, scope)
  const list = useDynamicList(ready ? type : null, request)
  useFailureToast(errorTitle ?? '', errorTitle === undefined ? null : list.error)
  const { filters, or_filters } = request
  // An exact count of a long list takes as long as reading it, so it is made on request.
  const conditions = JSON.stringify([filters, or_filters])
  const [countedAll, setCountedAll] = useState('')
  const countsAll = countedAll === conditions
  const count = useCount(ready ? type.name : null, { filters, or_filters, exact: countsAll })
  // Renders new rows as a deferred update, so that typing and scrolling stay responsive.
  const requestKey = JSON.stringify(request)
  // The previous rows stay on screen while another page or filter loads.
  const given = useMemo(
    () => ({ key: list.isLoading ? null : requestKey, rows: list.data }),
    [list.isLoading, requestKey, list.data],
  )
  const arrived = useDeferredValue(given)
  const plural = translateText(type.plural ?? type.name).toLowerCase()
  const untouched = state.text === '' && (state.any ?? []).length === 0 && sameFilters(state.filters, defaults.common)

  const acts = canAct(type, viewer)
  const many = Object.entries(type.actions ?? {}).some(([name, one]) => isBulkAction(one) && !bulkExcept.includes(name))
  const picking = selectable ?? (bulk !== undefined || (acts && many))
  const picked = useSelection(conditions, arrived.rows ?? [])
  const selection = picking ? picked : null
  const selecting = selection !== null && selection.rows.length > 0
  const stable = useStableOrder(arrived.key, arrived.rows, selecting)
  const { rows } = stable
  const total = count.data ?? rows?.length ?? 0
  useListKeys({ rows: rows ?? [], selection, rowKeys, onFilter: () => setup.setAdding(true) })

  const shown = useMemo(() => drawn.filter(({ field }) => field !== favoriteField), [drawn])
  const rowsProps: RowsProps<RowOf<Doc<D>>> = {
    type,
    columns: shown,
    favorites: hasFavorites(type) && visible.includes(favoriteField),
    rows,
    expected: Math.min(skeletonRows, state.pageSize),
    href,
    menu: acts || rowMenu ? { before: rowMenu, after: rowMenuAfter, except: menuExcept } : null,
    selection,
    groupOf: groupRows(type, state.group ?? null),
    state,
    defaults,
    onChange: change,
  }
  return (
    <ListFrame
      setup={setup}
      views={views}
      savedViews={savedViews}
      canSave={savedViews && viewer.role !== null}
      scope={scope}
      toolbar={typeof toolbar === 'function' ? toolbar({ filters, or_filters }) : toolbar}
      command={() => listCurl(type, request, location.origin)}
      announcement={rows === undefined ? t('list.loading', { plural }) : t('list.loaded', { count: total })}
    >
      <StillLoading slow={list.isSlow} />
      {stable.outdated ? (
        <div className="sticky top-16 z-10 flex h-0 justify-center">
          <Button size="sm" className="-mt-1 h-7 rounded-full! shadow-pop!" onClick={stable.settle}>
            {stable.added > 0 ? t('live.added', { count: stable.added }) : t('live.order')}
          </Button>
        </div>
      ) : null}
      {list.error && rows ? (
        <p role="alert" className="mb-2 text-table text-warn">
          {t('list.stale', {
            time: formatClock(list.loadedAt === null ? null : new Date(list.loadedAt)),
            reason: list.error.message,
          })}
        </p>
      ) : null}
      <ListBody<RowOf<Doc<D>>>
        rows={rowsProps}
        total={count.data}
        onCountAll={() => setCountedAll(conditions)}
        instead={
          list.error && !rows ? (
            <ErrorPanel
              title={errorTitle ?? t('list.error_title', { plural })}
              error={list.error}
              onRetry={() => list.reload()}
            >
              <DenialReason error={list.error} doctype={type.name} />
            </ErrorPanel>
          ) : null
        }
        nothing={
          untouched ? (
            empty
          ) : (
            <EmptyState
              title={t('list.no_match_title')}
              action={
                <Button onClick={() => changeFilters(defaults.common, { text: '', any: [] })}>
                  {t('list.clear_filters')}
                </Button>
              }
            >
              {t('list.no_match', { plural })}
            </EmptyState>
          )
        }
        bulk={{
          except: bulkExcept,
          start: bulkStart,
          extra: (chosenRows) => bulk?.(chosenRows, picked.clear),
          readAll: () => matchingRows(type, request),
        }}
      />
    </ListFrame>
  )
}
