import { useEffect, useState } from 'react'
import { toApiError } from '#web/lib/api-error.ts'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
import {
  askedNames,
  checkField,
  checkForm,
  formPayload,
  startValues,
  type FormDescription,
  type FormErrors,
  type FormValues,
} from './form-state.ts'

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
  const [left, setLeft] = useState<ReadonlySet<string>>(() => new Set())
  const [serverErrors, setServerErrors] = useState<FormErrors>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [dirty, setDirty] = useState(() => draftKey !== undefined && readDraft(draftKey, form.names) !== null)
  const [draftKept, setDraftKept] = useState(dirty)
  const [correct, setCorrect] = useState<{ name: string } | null>(null)

  useEffect(() => {
    if (!draftKey || !dirty) return
    const open = Object.fromEntries(
      Object.entries(values).filter(([name]) => form.fields[name]?.fieldtype !== 'Password'),
    )
    setDraftKept(keepDraft(draftKey, open))
  }, [draftKey, dirty, form, values])

  const errors: Record<string, string> = {}
  for (const name of askedNames(form, values)) {
    const problem = serverErrors[name] ?? (left.has(name) ? checkField(form, name, values) : null)
    if (problem) errors[name] = problem
  }

  return {
    form,
    values,
    errors,
    failure,
    busy,
    dirty,
    draftKept,
    correct,
    set(name, value) {
      setDirty(true)
      setValues((before) => ({ ...before, [name]: value }))
      setServerErrors(({ [name]: _gone, ...others }) => others)
      setFailure(null)
    },
    preset(name, value) {
      setValues((before) => ({ ...before, [name]: value }))
    },
    blur(name) {
      if (String(values[name] ?? '') !== '') setLeft((before) => new Set(before).add(name))
    },
    async submit() {
      if (busy) return
      const found = checkForm(form, values)
      setLeft(new Set(form.names))
      const first = Object.keys(found)[0]
      if (first) {
        setCorrect({ name: first })
        return
      }
      setBusy(true)
      setFailure(null)
      try {
        await options.save(formPayload(form, values), values)
        if (draftKey) dropDraft(draftKey)
        setDirty(false)
        setDraftKept(false)
      } catch (error) {
        const problem = toApiError(error)
        if (problem.field && askedNames(form, values).includes(problem.field)) {
          setServerErrors({ [problem.field]: problem.message })
          setCorrect({ name: problem.field })
        } else {
          setFailure(problem.nextAction ? `${problem.message} ${problem.nextAction}` : problem.message)
        }
      } finally {
        setBusy(false)
      }
    },
    reset() {
      if (draftKey) dropDraft(draftKey)
      setValues(fresh())
      setLeft(new Set())
      setServerErrors({})
      setFailure(null)
      setDirty(false)
      setDraftKept(false)
    },
  }
}
