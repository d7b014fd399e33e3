import { withoutCardNumbers } from '#shared/rules/card-numbers.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** What stands in place of a secret. */
export const MASK = '*****'

/** Registered values shorter than this would blank out ordinary words. */
const SHORTEST_SECRET = 6
/** Most characters of one text that are kept: what is longer is no message, and reading it takes everybody's time. */
export const LONGEST_TEXT = 64 * 1024

/** Spellings of registered values, longest first, so that a secret which contains another one disappears whole. */
let known: readonly string[] = []

/**
 * Makes `redact` remove this value wherever it appears, also in its percent-encoded, base64 and JSON-escaped spelling.
 * For the few secrets of the installation (settings); secrets of rows are recognised by their key.
 */
export function registerSecret(value: string | null | undefined): void {
  if (!value || value.length < SHORTEST_SECRET) return
  const base64 = trimEnd(Buffer.from(value, 'utf8').toString('base64'), '=')
  const spellings = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64]
  known = [...new Set([...known, ...spellings])].sort((a, b) => b.length - a.length)
}

const NAMES =
  'password|passwd|passphrase|pwd|pass|secret|client_secret|token|access_token|refresh_token|csrf_token|setup_token|api_key|apikey|secret_key|private_key|access_key|key|sid|otp|setup|signature|x-amz-signature|x-amz-credential|x-amz-security-token|authorization|cookie'

/**
 * Each finds a form in which secrets stand in free text; `$1` keeps what is harmless before it.
 *
 * All of them run over foreign text of any shape, so none may do more work than the text is long. A part of any length
 * begins where its characters begin (`(?<!…)`), never again inside of itself, and what has no end is taken up to the end
 * of the text instead of being tried and given up. `tests/complexity` measures it.
 */
const FORMS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [/(:\/\/)[^\s/?#@"'<>]+(?:@[^\s/?#@"'<>]+)*@/g, `$1${MASK}@`],
  [/(?<![\w-])(-*x-[\w-]*(?:token|key)|[\w-]*(?:cookie|authorization))("?\s*:\s*)(?!\*)[^\r\n]*/gi, `$1$2${MASK}`],
  // A lower-case word after "basic" is a sentence.
  [/\b([Bb]earer|[Bb]asic)(\s+)(?=[a-z._~-]*[A-Z0-9+/=])[A-Za-z0-9._~+/=:-]{6,}/g, `$1$2${MASK}`],
  [/\b(token)(\s+)[\w-]{8,}:[\w-]{8,}/gi, `$1$2${MASK}`],
  [new RegExp(`([?&;#]|%3F|%26)((?:[a-z_.-]+_)?(?:${NAMES}))(=|%3D)[^&#\\s"'<>;]+`, 'gi'), `$1$2$3${MASK}`],
  // In JSON, and in JSON inside of JSON.
  [new RegExp(`"((?:[a-z]+[_-])*(?:${NAMES}))"(\\s*:\\s*)"(?:[^"\\\\]|\\\\[\\s\\S])*(?:"|$)`, 'gi'), `"$1"$2"${MASK}"`],
  [
    new RegExp(
      `\\\\"((?:[a-z]+[_-])*(?:${NAMES}))\\\\"(\\s*:\\s*)\\\\"(?:[^"\\\\]|\\\\\\\\(?:\\\\[\\s\\S]|[^\\\\]))*(?:\\\\"|$)`,
      'gi',
    ),
    `\\"$1\\"$2\\"${MASK}\\"`,
  ],
  [
    new RegExp(
      `(?<![a-z0-9_-])((?:[a-z0-9]*[_-])*(?:${NAMES}))(=|:\\s?)("[^"]*(?:"|$)|'[^']*(?:'|$)|[^\\s,;&"')}\\]]+)`,
      'gi',
    ),
    `$1$2${MASK}`,
  ],
  [/\$argon2(?:id|i|d)\$[^\s"']+/g, MASK],
  [
    /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{6,}|\bwhsec_[A-Za-z0-9+/=]{6,}|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bxox[abeprs]-[A-Za-z0-9-]{8,}/g,
    MASK,
  ],
  // The look ahead comes first: only where two further parts follow is the beginning looked for.
  [/(?<![\w-])(?=[\w-]+\.[\w-]{6,}\.)([\w-]*?)\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, `$1${MASK}`],
]

/** Free text without its secrets; what is longer than `LONGEST_TEXT` is cut. */
export function redactText(text: string): string {
  let clean = withinBounds(text)
  for (const secret of known) clean = clean.replaceAll(secret, MASK)
  for (const [form, replacement] of FORMS) clean = clean.replace(form, replacement)
  return withoutCardNumbers(clean, MASK)
}

/**
 * Cut between two words: half of a credential is not recognised, and would stay. The word that crosses the limit goes
 * whole, whatever its length.
 */
function withinBounds(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  const mark = `… (${text.length} characters)`
  const space = /\s\S*$/.exec(text.slice(0, LONGEST_TEXT - mark.length))?.index ?? 0
  return `${text.slice(0, space)} ${mark}`
}
