import type { Doctype } from '#shared/doctype.ts'
import { createDoc } from '#web/lib/api/api.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { t } from './messages.ts'
import type { ListState } from '../query/list-state.ts'
import type { SavedListView, StoredView } from '../query/saved-views.ts'

/** The list's current state as a view stores it. */
export function viewValues(
  state: ListState,
  visible: readonly string[],
): Pick<StoredView, 'filters' | 'any_filters' | 'order_by' | 'columns'> {
  return {
    filters: state.filters,
    any_filters: state.any ?? [],
    order_by: `${state.order.field} ${state.order.direction}`,
    columns: visible,
  }
}

/** The stored values of a saved view. */
export function serializeView(
  view: SavedListView,
): Pick<StoredView, 'filters' | 'any_filters' | 'order_by' | 'columns'> {
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
