import { useId } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { check, data } from '#shared/fields.ts'
import { ApiError, toApiError } from '#web/lib/api/api-error.ts'
import { createDoc, updateDoc } from '#web/lib/api/api.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { listKey } from '#web/lib/api/data-keys.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { DocForm } from '../form/form.tsx'
import { useForm } from '../form/use-form.ts'
import { t } from './messages.ts'
import type { ListState } from '../query/list-state.ts'
import type { SavedListView } from '../query/saved-views.ts'
import { viewValues } from './saved-views.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

const fields = { title: data({ reqd: true, length: 60 }), shared: check() }
const names = Object.keys(fields)

/**
 * Dialog for a view's name: saves the list's current state as a new view, or renames `renamed`. `onClose` gets the name of
 * the created document.
 */
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
  const form = useId()
  const control = useForm(
    { fields, names, missing: { title: t('view.name_missing') } },
    {
      initial: { title: renamed?.label ?? '', shared: renamed?.shared ? 1 : 0 },
      save: async (values) => {
        try {
          const { name } = renamed
            ? await updateDoc<{ name: string }>('Saved View', renamed.key, values)
            : await createDoc<{ name: string }>('Saved View', {
                ...values,
                reference_doctype: type.name,
                ...viewValues(state, visible),
              })
          await refetchAll(listKey('Saved View'))
          onClose(name)
        } catch (caught) {
          // Shows every error at the name, the only field.
          throw new ApiError(fullMessage(toApiError(caught)), { field: 'title' })
        }
      },
    },
  )

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={t(renamed ? 'view.rename_title' : 'view.save_title')}
      {...(!renamed && { description: t('view.save_hint') })}
      footer={
        <>
          <Button onClick={() => onClose()}>{t('view.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" busy={control.busy}>
            {t('view.save')}
          </Button>
        </>
      }
    >
      <DocForm id={form} control={control}>
        <Field label={t('view.name')} required error={control.errors['title']}>
          <Input
            name="title"
            value={String(control.values['title'] ?? '')}
            maxLength={60}
            autoComplete="off"
            onChange={(event) => control.set('title', event.target.value)}
          />
        </Field>
        <Checkbox
          label={t('view.share')}
          hint={t('view.share_hint')}
          name="shared"
          checked={control.values['shared'] === 1}
          onChange={(event) => control.set('shared', event.target.checked ? 1 : 0)}
        />
      </DocForm>
    </Dialog>
  )
}
