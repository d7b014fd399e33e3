import { useId, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import type { Doctype } from '#shared/doctype.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { createDoc, updateDoc } from '#web/lib/api/api.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { lt } from './list-messages.ts'
import type { ListState } from './list-state.ts'
import { viewValues, type SavedListView } from './saved-views.ts'
import { failureText } from '../actions/use-actions.ts'

/** Names a view: a new one of what the list shows now, or `renamed`. `onClose` gets the name of the document made. */
export function ViewDialog({
  type,
  state,
  visible,
  renamed,
  onClose,
}: {
  type: Doctype
  state: ListState
  visible: readonly string[]
  renamed?: SavedListView
  onClose: (made?: string) => void
}) {
  const { mutate } = useSWRConfig()
  const form = useId()
  const input = useRef<HTMLInputElement>(null)
  const [title, setTitle] = useState(renamed?.label ?? '')
  const [shared, setShared] = useState(renamed?.shared ?? false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)

  const save = async () => {
    if (title.trim() === '') {
      setError(lt('view.name_missing'))
      input.current?.focus()
      return
    }
    setBusy(true)
    try {
      const values = { title: title.trim(), shared: shared ? 1 : 0 }
      const { name } = renamed
        ? await updateDoc<{ name: string }>('Saved View', renamed.key, values)
        : await createDoc<{ name: string }>('Saved View', {
            ...values,
            reference_doctype: type.name,
            ...viewValues(state, visible),
          })
      await mutate((key) => typeof key === 'string' && key.startsWith('list Saved View '))
      onClose(name)
    } catch (caught) {
      setError(failureText(toApiError(caught)))
      setBusy(false)
      input.current?.focus()
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={lt(renamed ? 'view.rename_title' : 'view.save_title')}
      {...(!renamed && { description: lt('view.save_hint') })}
      footer={
        <>
          <Button onClick={() => onClose()}>{lt('view.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" busy={busy}>
            {lt('view.save')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Field label={lt('view.name')} required error={error}>
          <Input
            ref={input}
            autoFocus
            value={title}
            maxLength={60}
            autoComplete="off"
            onChange={(event) => {
              setTitle(event.target.value)
              setError(null)
            }}
          />
        </Field>
        <Checkbox
          label={lt('view.share')}
          hint={lt('view.share_hint')}
          checked={shared}
          onChange={(event) => setShared(event.target.checked)}
        />
      </form>
    </Dialog>
  )
}
