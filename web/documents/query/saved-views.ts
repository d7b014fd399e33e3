import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import type { SavedView } from '#shared/doctypes/saved-view.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { readsField } from '../actions/readable.ts'
import { useViewer } from '../actions/use-actions.ts'
import { usePeople } from '../people.ts'
import { parseOrder, toFilters, type ListOrder } from './list-state.ts'

/** A named set of list filters. */
export interface ListView {
  readonly key: string
  readonly label: string
  readonly filters: readonly FilterTriple[]
  /** Alternatives, one of which must match. */
  readonly any?: readonly FilterTriple[]
  /** Order of the view; if absent, the order stays. */
  readonly order?: ListOrder
  /** Columns of the view. */
  readonly columns?: readonly string[]
}

/** A saved view. `key` is its document's name. */
export interface SavedListView extends ListView {
  readonly mine: boolean
  readonly shared: boolean
  /** Name of its creator. */
  readonly by: string
}

const fields = [
  'name',
  'reference_doctype',
  'owner',
  'title',
  'filters',
  'any_filters',
  'order_by',
  'columns',
  'shared',
] as const

/** The fields of a stored view. */
export type StoredView = Pick<SavedView, (typeof fields)[number]>

/** Lists whose views the menu shows too: their views are read together. */
const inMenu: readonly string[] = ['Site', 'Server']

/** The user's own views of a list and those shared with the organization, oldest first, live. */
export function useSavedViews(type: Doctype, wanted: boolean): SavedListView[] {
  const { user } = useSession()
  const viewer = useViewer()
  const stored = useSmallList(wanted ? 'Saved View' : null, {
    fields,
    filters: [['reference_doctype', 'in', inMenu.includes(type.name) ? inMenu : [type.name]]],
    order_by: 'creation asc',
    limit: 400,
  }).data?.filter((view) => view.reference_doctype === type.name)
  const nameOf = usePeople((stored ?? []).filter((view) => view.shared === 1).map((view) => view.owner))
  return (stored ?? []).flatMap((view) => {
    const filters = toFilters(view.filters ?? [], type)
    const any = toFilters(view.any_filters ?? [], type)
    // Another user's view may filter by fields this user can't read, which the server would deny.
    if ([...filters, ...any].some(([field]) => !readsField(type, viewer, field))) return []
    const order = parseOrder(view.order_by, type)
    return [
      {
        key: view.name,
        label: view.title,
        filters,
        any,
        ...(order && { order }),
        ...(view.columns && { columns: view.columns }),
        mine: view.owner === user,
        shared: view.shared === 1,
        by: nameOf(view.owner),
      },
    ]
  })
}
