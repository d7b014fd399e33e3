import { Plus, Users } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { visibleFields, type ListColumn } from './list-columns.ts'
import { lt } from './list-messages.ts'
import { listConditions } from './list-query.ts'
import { sameFilters, type ListOrder, type ListState } from './list-state.ts'
import { t } from '../messages.ts'
import type { ChangeList } from './use-list-state.ts'
import { SavedViewMenu } from './saved-view-menu.tsx'
import type { SavedListView } from './saved-views.ts'
import { ViewDialog } from './view-dialog.tsx'

/** A named set of conditions over a list. */
export interface ListView {
  readonly key: string
  readonly label: string
  readonly filters: readonly FilterTriple[]
  /** Of these one must hold. */
  readonly any?: readonly FilterTriple[]
  /** Order it comes with; absent: the order stays as it is. */
  readonly order?: ListOrder
  /** Columns it comes with. */
  readonly columns?: readonly string[]
}

/** What decides which view a list shows. */
export interface Shown {
  state: ListState
  /** Fields of the columns that are on. */
  visible: readonly string[]
  /** All columns this person can have here: a view of others may name further ones. Default: those that are on. */
  columns?: readonly ListColumn[] | undefined
}

/** Whether a list shows exactly what a view says. */
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
 * The one view a list shows now: a saved one before one of the page, as it says more; of several alike the one chosen
 * last. Null: the list shows something of its own.
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

/** Views of others that are counted. */
const mostCounted = 10

/** Saved views that are counted without being on: each count is a request, and who shares many must not use up everybody's. */
function countedViews(saved: readonly SavedListView[]): ReadonlySet<SavedListView> {
  return new Set([...saved.filter(({ mine }) => mine), ...saved.filter(({ mine }) => !mine).slice(0, mostCounted)])
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
  /** Says how many rows it has. */
  counted: boolean
  /** How many; default: the server is asked. */
  count: ((view: ListView) => number | null) | undefined
  onSelect: () => void
}) {
  const conditions = listConditions(type, { filters: [...view.filters, ...scope], any: view.any ?? [], text: '' })
  const asked = useCount(counted && !count ? type.name : null, conditions).data ?? null
  return (
    <ViewChip active={active} count={count ? count(view) : asked} icon={icon} onClick={onSelect}>
      {view.label}
    </ViewChip>
  )
}

/**
 * Views as chips with their counts: those of the page, then the saved ones. At most one is on, that
 * whose conditions, order and columns are; the one chosen last keeps its menu while it is changed, so that the change can be kept in it.
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
  /** Conditions of the page that hold in every view. */
  scope: readonly FilterTriple[]
  state: ListState
  visible: readonly string[]
  columns?: readonly ListColumn[]
  /** Of a list whose lines are all here: how many a view has. */
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
            {lt('view.save')}
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
    <span title={lt('view.shared_by', { title: view.label, name: view.by })}>
      <Users size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
      <span className="sr-only">{`${lt('view.shared')} `}</span>
    </span>
  )
}
