import { Plus, Users } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { visibleFields, type ColumnOptions } from './list-columns.ts'
import { t } from './messages.ts'
import { listConditions } from '../query/list-request.ts'
import { sameFilters, type ListState } from '../query/list-state.ts'
import type { ChangeList } from './use-list-state.ts'
import { SavedViewMenu } from './saved-view-menu.tsx'
import type { ListView, SavedListView } from '../query/saved-views.ts'
import { ViewDialog } from '../later-forms.tsx'

/** State that decides which view is active. */
export interface Shown {
  state: ListState
  /** Fields of the visible columns. */
  visible: readonly string[]
  /** All columns available to the user; a view of other users may name more. Defaults to the visible ones. */
  columns?: readonly ColumnOptions[] | undefined
}

/** Whether a list matches a view exactly. */
function isShown(view: ListView, { state, visible, columns }: Shown): boolean {
  return (
    state.text === '' &&
    sameFilters(state.filters, view.filters) &&
    sameFilters(state.any ?? [], view.any ?? []) &&
    (view.order === undefined ||
      (view.order.field === state.order.field && view.order.direction === state.order.direction)) &&
    (view.columns === undefined || sameFields(columns ? visibleFields(columns, view.columns) : view.columns, visible))
  )
}

function sameFields(a: readonly string[], b: readonly string[]): boolean {
  return new Set([...a, ...b]).size === new Set(a).size && new Set(a).size === new Set(b).size
}

/**
 * The active view: saved views before the page's, because they specify more; among equal ones, the last selected. Null if
 * the list matches none.
 */
export function shownView(
  views: readonly ListView[],
  saved: readonly ListView[],
  shown: Shown,
  last: string | null,
): ListView | null {
  const alike = [...saved, ...views].filter((view) => isShown(view, shown))
  return saved.find((view) => view.key === last && alike.includes(view)) ?? alike[0] ?? null
}

/** Maximum views of other users with a count. */
const maxCounted = 10

/** Saved views with a count while inactive. Each count is a request, so the number for views of other users is limited. */
function countedViews(saved: readonly SavedListView[]): ReadonlySet<SavedListView> {
  return new Set([...saved.filter(({ mine }) => mine), ...saved.filter(({ mine }) => !mine).slice(0, maxCounted)])
}

function Chip({
  type,
  view,
  scope,
  icon,
  active,
  counted,
  count,
  onSelect,
}: {
  type: Doctype
  view: ListView
  scope: readonly FilterTriple[]
  icon?: ReactNode
  active: boolean
  /** Whether to show the number of rows. */
  counted: boolean
  /** Number of rows; defaults to a request. */
  count: ((view: ListView) => number | null) | undefined
  onSelect: () => void
}) {
  const conditions = listConditions(type, { filters: [...view.filters, ...scope], any: view.any ?? [], text: '' })
  const ownCount = useCount(counted && !count ? type.name : null, conditions).data ?? null
  return (
    <ViewChip active={active} count={count ? count(view) : ownCount} icon={icon} onClick={onSelect}>
      {view.label}
    </ViewChip>
  )
}

/**
 * Views as chips with counts: the page's, then the saved ones. At most one is active, if filters, order and columns match.
 * The last selected view keeps its menu while changed, so that the changes can be saved to it.
 */
export function ListViews({
  type,
  views,
  saved,
  canSave,
  scope,
  state,
  visible,
  columns,
  count,
  onChange,
}: {
  type: Doctype
  views: readonly ListView[]
  saved: readonly SavedListView[]
  canSave: boolean
  /** The page's filters, which apply to every view. */
  scope: readonly FilterTriple[]
  state: ListState
  visible: readonly string[]
  columns?: readonly ColumnOptions[]
  /** For lists that are loaded completely: the number of rows of a view. */
  count?: (view: ListView) => number | null
  onChange: ChangeList
}) {
  const [last, setLast] = useState<string | null>(null)
  const [naming, setNaming] = useState(false)
  const counted = countedViews(saved)
  const current = shownView(views, saved, { state, visible, columns }, last)
  const select = (view: ListView) => {
    setLast(view.key)
    const { filters, any = [], order } = view
    onChange({ filters, any, text: '', ...(order && { order }) }, false, view.columns)
  }
  return (
    <ViewChips label={t('list.views')}>
      {views.map((view) => (
        <Chip
          key={view.key}
          type={type}
          view={view}
          scope={scope}
          active={view === current}
          counted
          count={count}
          onSelect={() => select(view)}
        />
      ))}
      {saved.length > 0 ? <span aria-hidden="true" className="mx-1.5 h-5 w-px flex-none bg-border" /> : null}
      {saved.map((view) => {
        const active = view === current
        return (
          <span key={view.key} className="inline-flex flex-none items-center">
            <Chip
              type={type}
              view={view}
              scope={scope}
              active={active}
              counted={active || counted.has(view)}
              count={count}
              onSelect={() => select(view)}
              icon={view.shared ? <SharedMark view={view} /> : undefined}
            />
            {view.mine && (active || last === view.key) ? (
              <SavedViewMenu type={type} view={view} changed={!active} state={state} visible={visible} />
            ) : null}
          </span>
        )
      })}
      {canSave ? (
        <>
          <Button variant="ghost" size="md" className="text-muted" onClick={() => setNaming(true)}>
            <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
            {t('view.save')}
          </Button>
          {naming ? (
            <ViewDialog
              type={type}
              state={state}
              visible={visible}
              onClose={(made) => {
                setNaming(false)
                if (made) setLast(made)
              }}
            />
          ) : null}
        </>
      ) : null}
    </ViewChips>
  )
}

function SharedMark({ view }: { view: SavedListView }) {
  return (
    <span title={t('view.shared_by', { title: view.label, name: view.by })}>
      <Users size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
      <span className="sr-only">{`${t('view.shared')} `}</span>
    </span>
  )
}
