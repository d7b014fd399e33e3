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
    const message = isObject(item) ? text(item['message']) : null
    return message && plain(message)
  } catch {
    // Not JSON: fall through to the next source.
    return null
  }
}

/** Strips the exception class: `frappe.exceptions.ValidationError: Hostname is required` → `Hostname is required`. */
function withoutClassName(exception: string): string {
  return exception.replace(/^(?:[\w.]+\.)?\w+(?:Error|Exception|Expired|Mode|Stopped):\s*/, '') || exception
}

/**
 * User-facing message of a failed call (docs/contracts/screens.md, section 8): first server message, else `exception`, else
 * `message`, else 'Something went wrong'. Localized if the response includes the message parts. Takes a response body or any
 * thrown value.
 */
export function errorMessage(error: unknown): string {
  if (typeof error === 'string') return text(error) ?? unknownError
  if (!isObject(error)) return unknownError
  const server = firstServerMessage(error['_server_messages'])
  const exception = text(error['exception'])
  if (server || exception) {
    return translateMessage?.(error['message_i18n']) ?? server ?? plain(withoutClassName(exception ?? ''))
  }
  const message = text(error['message'])
  return message ? plain(message) : unknownError
}
