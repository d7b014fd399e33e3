import { containsCardNumber } from '#shared/rules/card-numbers.ts'
import { LONGEST_TEXT, MASK, redactText } from './redact-text.ts'

const MAX_DEPTH = 12
/** Maximum number of members of one array or object. */
const LONGEST_LIST = 1000
/** Maximum number of characters per call; each value counts as one more. */
const MOST_WORK = 4 * LONGEST_TEXT
/** No legitimate field has a longer name. */
const LONGEST_NAME = 1000
/** Replaces what is left out. */
const LEFT_OUT = '[…]'

const SECRET_PART =
  /passw|passphrase|passcode|secret|token|authorization|cookie|csrf|credential|apikey|privatekey|accesskey|signature|phc/
const SECRET_WORDS = new Set([
  'pwd',
  'pass',
  'key',
  'keys',
  'sid',
  'otp',
  'totp',
  'pin',
  'cvc',
  'cvv',
  'auth',
  'jwt',
  'setup',
  'nonce',
  'salt',
])
/** Names that end in a secret word but aren't secret. */
const HARMLESS = new Set([
  'publickey',
  'publishablekey',
  'primarykey',
  'foreignkey',
  'stepkey',
  'idempotencykey',
  'cachekey',
  'sortkey',
  'rowkey',
  'tokencount',
])

/** Whether a field of this name holds a secret, in any spelling: `api_key`, `apiKey`, `API-KEY`. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_NAME) return true
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const joined = words.join('')
  if (HARMLESS.has(joined)) return false
  return (
    SECRET_PART.test(joined) ||
    SECRET_WORDS.has(words.at(-1) ?? '') ||
    (SECRET_WORDS.has(words[0] ?? '') && words.length === 1)
  )
}

/** State of one call. */
interface Walk {
  /** The objects that contain the current value. */
  seen: Set<object>
  /** Remaining budget; anything beyond is left out. */
  left: number
}

function text(value: string, walk: Walk): string {
  if (walk.left <= 0 && value !== '') return LEFT_OUT
  walk.left -= Math.min(value.length, LONGEST_TEXT)
  return redactText(value)
}

function redactError(error: Error, depth: number, walk: Walk): Record<string, unknown> {
  const plain: Record<string, unknown> = {
    name: visit(error.name, depth + 1, walk),
    message: visit(error.message, depth + 1, walk),
  }
  if (error.stack) plain['stack'] = visit(error.stack, depth + 1, walk)
  for (const [key, value] of Object.entries(error))
    plain[key] = isSecretName(key) ? MASK : visit(value, depth + 1, walk)
  if (error.cause !== undefined) plain['cause'] = visit(error.cause, depth + 1, walk)
  return plain
}

/** A key as a name. The keys of a map can be objects, whose own conversion to text may throw. */
function nameOf(key: unknown): string {
  if (typeof key === 'function') return '[function]'
  return typeof key === 'object' && key !== null ? '[object]' : String(key)
}

function redactObject(
  entries: Iterable<readonly [unknown, unknown]>,
  depth: number,
  walk: Walk,
): Record<string, unknown> {
  const plain: Record<string, unknown> = Object.create(null)
  for (const [name, item] of entries) {
    if (walk.left <= 0) break
    const key = nameOf(name)
    const empty = item === null || item === undefined || item === '' || typeof item === 'boolean'
    plain[text(key, walk)] = isSecretName(key) && !empty ? MASK : visit(item, depth + 1, walk)
  }
  return Object.setPrototypeOf(plain, Object.prototype)
}

function visit(value: unknown, depth: number, walk: Walk): unknown {
  walk.left -= 1
  if (typeof value === 'string') return text(value, walk)
  if (typeof value === 'bigint' || typeof value === 'symbol') return text(String(value), walk)
  if (typeof value === 'function') return '[function]'
  // Numbers with fewer digits include sizes in bytes: no card number is that short as a number.
  if (typeof value === 'number')
    return value >= 1e14 && value < 1e19 && containsCardNumber(String(value)) ? MASK : value
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof URL || value instanceof URLSearchParams)
    return text(value instanceof URL ? value.href : `?${value}`, walk)
  if (depth > MAX_DEPTH || walk.seen.has(value) || walk.left <= 0) return LEFT_OUT
  walk.seen.add(value)
  try {
    if (value instanceof Error) return redactError(value, depth, walk)
    if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map((item) => visit(item, depth + 1, walk))
    if (value instanceof Set) return [...value.values().take(LONGEST_LIST)].map((item) => visit(item, depth + 1, walk))
    return redactObject(value instanceof Map ? value : Object.entries(value), depth, walk)
  } finally {
    walk.seen.delete(value)
  }
}

/**
 * The one function that removes secrets from anything written to a log, an error, an activity or a job's output: values
 * under secret names, registered values, credentials and secret parameters in URLs, authorization and cookie headers,
 * private keys and well-known token formats. Returns a plain copy (errors become objects with message and stack, bytes their
 * length; cycles, depth over 12 and excess data become `[…]`). Idempotent. Its work is bounded for any input, because values
 * are untrusted.
 */
export function redact(value: string): string
export function redact(value: unknown): unknown
export function redact(value: unknown): unknown {
  return visit(value, 0, { seen: new Set(), left: MOST_WORK })
}
