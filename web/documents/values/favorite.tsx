import { Star } from 'lucide-react'
import { useState } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { countKey, docKey, listKey } from '#web/lib/api/data-keys.ts'
import { undoButton } from '../actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'

/** Marks a document as a favorite of the user optimistically; reverts with an error message if the server denies it. */
export function FavoriteButton({
  type,
  name,
  title,
  value,
  className,
}: {
  type: Doctype
  name: string
  /** Title of the document. */
  title: string
  /** Stored value: 1 or 0. */
  value: unknown
  className?: string
}) {
  const [wanted, setWanted] = useState<boolean | null>(null)
  const stored = value === 1
  const on = wanted ?? stored

  const mark = async (next: boolean, undoable = true) => {
    setWanted(next)
    try {
      await updateDoc(type.name, name, { favorite: next ? 1 : 0 })
      await refetchAll(docKey(type.name, name), listKey(type.name), countKey(type.name))
      // In a list of favorites, the row disappears with its star.
      if (!next && undoable)
        showToast({
          title: t('star.removed', { title }),
          action: undoButton({ undo: () => mark(true, false) }, { lasting: true }),
        })
    } catch (error) {
      showToast({ title: t('star.failed'), description: toApiError(error).message, variant: 'danger' })
    } finally {
      setWanted(null)
    }
  }

  return (
    <button
      type="button"
      aria-pressed={on}
      aria-label={t(on ? 'star.remove' : 'star.add', { title })}
      onClick={() => void mark(!on)}
      className={cx(
        'grid size-7 shrink-0 place-items-center rounded-ctl hover:bg-hover touch:size-11',
        on ? 'text-m-warn' : 'text-input hover:text-muted',
        className,
      )}
    >
      <Star size={16} strokeWidth={1.75} fill={on ? 'currentColor' : 'none'} aria-hidden="true" />
    </button>
  )
}
