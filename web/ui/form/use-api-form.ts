import { useEffect, useRef, type FormEvent, type RefObject } from 'react'
import { useForm, type DefaultValues, type FieldPath, type FieldValues, type UseFormReturn } from 'react-hook-form'
import { toApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

/** Error key for failures that belong to no field. */
const whole = 'root.server'

/** A form in react-hook-form whose values are sent to the API. Fields are registered with `register`. */
export interface ApiForm<Values extends FieldValues> extends UseFormReturn<Values> {
  /** Props of the form element. */
  readonly props: {
    readonly ref: RefObject<HTMLFormElement | null>
    readonly noValidate: true
    readonly onSubmit: (event: FormEvent) => void
  }
  readonly busy: boolean
  /** Why the last submission failed, if that belongs to no field. */
  readonly failure: string | null
  /** Error message of a field, which stays until the next submission or `clearErrors`; null if there is none. */
  errorOf(name: FieldPath<Values>): string | null
}

/**
 * A form that is not made from a description. Submitting validates (the rules given to `register`), then sends, one
 * submission at a time. An `ApiError` is shown at its field; others are shown at `fallbackField`, or as `failure`. What was
 * entered stays, and the first invalid field gets the focus once its error is on screen.
 */
export function useApiForm<Values extends FieldValues>({
  defaultValues,
  fallbackField,
  send,
}: {
  defaultValues: DefaultValues<Values>
  /** Shows the errors that belong to no field, e.g. because it is the only one. */
  fallbackField?: FieldPath<Values>
  /** Sends the values. Rejects with `ApiError`. */
  send: (values: Values) => Promise<unknown>
}): ApiForm<Values> {
  const form = useForm<Values>({ defaultValues, reValidateMode: 'onSubmit', shouldFocusError: false })
  const { errors, isSubmitting, isSubmitSuccessful, submitCount } = form.formState
  const element = useRef<HTMLFormElement>(null)
  const sending = useRef(false)

  useEffect(() => {
    if (submitCount > 0 && !isSubmitSuccessful)
      element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [submitCount, isSubmitSuccessful])

  const isField = (name: string | null): name is FieldPath<Values> => name !== null && name in form.getValues()
  const submit = form.handleSubmit(async (values) => {
    try {
      await send(values)
    } catch (thrown) {
      const error = toApiError(thrown)
      const field = isField(error.field) ? error.field : fallbackField
      form.setError(field ?? whole, { message: fullMessage(error) })
    }
  })
  return {
    ...form,
    props: {
      ref: element,
      noValidate: true,
      onSubmit(event) {
        event.preventDefault()
        // A dialog's form can be nested in another one in the React tree.
        event.stopPropagation()
        if (sending.current) return
        sending.current = true
        void submit().finally(() => (sending.current = false))
      },
    },
    busy: isSubmitting,
    failure: errors.root?.['server']?.message ?? null,
    errorOf: (name) => form.getFieldState(name).error?.message ?? null,
  }
}
