import { translateText } from '../i18n/catalog.ts'
import { translateMessage } from '../i18n/translation.ts'

/** Fallback message (docs/contracts/screens.md, section 8). */
export const unknownError = translateText('Something went wrong')

type Body = Record<string, unknown>

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** Strips markup from server messages. Parsing into a detached document runs no scripts. */
function plain(html: string): string {
  if (!html.includes('<') && !html.includes('&')) return html
  return new DOMParser().parseFromString(html, 'text/html').body.textContent.trim() || html
}

/** Message of the first item of `_server_messages`, a JSON array of JSON strings. Null if it can't be parsed. */
function firstServerMessage(raw: unknown): string | null {
  if (typeof raw !== 'string') return null
  try {
    const list: unknown = JSON.parse(raw)
    const first: unknown = Array.isArray(list) ? list[0] : null
    const item: unknown = typeof first === 'string' ? JSON.parse(first) : first
    return isObject(item) ? text(item['message']) : null
  } catch {
    // Not JSON: fall through to the next source.
    return null
  }
}

/**
 * User-facing message of a failed call (docs/contracts/screens.md, section 8): first server message, else what a denial
 * of a document says, else `exception` with its class, else `message`, else 'Something went wrong'. Localized if the response
 * includes the message parts. Takes a response body or any thrown value.
 */
export function errorMessage(error: unknown): string {
  if (typeof error === 'string') return text(error) ?? unknownError
  if (!isObject(error)) return unknownError
  const told =
    firstServerMessage(error['_server_messages']) ?? text(error['_error_message']) ?? text(error['exception'])
  if (told) return translateMessage?.(error['message_i18n']) ?? plain(told)
  const message = text(error['message'])
  return message ? plain(message) : unknownError
}
