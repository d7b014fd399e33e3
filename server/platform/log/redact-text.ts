import { redactCardNumbers } from '#shared/rules/card-numbers.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** Replaces a secret. */
export const MASK = '*****'

/** Shorter registered values would also mask ordinary words. */
const SHORTEST_SECRET = 6
/** Maximum length of one text: longer ones are not messages, and processing them would block everyone else. */
export const LONGEST_TEXT = 64 * 1024

/** Encodings of registered values, longest first, so that a secret which contains another one is removed completely. */
let known: readonly string[] = []

/**
 * Makes `redact` remove this value everywhere, also percent-encoded, base64 and JSON-escaped. For the few secrets of the
 * installation (settings); secrets in rows are recognized by their key.
 */
export function registerSecret(value: string | null | undefined): void {
  if (!value || value.length < SHORTEST_SECRET) return
  const base64 = trimEnd(Buffer.from(value, 'utf8').toString('base64'), '=')
  const encodings = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64]
  known = [...new Set([...known, ...encodings])].sort((a, b) => b.length - a.length)
}

const NAMES =
  'password|passwd|passphrase|pwd|pass|secret|client_secret|token|access_token|refresh_token|csrf_token|setup_token|api_key|apikey|secret_key|private_key|access_key|key|sid|otp|setup|signature|x-amz-signature|x-amz-credential|x-amz-security-token|authorization|cookie'

/**
 * Each pattern matches a form in which secrets appear in free text; `$1` keeps the harmless text before it.
 *
 * All of them run over untrusted text, so each must run in linear time. A part of unbounded length starts only where its
 * characters start (`(?<!…)`), never inside itself, and an unterminated part extends to the end of the text instead of
 * failing after backtracking. `tests/complexity` measures this.
 */
const FORMS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [/(:\/\/)[^\s/?#@"'<>]+(?:@[^\s/?#@"'<>]+)*@/g, `$1${MASK}@`],
  [/(?<![\w-])(-*x-[\w-]*(?:token|key)|[\w-]*(?:cookie|authorization))("?\s*:\s*)(?!\*)[^\r\n]*/gi, `$1$2${MASK}`],
  // A lowercase word after "basic" is ordinary prose.
  [/\b([Bb]earer|[Bb]asic)(\s+)(?=[a-z._~-]*[A-Z0-9+/=])[A-Za-z0-9._~+/=:-]{6,}/g, `$1$2${MASK}`],
  [/\b(token)(\s+)[\w-]{8,}:[\w-]{8,}/gi, `$1$2${MASK}`],
  [new RegExp(`([?&;#]|%3F|%26)((?:[a-z_.-]+_)?(?:${NAMES}))(=|%3D)[^&#\\s"'<>;]+`, 'gi'), `$1$2$3${MASK}`],
  // In JSON, and in JSON inside JSON.
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
  // The lookahead comes first: the start is only matched where two more parts follow.
  [/(?<![\w-])(?=[\w-]+\.[\w-]{6,}\.)([\w-]*?)\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g, `$1${MASK}`],
]

/** Removes secrets and card numbers from free text and truncates it to `LONGEST_TEXT`. */
export const redactText = (text: string): string => redactCardNumbers(redactSecrets(text), MASK)

/** The same without card numbers, which ids of vendors can look like. */
export function redactSecrets(text: string): string {
  let clean = withinBounds(text)
  for (const secret of known) clean = clean.replaceAll(secret, MASK)
  for (const [form, replacement] of FORMS) clean = clean.replace(form, replacement)
  return clean
}

/**
 * Truncates between two words: half a credential would not be recognized and would remain. A word that crosses the limit is
 * removed entirely, whatever its length.
 */
function withinBounds(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  const mark = `… (${text.length} characters)`
  const space = /\s\S*$/.exec(text.slice(0, LONGEST_TEXT - mark.length))?.index ?? 0
  return `${text.slice(0, space)} ${mark}`
}
