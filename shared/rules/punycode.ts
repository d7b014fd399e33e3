/*
 * RFC 3492 with the parameters of IDNA. Only decoding: the platform's URL encodes, but takes an ASCII name as it is in
 * Node, whatever its `xn--` parts hold, and never shows the decoded form.
 */
const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const FIRST_BIAS = 72
const FIRST_CODE_POINT = 128
/** Of the 63 characters of a label (RFC 1034 section 3.1), without `xn--`. */
const LONGEST_LABEL = 59

function digitOf(character: string): number {
  if (/^[a-z]$/.test(character)) return character.charCodeAt(0) - 97
  return /^\d$/.test(character) ? character.charCodeAt(0) - 22 : BASE
}

function adapt(delta: number, points: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1
  rest += Math.floor(rest / points)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}

/** Decodes what follows `xn--` in a lower-case label, e.g. `mnchen-3ya` → `münchen`; null when it decodes to nothing. */
export function decodePunycode(encoded: string): string | null {
  // Each letter is inserted into what is there, so the work grows with the square of the length.
  if (encoded.length > LONGEST_LABEL) return null
  const split = encoded.lastIndexOf('-')
  const output = Array.from(split > 0 ? encoded.slice(0, split) : '', (character) => character.codePointAt(0) ?? 0)
  let position = split > 0 ? split + 1 : 0
  if (position >= encoded.length) return null
  let codePoint = FIRST_CODE_POINT
  let bias = FIRST_BIAS
  let index = 0
  while (position < encoded.length) {
    const before = index
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charAt(position))
      position += 1
      if (digit >= BASE) return null
      index += digit * weight
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
      if (digit < threshold) break
      weight *= BASE - threshold
    }
    bias = adapt(index - before, output.length + 1, before === 0)
    codePoint += Math.floor(index / (output.length + 1))
    index %= output.length + 1
    if (codePoint > 0x10ffff || !Number.isSafeInteger(codePoint)) return null
    output.splice(index, 0, codePoint)
    index += 1
  }
  const text = String.fromCodePoint(...output)
  return text.isWellFormed() ? text : null
}
