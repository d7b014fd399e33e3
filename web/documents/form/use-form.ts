import { useEffect, useState } from 'react'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
import {
  askedNames,
  checkForm,
  formPayload,
  startValues,
  type FormDescription,
  type FormErrors,
  type FormValues,
} from './form-state.ts'
import { useSubmission } from './use-submission.ts'

/** A form's state and what its controls call. */
export interface FormControl {
  readonly form: FormDescription
  readonly values: FormValues
  /** Errors to show: of fields left once, or all after a try to submit. */
  readonly errors: FormErrors
  /** An error of the server that belongs to no field. */
  readonly failure: string | null
  readonly busy: boolean
  readonly dirty: boolean
  /** The values survive a reload. */
  readonly draftKept: boolean
  set(name: string, value: string | number): void
  /** Sets what the form itself suggests: no change of the person's, so neither dirty nor a draft. */
  preset(name: string, value: string | number): void
  blur(name: string): void
  submit(): Promise<void>
  reset(): void
  /** The field to correct first after the last try to submit; a new object for each try, so that it is focused again. */
  readonly correct: { readonly name: string } | null
}

/**
 * Holds a form: checks on blur and from then on while typing, everything on submit (focusing the first error), puts
 * the server's field errors to their fields, and keeps a draft under `draftKey` until `save` succeeds.
 */
export function useForm(
  form: FormDescription,
  options: {
    initial?: FormValues
    draftKey?: string
    save: (payload: Record<string, string | number>, values: FormValues) => Promise<void>
  },
): FormControl {
  const { draftKey } = options
  const fresh = () => startValues(form, options.initial)
  const [values, setValues] = useState<FormValues>(() => ({
    ...fresh(),
    ...(draftKey ? readDraft(draftKey, form.names) : null),
  }))
  const told = useSubmission()
  const [dirty, setDirty] = useState(() => draftKey !== undefined && readDraft(draftKey, form.names) !== null)
  const [draftKept, setDraftKept] = useState(dirty)

  useEffect(() => {
    if (!draftKey || !dirty) return
    const open = Object.fromEntries(
      Object.entries(values).filter(([name]) => form.fields[name]?.fieldtype !== 'Password'),
    )
    setDraftKept(keepDraft(draftKey, open))
  }, [draftKey, dirty, form, values])

  const asked = askedNames(form, values)
  const problems = checkForm(form, values)

  return {
    form,
    values,
    errors: told.errorsOf(asked, problems),
    failure: told.failure,
    busy: told.busy,
    dirty,
    draftKept,
    correct: told.correct,
    set(name, value) {
      setDirty(true)
      setValues((before) => ({ ...before, [name]: value }))
      told.changed(name)
    },
    preset(name, value) {
      setValues((before) => ({ ...before, [name]: value }))
    },
    blur(name) {
      if (String(values[name] ?? '') !== '') told.leave(name)
    },
    submit: () =>
      told.submit({
        names: asked,
        problems,
        async send() {
          await options.save(formPayload(form, values), values)
          if (draftKey) dropDraft(draftKey)
          setDirty(false)
          setDraftKept(false)
        },
      }),
    reset() {
      if (draftKey) dropDraft(draftKey)
      setValues(fresh())
      told.restart()
      setDirty(false)
      setDraftKept(false)
    },
  }
}
