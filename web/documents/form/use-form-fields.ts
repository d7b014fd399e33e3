import { useRef } from 'react'
import { useForm, useWatch, type Resolver } from 'react-hook-form'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import type { FormErrors, FormValues } from './form-state.ts'

/** Values in react-hook-form; undefined is an unedited field of a stored document. */
type Values = Record<string, string | number | null | undefined>

/** Type of server errors, which stay until their field changes, regardless of validation. */
const byServer = 'server'
/** Error key for failures that belong to no field. */
const whole = 'root.server'

/** A form in react-hook-form, shared by both kinds of forms built from descriptions. */
export interface FormFields {
  readonly values: FormValues
  /** Errors to show, by field: server errors, errors of blurred fields, and all after a submit attempt. */
  readonly errors: FormErrors
  readonly failure: string | null
  readonly busy: boolean
  /** The user changed something. */
  readonly dirty: boolean
  /** Number of completed submit attempts; each focuses the first error. */
  readonly tries: number
  /** Sets a value entered by the user. */
  set(name: string, value: string | number | null): void
  /** Sets a suggested value, which doesn't count as a user change. */
  preset(name: string, value: string | number): void
  /** Marks a field as blurred, which shows its error from now on. */
  leave(name: string): void
  /** Discards the values of some fields and the form's error. */
  drop(names: readonly string[]): void
  /** Resets the form to these values, or to the current ones. */
  restart(values?: FormValues): void
  /** Validates, then sends. `send` rejects with `ApiError`; `onFailed` returns true if it handled the error. */
  submit(send: (values: FormValues) => Promise<void>, onFailed?: (error: ApiError) => boolean): Promise<void>
}

const given = (values: Values): FormValues =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/**
 * Values, errors, touched state and submission with react-hook-form. Fields are controlled by name, because descriptions
 * define them. `problemsOf` returns all errors of the visible fields. With a `step`, only its fields are validated.
 */
export function useFormFields({
  start,
  step,
  visibleNames,
  problemsOf,
}: {
  start: FormValues
  step?: readonly string[] | undefined
  visibleNames: (values: FormValues) => readonly string[]
  problemsOf: (values: FormValues) => FormErrors
}): FormFields {
  // react-hook-form keeps its state outside of React and mutates it.
  'use no memo'
  const isInStep = (name: string) => step?.includes(name) ?? true
  const resolver: Resolver<Values> = (values) => {
    const problems = Object.entries(problemsOf(given(values))).filter(([name]) => isInStep(name))
    if (problems.length === 0) return { values, errors: {} }
    return {
      values: {},
      errors: Object.fromEntries(problems.map(([name, message]) => [name, { type: 'rule', message }])),
    }
  }
  const form = useForm<Values>({ defaultValues: { ...start }, resolver, shouldFocusError: false })
  const { errors, dirtyFields, isSubmitting, submitCount } = form.formState
  const values = given(useWatch({ control: form.control }))
  const sending = useRef(false)
  const now = () => given(form.getValues())
  const errorOf = (name: string) => form.getFieldState(name).error

  /** Revalidates blurred fields, except those with server errors. */
  const check = () => {
    const left = visibleNames(now()).filter(
      (name) => form.getFieldState(name).isTouched && errorOf(name)?.type !== byServer,
    )
    if (left.length > 0) void form.trigger(left)
  }

  return {
    values,
    errors: Object.fromEntries(
      visibleNames(values).flatMap((name) => {
        const message = errors[name]?.message
        return message ? [[name, message]] : []
      }),
    ),
    failure: errors.root?.[byServer]?.message ?? null,
    busy: isSubmitting,
    dirty: Object.keys(dirtyFields).length > 0,
    tries: submitCount,
    set(name, value) {
      form.setValue(name, value, { shouldDirty: true })
      form.clearErrors(errorOf(name)?.type === byServer ? [name, whole] : whole)
      check()
    },
    preset: (name, value) => form.setValue(name, value),
    leave(name) {
      if (errorOf(name)?.type !== byServer) void form.trigger(name, { shouldTouch: true })
    },
    drop(names) {
      for (const name of names) form.setValue(name, undefined, { shouldDirty: true })
      form.clearErrors()
      check()
    },
    restart: (next) => form.reset({ ...(next ?? form.getValues()) }),
    async submit(send, onFailed) {
      if (sending.current) return
      sending.current = true
      try {
        await form.trigger(visibleNames(now()).filter(isInStep), { shouldTouch: true })
        await form.handleSubmit(async () => {
          try {
            await send(now())
          } catch (thrown) {
            const error = toApiError(thrown)
            const field = error.field !== null && visibleNames(now()).includes(error.field) ? error.field : null
            if (field === null && onFailed?.(error)) return
            form.setError(field ?? whole, { type: byServer, message: fullMessage(error) })
          }
        })()
      } finally {
        sending.current = false
      }
    },
  }
}
