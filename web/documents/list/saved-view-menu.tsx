import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { deleteDoc, updateDoc } from '#web/lib/api/api.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { listKey } from '#web/lib/api/data-keys.ts'
import { undoButton } from '../actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '#web/ui/overlay/menu.tsx'
import { t } from './messages.ts'
import type { ListState } from '../query/list-state.ts'
import type { SavedListView } from '../query/saved-views.ts'
import { serializeView, restoreView, viewValues } from './saved-views.ts'
import { ViewDialog } from '../later-forms.tsx'

const rereadViews = () => refetchAll(listKey('Saved View'))

/** The creator's menu of a saved view. `changed`: the list no longer matches it. */
export function SavedViewMenu({
  type,
  view,
  changed,
  state,
  visible,
}: {
  type: Doctype
  view: SavedListView
  changed: boolean
  state: ListState
  visible: readonly string[]
}) {
  const [naming, setNaming] = useState(false)

  /** `before`: previous values of the fields, for undo. */
  const write = async (values: Record<string, unknown>, before: Record<string, unknown> | null) => {
    try {
      await updateDoc('Saved View', view.key, values)
      await rereadViews()
      showToast({
        title: t('view.saved'),
        variant: 'success',
        ...(before && { action: undoButton({ undo: () => write(before, null) }) }),
      })
    } catch (error) {
      showToast({ title: t('view.failed'), description: toApiError(error).message, variant: 'danger' })
    }
  }
  const remove = async () => {
    try {
      await deleteDoc('Saved View', view.key)
      await rereadViews()
      showToast({
        title: t('view.deleted', { title: view.label }),
        action: undoButton(
          { undo: () => restoreView(type, view).then(rereadViews), failed: t('view.failed') },
          { lasting: true },
        ),
      })
    } catch (error) {
      showToast({ title: t('view.delete_failed'), description: toApiError(error).message, variant: 'danger' })
    }
  }

  return (
    <>
      <Menu
        align="start"
        trigger={
          <IconButton size="md" label={t('view.menu', { title: view.label })}>
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        }
      >
        {changed ? (
          <MenuItem onSelect={() => void write(viewValues(state, visible), serializeView(view))}>
            {t('view.update')}
          </MenuItem>
        ) : null}
        <MenuItem onSelect={() => setNaming(true)}>{t('view.rename')}</MenuItem>
        <MenuItem onSelect={() => void write({ shared: view.shared ? 0 : 1 }, { shared: view.shared ? 1 : 0 })}>
          {t(view.shared ? 'view.to_private' : 'view.to_share')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem danger onSelect={() => void remove()}>
          {t('view.delete')}
        </MenuItem>
      </Menu>
      {naming ? (
        <ViewDialog type={type} state={state} visible={visible} renamed={view} onClose={() => setNaming(false)} />
      ) : null}
    </>
  )
}
