import type { ApiError } from '#web/lib/api/api-error.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

// For the forms of public pages, which don't load react-hook-form (docs/dependencies.md).

/** Form errors by field; `''` is the whole form. */
export type FormErrors = Readonly<Record<string, string>>

/** Focuses the first invalid field after the next paint, when the errors are rendered. */
export function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  })
}

/** Converts a server error to form errors: on its field if the form has it, else on the whole form. */
export function serverErrors(error: ApiError, fields: readonly string[]): FormErrors {
  const field = error.field !== null && fields.includes(error.field) ? error.field : ''
  return { [field]: fullMessage(error) }
}

/** Text value of a native form field; '' if there is none. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * Validates the form's `email` field with the browser's built-in check. Returns null if it is valid. The server validates
 * again; its validator is too large for pages that must load fast.
 */
export function emailProblem(form: HTMLFormElement): string | null {
  const input = form.querySelector<HTMLInputElement>('input[type=email]')
  if (!input || input.value.trim() === '') return t('form.email_missing')
  return input.validity.typeMismatch || !input.value.includes('.', input.value.indexOf('@'))
    ? t('form.email_wrong')
    : null
}
