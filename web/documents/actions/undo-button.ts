import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast, type ToastInput } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'

/** How a change is taken back, and what is said about it. */
interface Undo {
  /** Takes it back. False if it was changed since, so that nothing was done. */
  readonly undo: () => Promise<unknown>
  /** Title of the toast afterwards; none if the screen shows it, or `undo` says it. */
  readonly done?: string
  /** Title of the toast if it failed, above the reason. */
  readonly failed?: string
}

/** Takes a change back, and says how that ended. Never rejects. */
export async function takeBack({ undo, done, failed = t('action.undo_failed') }: Undo): Promise<void> {
  try {
    if ((await undo()) === false) showToast({ title: t('action.undo_late'), variant: 'info' })
    else if (done !== undefined) showToast({ title: done, variant: 'success' })
  } catch (error) {
    showToast({ title: failed, description: fullMessage(toApiError(error)), variant: 'danger' })
  }
}

/**
 * The button of a toast that takes back what it says. `lasting`: it still works later without overwriting newer changes, so the tray
 * offers it, too.
 */
export function undoButton(
  undo: Undo,
  { lasting = false }: { lasting?: boolean } = {},
): NonNullable<ToastInput['action']> {
  return { label: t('action.undo'), onClick: () => void takeBack(undo), ...(lasting && { lasting }) }
}
