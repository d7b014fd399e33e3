import { useMemo, useState, type ReactNode } from 'react'
import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import { parseOwnJson } from '#shared/parse-json.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import type { Command } from '../actions/copy-as.ts'
import { CardSort } from './card-sort.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { CopyListButton } from './copy-list-button.tsx'
import { GroupSelect } from './group-select.tsx'
import { columnsAtBreakpoint, visibleFields, type ColumnOptions } from './list-columns.ts'
import { ListFilters } from './list-filters.tsx'
import { listDefaults, type ListDefaults, type ListState } from '../query/list-state.ts'
import { ListViews } from './list-views.tsx'
import { useSavedViews, type ListView } from '../query/saved-views.ts'
import { useListPreferences } from './use-list-preferences.ts'
import { useListState, type ChangeList } from './use-list-state.ts'

/** What a list shows and how to change it, from the URL, the account's preferences and the description. */
export interface ListSetup<C extends ColumnOptions = ColumnOptions> {
  readonly type: Doctype
  readonly columns: readonly C[]
  /** Whether the preferences are loaded, so that the first request is the final one. */
  readonly ready: boolean
  readonly defaults: ListDefaults
  readonly state: ListState
  readonly change: ChangeList
  /** Filter change by the user: stores the filters that are kept with the account. */
  readonly changeFilters: (
    next: readonly FilterTriple[],
    rest?: { text?: string; any?: readonly FilterTriple[] },
  ) => void
  /** Fields of the selected columns. */
  readonly visible: readonly string[]
  /** Columns that fit the screen; all selected ones on phones, whose cards have room. */
  readonly renderedColumns: readonly C[]
  readonly choose: (columns: readonly string[] | null) => void
  /** Whether the editor of a new filter is open. */
  readonly adding: boolean
  readonly setAdding: (adding: boolean) => void
}

/** State shared by all lists, whether their rows come from the server page by page or are all loaded. */
export function useListSetup<C extends ColumnOptions>(type: Doctype, columns: readonly C[]): ListSetup<C> {
  const { ready, chosen, kept, choose, keep } = useListPreferences(type)
  const keptText = JSON.stringify(kept)
  const defaults = useMemo(() => listDefaults(type, parseOwnJson<typeof kept>(keptText)), [type, keptText])
  const [state, change] = useListState(type, defaults)
  const [adding, setAdding] = useState(false)
  const breakpoint = useBreakpoint()
  const visible = useMemo(() => visibleFields(columns, chosen), [columns, chosen])
  // By themselves: with other columns all rows are drawn again, and the functions below are new in each render.
  const renderedColumns = useMemo(
    () => columnsAtBreakpoint(columns, visible, breakpoint === 'phone' ? 'desktop' : breakpoint),
    [columns, visible, breakpoint],
  )
  return {
    type,
    columns,
    ready,
    defaults,
    state,
    change,
    changeFilters: (next, rest = {}) => {
      keep(state.filters, next)
      change({ filters: next, ...rest })
    },
    visible,
    renderedColumns,
    choose,
    adding,
    setAdding,
  }
}

/** A list around its rows: views, filters, columns, the copied command, and what screen readers hear; `children` are the rows. */
export function ListFrame({
  setup,
  views,
  savedViews,
  canSave,
  scope,
  count,
  toolbar,
  command,
  announcement,
  children,
}: {
  setup: ListSetup
  views: readonly ListView[]
  /** Whether the list has saved views. */
  savedViews: boolean
  canSave: boolean
  /** The page's own filters, which always apply. */
  scope: readonly FilterTriple[]
  /** For lists that are loaded completely: the number of rows of a view. */
  count?: (view: ListView) => number | null
  /** At the end of the filter row. */
  toolbar?: ReactNode
  /** The API call of the rows; null if there is none. */
  command: (() => Command) | null
  /** For screen readers: loading, or how many rows there are. */
  announcement: string
  children: ReactNode
}) {
  const { type, columns, state, change, changeFilters, visible, choose, adding, setAdding } = setup
  const saved = useSavedViews(type, savedViews)
  const phone = useBreakpoint() === 'phone'
  return (
    <>
      {views.length > 0 || saved.length > 0 || savedViews ? (
        <ListViews
          type={type}
          views={views}
          saved={saved}
          canSave={canSave}
          scope={scope}
          state={state}
          visible={visible}
          columns={columns}
          {...(count && { count })}
          // Selecting a view isn't stored as a preference.
          onChange={change}
        />
      ) : null}
      <ListFilters
        type={type}
        state={state}
        defaults={setup.defaults.common}
        onChange={change}
        onFilters={changeFilters}
        adding={adding}
        onAdding={setAdding}
      >
        {toolbar}
        <GroupSelect type={type} state={state} onChange={change} />
        {phone ? (
          <CardSort type={type} columns={columns} state={state} onChange={change} />
        ) : (
          <ColumnsMenu type={type} columns={columns} visible={visible} onChange={choose} />
        )}
        {command ? <CopyListButton command={command} /> : null}
      </ListFilters>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {children}
    </>
  )
}
