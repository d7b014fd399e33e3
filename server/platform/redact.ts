/** What stands in place of a secret. */
export const MASK = '*****'

/** Registered values shorter than this would blank out ordinary words. */
const SHORTEST_SECRET = 6
const DEEPEST = 12
const LONGEST_LIST = 1000

const known = new Set<string>()
let knownPattern: RegExp | null = null

/**
 * Makes `redact` remove this value wherever it appears, also in its percent-encoded, base64 and JSON-escaped spelling.
 * For the few secrets of the installation (settings); secrets of rows are recognised by their key.
 */
export function registerSecret(value: string | null | undefined): void {
  if (!value || value.length < SHORTEST_SECRET) return
  const base64 = Buffer.from(value, 'utf8').toString('base64').replace(/=+$/, '')
  for (const spelling of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64])
    known.add(spelling)
  knownPattern = null
}

function pattern(): RegExp | null {
  if (known.size === 0) return null
  // Longest first, so that a secret which contains another one disappears whole.
  knownPattern ??= new RegExp(
    [...known]
      .sort((a, b) => b.length - a.length)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
      .join('|'),
    'g',
  )
  return knownPattern
}

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
/** Names that end in a secret word and are none. */
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

/** Whether a field of this name holds a secret. Any spelling: `api_key`, `apiKey`, `API-KEY`. */
export function isSecretName(name: string): boolean {
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

const NAMES =
  'password|passwd|passphrase|pwd|pass|secret|client_secret|token|access_token|refresh_token|csrf_token|setup_token|api_key|apikey|secret_key|private_key|access_key|key|sid|otp|setup|signature|x-amz-signature|x-amz-credential|x-amz-security-token|authorization|cookie'

/** Each finds a form in which secrets stand in free text; `$1` keeps what is harmless before it. */
const FORMS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+(?:@[^\s/?#@"'<>]+)*@/gi, `$1${MASK}@`],
  [/\b((?:set-)?cookie|(?:proxy-)?authorization|x-[a-z-]*(?:token|key))("?\s*:\s*)(?!\*)[^\r\n]*/gi, `$1$2${MASK}`],
  // A lower-case word after "basic" is a sentence.
  [/\b([Bb]earer|[Bb]asic)(\s+)(?=[a-z._~-]*[A-Z0-9+/=])[A-Za-z0-9._~+/=:-]{6,}/g, `$1$2${MASK}`],
  [/\b(token)(\s+)[\w-]{8,}:[\w-]{8,}/gi, `$1$2${MASK}`],
  [new RegExp(`([?&;#]|%3F|%26)((?:[a-z_.-]+_)?(?:${NAMES}))(=|%3D)[^&#\\s"'<>;]+`, 'gi'), `$1$2$3${MASK}`],
  [
    new RegExp(
      `("|\\\\")((?:[a-z]+[_-])*(?:${NAMES}))\\1(\\s*:\\s*)\\1(?:(?!\\1)[^\\\\]|\\\\(?!").|\\\\\\\\")*?\\1`,
      'gi',
    ),
    `$1$2$1$3$1${MASK}$1`,
  ],
  [
    new RegExp(`(^|[\\s,({[\\-])((?:[a-z]+[_-])*(?:${NAMES}))(=|:\\s?)("[^"]*"|'[^']*'|[^\\s,;&"')}\\]]+)`, 'gi'),
    `$1$2$3${MASK}`,
  ],
  [/\$argon2(?:id|i|d)\$[^\s"']+/g, MASK],
  [
    /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{6,}|\bwhsec_[A-Za-z0-9+/=]{6,}|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bxox[abeprs]-[A-Za-z0-9-]{8,}/g,
    MASK,
  ],
  [/\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*/g, MASK],
]

function redactText(text: string): string {
  const secrets = pattern()
  let clean = secrets ? text.replace(secrets, MASK) : text
  for (const [form, replacement] of FORMS) clean = clean.replace(form, replacement)
  return clean
}

function redactError(error: Error, depth: number, seen: Set<object>): Record<string, unknown> {
  const plain: Record<string, unknown> = { name: error.name, message: redactText(error.message) }
  if (error.stack) plain['stack'] = redactText(error.stack)
  for (const [key, value] of Object.entries(error)) plain[key] = isSecretName(key) ? MASK : walk(value, depth + 1, seen)
  if (error.cause !== undefined) plain['cause'] = walk(error.cause, depth + 1, seen)
  return plain
}

function walk(value: unknown, depth: number, seen: Set<object>): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return '[function]'
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof URL || value instanceof URLSearchParams)
    return redactText(value instanceof URL ? value.href : `?${value}`)
  if (depth > DEEPEST || seen.has(value)) return '[…]'
  seen.add(value)
  try {
    if (value instanceof Error) return redactError(value, depth, seen)
    if (Array.isArray(value) || value instanceof Set) {
      return [...value].slice(0, LONGEST_LIST).map((item) => walk(item, depth + 1, seen))
    }
    const entries =
      value instanceof Map ? [...value].map(([key, item]) => [String(key), item] as const) : Object.entries(value)
    const plain: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    for (const [key, item] of entries) {
      const empty = item === null || item === undefined || item === '' || typeof item === 'boolean'
      plain[redactText(key)] = isSecretName(key) && !empty ? MASK : walk(item, depth + 1, seen)
    }
    return Object.setPrototypeOf(plain, Object.prototype) as Record<string, unknown>
  } finally {
    seen.delete(value)
  }
}

/**
 * The one function that removes secrets from anything on its way to a log, an error, an activity or a job's output:
 * values under telling keys, registered values, credentials and telling parameters of URLs, authorization and cookie
 * headers, private keys and the well-known token forms. Returns a plain copy (errors become objects with message and
 * stack, bytes their length, cycles and depth over 12 `[…]`). Applying it twice changes nothing more.
 */
export function redact(value: string): string
export function redact(value: unknown): unknown
export function redact(value: unknown): unknown {
  return walk(value, 0, new Set())
}
