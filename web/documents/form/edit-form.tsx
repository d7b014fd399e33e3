import { useState, type ReactNode } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { FormField, type FormFieldOptions } from './form-field.tsx'
import { askedNames } from './form-state.ts'
import { DocForm } from './form.tsx'
import { NavigationBlocker } from './unsaved-changes-blocker.tsx'
import { t } from '../messages.ts'
import { SaveBar } from './save-bar.tsx'
import { SecretField } from './secret-field.tsx'
import { useEditForm, type EditControl, type EditOptions } from './use-edit-form.ts'

/** What an edit form may say differently about a field; the last two are for secrets. */
export type EditFieldOptions = FormFieldOptions & { removable?: boolean; since?: string }

/** One card of an edit form. */
export interface EditSection {
  readonly title: string
  /** A sentence under the title. */
  readonly hint?: ReactNode
  readonly names: readonly string[]
  /** Further content under the fields. */
  readonly after?: ReactNode
}

/**
 * Fields of a stored document as a form: its description says how each is drawn and checked, what the person may not
 * change stands there as a value. Unsaved changes bring the save bar and the leave guard. Give `names` for one column of
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
  ...options
}: {
  type: Doctype
  doc: AnyDoc
  /** Name of the form for screen readers. */
  label: string
  /** What a field says differently from its description. */
  fields?: Readonly<Record<string, EditFieldOptions>>
  saveLabel?: string
  /** Title of the toast after a save; null says nothing. */
  savedTitle?: string | null
} & ({ names: readonly string[]; sections?: undefined } | { names?: undefined; sections: readonly EditSection[] }) &
  EditOptions) {
  const asked = names ?? sections.flatMap((section) => section.names)
  const control = useEditForm(type, doc, asked, {
    ...options,
    onSaved: (next, changes) => {
      if (savedTitle !== null) showToast({ title: savedTitle ?? t('edit.saved'), variant: 'success' })
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
        : draw(asked)}
    </EditFrame>
  )
}

/** Form element, leave guard and save bar around the fields of a `useEditForm`, for pages with a layout of their own. */
export function EditFrame({
  control,
  label,
  saveLabel,
  className = 'grid gap-4',
  children,
}: {
  control: EditControl
  label: string
  saveLabel?: string | undefined
  className?: string
  children: ReactNode
}) {
  return (
    <>
      <DocForm control={control} label={label} className={className}>
        {children}
        <SaveBar control={control} saveLabel={saveLabel} />
      </DocForm>
      <NavigationBlocker when={control.dirty} onLeave={control.reset} />
    </>
  )
}

/** Fields of an edit form in order, secrets among them. */
export function EditFields({
  control,
  names,
  fields = {},
}: {
  control: EditControl
  names: readonly string[]
  fields?: Readonly<Record<string, EditFieldOptions>>
}) {
  const shown = askedNames(control.form, control.values)
  // After a save secrets are drawn anew: as stored, not as the box they were typed into.
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
