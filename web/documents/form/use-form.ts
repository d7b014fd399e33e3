import { useEffect, useState } from 'react'
import { deleteDraft, saveDraft, readDraft } from './draft.ts'
import {
  visibleNames,
  checkForm,
  formPayload,
  startValues,
  type FormDescription,
  type FormErrors,
  type FormValues,
} from './form-state.ts'
import { useFormFields } from './use-form-fields.ts'

/** A form's state and handlers. */
export interface FormControl {
  readonly form: FormDescription
  readonly values: FormValues
  /** Errors to show: of blurred fields, or all after a submit attempt. */
  readonly errors: FormErrors
  /** A server error that belongs to no field. */
  readonly failure: string | null
  readonly busy: boolean
  readonly dirty: boolean
  /** The values survive a reload. */
  readonly draftKept: boolean
  set(name: string, value: string | number): void
  /** Sets a suggested value: neither dirty nor part of the draft. */
  preset(name: string, value: string | number): void
  blur(name: string): void
  submit(): Promise<void>
  reset(): void
  /** Number of completed submit attempts; each focuses the first error. */
  readonly tries: number
}

/**
 * Form state: validates on blur and then while typing, validates everything on submit (focusing the first error), assigns
 * server errors to their fields, and stores a draft under `draftKey` until `save` succeeds.
 */
export function useForm(
  form: FormDescription,
  options: {
    initial?: FormValues
    draftKey?: string
    /** Fields of the current step, for a form in steps. The payload always has those of all steps. */
    step?: readonly string[]
    /** Resolves to `next` if a step is complete and another one follows: the draft stays. */
    save: (payload: Record<string, string | number>, values: FormValues) => Promise<void | 'next'>
  },
): FormControl {
  const { draftKey } = options
  const [restored, setRestored] = useState(() => (draftKey ? readDraft(draftKey, form.names) : null))
  const fresh = () => startValues(form, options.initial)
  const fields = useFormFields({
    start: { ...fresh(), ...restored },
    step: options.step,
    visibleNames: (given) => visibleNames(form, given),
    problemsOf: (given) => checkForm(form, given),
  })
  const { values } = fields
  const dirty = restored !== null || fields.dirty
  const [draftKept, setDraftKept] = useState(dirty)

  useEffect(() => {
    if (!draftKey || !dirty) return
    const open = Object.fromEntries(
      Object.entries(values).filter(([name]) => form.fields[name]?.fieldtype !== 'Password'),
    )
    setDraftKept(saveDraft(draftKey, open))
  }, [draftKey, dirty, form, values])

  function restart(from?: FormValues): void {
    if (draftKey) deleteDraft(draftKey)
    setRestored(null)
    setDraftKept(false)
    fields.restart(from)
  }
  return {
    form,
    values,
    errors: fields.errors,
    failure: fields.failure,
    busy: fields.busy,
    tries: fields.tries,
    dirty,
    draftKept,
    set: fields.set,
    preset: fields.preset,
    blur(name) {
      if (String(values[name] ?? '') !== '') fields.leave(name)
    },
    submit: () =>
      fields.submit(async (given) => {
        if ((await options.save(formPayload(form, given), given)) === 'next') return
        // Values the caller set in the meantime stay.
        restart()
      }),
    reset: () => restart(fresh()),
  }
}
