import type { AnyDoc } from '#shared/doctype.ts'
import { sameValue } from '#shared/same-value.ts'
import { getDoc, updateDoc } from '#web/lib/api/api.ts'
import { putData } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import type { ToastInput } from '#web/lib/browser/toasts.ts'
import { undoButton } from '../actions/undo-button.ts'
import { pickFields } from '../actions/undo-values.ts'
import { t } from './messages.ts'

/** The button of a toast that saves the values of before, unless they were changed since. */
export function undoSave(
  doctype: string,
  before: AnyDoc,
  saved: AnyDoc,
  names: readonly string[],
): ToastInput['action'] {
  const left = pickFields(saved, names)
  const undo = async (): Promise<boolean> => {
    const now = await getDoc<AnyDoc>(doctype, before.name)
    if (!sameValue(left, pickFields(now, names))) return false
    const values = { ...pickFields(before, names), modified: now.modified }
    await putData(docKey(doctype, before.name), await updateDoc<AnyDoc>(doctype, before.name, values))
    return true
  }
  return undoButton({ undo, done: t('edit.undone'), failed: t('edit.undo_failed') }, { lasting: true })
}
