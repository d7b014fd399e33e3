import type { Doctype, FilterTriple } from '#shared/doctype.ts'
import type { SavedView } from '#shared/doctypes/saved-view.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { t } from './messages.ts'
import { parseOrder, toFilters, type ListOrder, type ListState } from '../query/list-state.ts'
import { usePeople } from '../people.ts'
import { readsField } from '../actions/readable.ts'
import { useViewer } from '../actions/use-actions.ts'

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

const fields = ['name', 'owner', 'title', 'filters', 'any_filters', 'order_by', 'columns', 'shared'] as const

type Stored = Pick<SavedView, (typeof fields)[number]>

/** The user's own views of a list and those shared with the organization, oldest first, live. */
export function useSavedViews(type: Doctype, wanted: boolean): SavedListView[] {
  const { user } = useSession()
  const viewer = useViewer()
  const stored = useList(wanted ? 'Saved View' : null, {
    fields,
    filters: [['reference_doctype', '=', type.name]],
    order_by: 'creation asc',
    limit: 200,
  }).data
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

/** The list's current state as a view stores it. */
export function viewValues(
  state: ListState,
  visible: readonly string[],
): Pick<Stored, 'filters' | 'any_filters' | 'order_by' | 'columns'> {
  return {
    filters: state.filters,
    any_filters: state.any ?? [],
    order_by: `${state.order.field} ${state.order.direction}`,
    columns: visible,
  }
}

/** The stored values of a saved view. */
export function serializeView(view: SavedListView): Pick<Stored, 'filters' | 'any_filters' | 'order_by' | 'columns'> {
  return {
    filters: view.filters,
    any_filters: view.any ?? [],
    order_by: view.order ? `${view.order.field} ${view.order.direction}` : null,
    columns: view.columns ?? null,
  }
}

/** Recreates a deleted view. */
export async function restoreView(type: Doctype, view: SavedListView): Promise<void> {
  try {
    await createDoc('Saved View', {
      reference_doctype: type.name,
      title: view.label,
      ...serializeView(view),
      shared: view.shared ? 1 : 0,
    })
  } catch (error) {
    showToast({ title: t('view.failed'), description: toApiError(error).message, variant: 'danger' })
  }
}
