import { AppError } from '#shared/errors.ts'
import { checkText } from '#server/documents/store/json-values.ts'
import { say } from '#shared/sentence.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** What an address below `/api` means. Names are decoded. */
export type ApiPath =
  | { kind: 'method'; method: string }
  | { kind: 'list'; doctype: string }
  | { kind: 'document'; doctype: string; name: string }
  | { kind: 'unknown' }

/** Splits the target of a request line into path and query; anything but a path counts as `/`. */
export function splitTarget(target: string): { path: string; query: string } {
  const cut = target.indexOf('?')
  const path = cut < 0 ? target : target.slice(0, cut)
  return { path: path.startsWith('/') ? path : '/', query: cut < 0 ? '' : target.slice(cut + 1) }
}

/** Whether a path belongs to Frappe's API. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}

/**
 * Reads a path below `/api`. The document's name runs to the end of the path and may hold `/` and `@`; a slash at the
 * end does not count. Throws 417 for broken percent-encoding and text that cannot be stored.
 */
export function parseApiPath(path: string): ApiPath {
  const segments = trimEnd(path, '/').split('/').slice(2)
  if (segments[0] === 'v1') segments.shift()
  const [kind, first, ...rest] = segments
  if (first === undefined || first === '') return { kind: 'unknown' }
  if (kind === 'method') return { kind: 'method', method: decode([first, ...rest].join('/')) }
  if (kind !== 'resource') return { kind: 'unknown' }
  const doctype = decode(first)
  return rest.length === 0 ? { kind: 'list', doctype } : { kind: 'document', doctype, name: decode(rest.join('/')) }
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch (error) {
    throw new AppError('invalid', say`The address is not valid.`, { cause: error })
  }
  checkText(decoded)
  return decoded
}
