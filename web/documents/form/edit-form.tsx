import { useState, type ReactNode } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { FormField, type FormFieldOptions } from './form-field.tsx'
import { visibleNames } from './form-state.ts'
import { DocForm } from './form.tsx'
import { NavigationBlocker } from './unsaved-changes-blocker.tsx'
import { t } from './messages.ts'
import { SaveBar } from './save-bar.tsx'
import { SecretField } from './secret-field.tsx'
import { undoSave } from './undo-save.ts'
import { useEditForm, type EditControl, type EditOptions } from './use-edit-form.ts'

/** Field options that override the description in an edit form; the last two are for secrets. */
export type EditFieldOptions = FormFieldOptions & { removable?: boolean; since?: string }

/** One card of an edit form. */
export interface EditSection {
  readonly title: string
  /** Text under the title. */
  readonly hint?: ReactNode
  readonly names: readonly string[]
  /** Content below the fields. */
  readonly after?: ReactNode
}

/**
 * Edit form for fields of a stored document: the description defines how each is rendered and validated, and fields the user
 * can't change are shown as values. Unsaved changes show the save bar and block navigation. Pass `names` for one column of
 * fields, or `sections` for cards. Mount it with `key={doc.name}`.
 */
export function EditForm({
  type,
  doc,
  label,
  names,
  sections,
  fields = {},
  saveLabel,
  savedTitle,
  undoable = false,
  ...options
}: {
  type: Doctype
  doc: AnyDoc
  /** Accessible name of the form. */
  label: string
  /** Overrides of the field descriptions. */
  fields?: Readonly<Record<string, EditFieldOptions>>
  saveLabel?: string
  /** Title of the toast after a save; null shows none. */
  savedTitle?: string | null
  /** The toast offers to save the values of before. */
  undoable?: boolean
} & ({ names: readonly string[]; sections?: undefined } | { names?: undefined; sections: readonly EditSection[] }) &
  EditOptions) {
  const shown = names ?? sections.flatMap((section) => section.names)
  const control = useEditForm(type, doc, shown, {
    ...options,
    onSaved: (next, changes) => {
      const action = undoable ? undoSave(type.name, doc, next, Object.keys(changes)) : undefined
      if (savedTitle !== null)
        showToast({ title: savedTitle ?? t('edit.saved'), variant: 'success', ...(action && { action }) })
      options.onSaved?.(next, changes)
    },
  })
  const draw = (list: readonly string[]) => <EditFields control={control} names={list} fields={fields} />
  return (
    <EditFrame control={control} label={label} saveLabel={saveLabel}>
      {sections
        ? sections.map((section) => (
            <Card key={section.title}>
              <CardHead title={section.title} />
              <CardBody className="grid gap-4">
                {section.hint ? <p className="-mt-2 text-table text-muted">{section.hint}</p> : null}
                {draw(section.names)}
                {section.after}
              </CardBody>
            </Card>
          ))
        : draw(shown)}
    </EditFrame>
  )
}

/** Form element, navigation blocker and save bar around the fields of a `useEditForm`, for pages with their own layout. */
export function EditFrame({
  control,
  label,
  saveLabel,
  className = 'grid gap-4',
  disabledBy,
  children,
}: {
  control: EditControl
  label: string
  saveLabel?: string | undefined
  className?: string
  /** For forms that can be off for a time: id of the text that says why; null while they are on. */
  disabledBy?: string | null
  children: ReactNode
}) {
  const content = (
    <>
      {children}
      <SaveBar control={control} saveLabel={saveLabel} />
    </>
  )
  return (
    <>
      <DocForm control={control} label={label} className={className}>
        {disabledBy === undefined ? (
          content
        ) : (
          <fieldset disabled={disabledBy !== null} aria-describedby={disabledBy ?? undefined} className="contents">
            {content}
          </fieldset>
        )}
      </DocForm>
      <NavigationBlocker when={control.dirty} onLeave={control.reset} />
    </>
  )
}

/** Fields of an edit form in order, including secrets. */
export function EditFields({
  control,
  names,
  fields = {},
}: {
  control: EditControl
  names: readonly string[]
  fields?: Readonly<Record<string, EditFieldOptions>>
}) {
  const shown = visibleNames(control.form, control.values)
  // After a save, remounts the secret fields so that they show the stored state instead of the input.
  const [round, setRound] = useState(0)
  const [wasDirty, setWasDirty] = useState(control.dirty)
  if (wasDirty !== control.dirty) {
    setWasDirty(control.dirty)
    if (!control.dirty) setRound(round + 1)
  }
  return names
    .filter((name) => shown.includes(name))
    .map((name) =>
      control.form.fields[name]?.secret ? (
        <SecretField key={`${name} ${round}`} control={control} name={name} {...fields[name]} />
      ) : (
        <FormField key={name} control={control} name={name} {...fields[name]} />
      ),
    )
}
