import type { ApiError } from './api-error.ts'
import { t } from '../i18n/messages.ts'

/** Errors of a form by field; `''` is the form as a whole. */
export type FormErrors = Readonly<Record<string, string>>

/** Moves the focus to the first field that is wrong, after the next paint has drawn the errors. */
export function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  })
}

/** Sentence of a failure with what to do next, e.g. how long to wait. */
export function fullMessage(error: ApiError): string {
  const next = error.nextAction ?? (error.retryAfter ? t('form.try_again', { seconds: error.retryAfter }) : null)
  return next && !error.message.includes(next) ? `${error.message.replace(/([^.!?])$/, '$1.')} ${next}` : error.message
}

/** A server error as form errors: at its field when the form has that field, else on the form. */
export function serverErrors(error: ApiError, fields: readonly string[]): FormErrors {
  const field = error.field !== null && fields.includes(error.field) ? error.field : ''
  return { [field]: fullMessage(error) }
}

/** Text of a native form's field; '' when there is none. */
export function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * What is wrong with the form's `email` field, by the browser's own rule: the server has the last word, and its rule
 * is too heavy for pages that must load in an instant. Null when nothing is.
 */
export function emailProblem(form: HTMLFormElement): string | null {
  const input = form.querySelector<HTMLInputElement>('input[type=email]')
  if (!input || input.value.trim() === '') return t('form.email_missing')
  return input.validity.typeMismatch || !input.value.includes('.', input.value.indexOf('@'))
    ? t('form.email_wrong')
    : null
}
