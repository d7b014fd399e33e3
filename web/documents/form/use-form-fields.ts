import { useRef } from 'react'
import { useForm, useWatch, type Resolver } from 'react-hook-form'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'
import type { FormErrors, FormValues } from './form-state.ts'

/** Values as react-hook-form holds them; undefined is a field of a stored document that nobody edited. */
type Values = Record<string, string | number | null | undefined>

/** Type of the errors that the server gave: they stay until their field changes, whatever the rules say. */
const byServer = 'server'
/** Where a failure lies that belongs to no field. */
const whole = 'root.server'

/** One form in react-hook-form, for the two kinds of forms made of descriptions. */
export interface FormFields {
  readonly values: FormValues
  /** Errors to show, by field: of the server, of fields left once, of all after a try to submit. */
  readonly errors: FormErrors
  readonly failure: string | null
  readonly busy: boolean
  /** The person changed something. */
  readonly dirty: boolean
  /** Tries to submit that are over: each lets the form focus the first error. */
  readonly tries: number
  /** A value that the person gave. */
  set(name: string, value: string | number | null): void
  /** A value that the form suggests: no change of the person's. */
  preset(name: string, value: string | number): void
  /** The person left the field: from now on its problem is shown. */
  leave(name: string): void
  /** Takes back what was given for some fields, and what was said of the form. */
  drop(names: readonly string[]): void
  /** Begins again with these values, or with the present ones. */
  restart(values?: FormValues): void
  /** Checks, then sends; `send` rejects with `ApiError`, which `onFailed` may say itself by returning true. */
  submit(send: (values: FormValues) => Promise<void>, onFailed?: (error: ApiError) => boolean): Promise<void>
}

const given = (values: Values): FormValues =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/**
 * Values, errors, touched fields and submission by react-hook-form. Fields are controlled by their names alone, because
 * descriptions decide which there are. `problemsOf` names every problem of what the form asks for, as `asked` says.
 */
export function useFormFields({
  start,
  asked,
  problemsOf,
}: {
  start: FormValues
  asked: (values: FormValues) => readonly string[]
  problemsOf: (values: FormValues) => FormErrors
}): FormFields {
  // react-hook-form keeps its state outside React and changes it in place.
  'use no memo'
  const resolver: Resolver<Values> = (values) => {
    const problems = Object.entries(problemsOf(given(values)))
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

  /** Looks again at the fields left once, except at what the server said of them. */
  const check = () => {
    const left = asked(now()).filter((name) => form.getFieldState(name).isTouched && errorOf(name)?.type !== byServer)
    if (left.length > 0) void form.trigger(left)
  }

  return {
    values,
    errors: Object.fromEntries(
      asked(values).flatMap((name) => {
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
        await form.trigger([...asked(now())], { shouldTouch: true })
        await form.handleSubmit(async () => {
          try {
            await send(now())
          } catch (thrown) {
            const error = toApiError(thrown)
            const field = error.field !== null && asked(now()).includes(error.field) ? error.field : null
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
