import type { ApiError } from './api-error.ts'
import { t } from '../i18n/messages.ts'

/** Error message plus what to do next, e.g. how long to wait. */
export function fullMessage(error: ApiError): string {
  const next = error.nextAction ?? (error.retryAfter ? t('form.try_again', { seconds: error.retryAfter }) : null)
  return next && !error.message.includes(next) ? `${error.message.replace(/([^.!?])$/, '$1.')} ${next}` : error.message
}
