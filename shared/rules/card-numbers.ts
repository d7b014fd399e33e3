/*
 * Numbers of payment cards (ISO/IEC 7812): 13 to 19 digits whose last one fits the others (Luhn), in groups or not, in
 * the digits of any script. Cards are entered at the payment provider and are kept nowhere here.
 */

const shortest = 13
const longest = 19
/** Most characters between two groups of one number. */
const longestGap = 3

/** Digits that stand together, with their place in the text. */
interface Group {
  readonly start: number
  readonly end: number
  readonly digits: readonly number[]
}

/** Value of a decimal digit of any script: the ten digits of each stand together in Unicode, in their order. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  if (code < 0x80) return code - 0x30
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return (code - first) % 10
}

function groupsOf(text: string): Group[] {
  return [...text.matchAll(/\p{Nd}+/gu)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    digits: [...found].map(digitValue),
  }))
}

/** Whether what stands between two groups only divides them: spaces, dashes, dots, slashes, characters nobody sees. */
function divides(gap: string): boolean {
  return gap.length <= longestGap && /^[\t\v\f\p{Z}\p{Pd}\p{Cf}._/·•]*$/u.test(gap)
}

/** ISO/IEC 7812-1, annex B: every second digit from the right counts double, as the sum of its digits. */
function fits(digits: readonly number[]): boolean {
  const sum = digits.toReversed().reduce((total, digit, at) => {
    const counted = at % 2 === 1 ? digit * 2 : digit
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return sum % 10 === 0
}

/**
 * Milli-, micro- and nanoseconds since 1970 in one piece, as logs are full of them, until 2033. Cards with a 1 in front
 * have 15 digits.
 */
const isTime = (digits: readonly number[]) => digits[0] === 1 && [13, 16, 19].includes(digits.length)

/** Where card numbers stand in a text, in order. Reads it once. */
export function findCardNumbers(text: string): { start: number; end: number }[] {
  const groups = groupsOf(text)
  const found: { start: number; end: number }[] = []
  for (let first = 0; first < groups.length; first += 1) {
    const end = endOfCard(text, groups, first)
    if (end === null) continue
    found.push({ start: (groups[first] as Group).start, end })
    while (first + 1 < groups.length && (groups[first + 1] as Group).start < end) first += 1
  }
  return found
}

/** End of the longest card number that begins with a group; null when none does. */
function endOfCard(text: string, groups: readonly Group[], first: number): number | null {
  const digits: number[] = []
  let end: number | null = null
  for (let at = first; at < groups.length; at += 1) {
    const group = groups[at] as Group
    if (at > first && !divides(text.slice((groups[at - 1] as Group).end, group.start))) break
    if (digits.length + group.digits.length > longest) break
    digits.push(...group.digits)
    if (digits.length >= shortest && digits[0] !== 0 && !isTime(digits) && fits(digits)) end = group.end
  }
  return end
}

/** Whether a card number stands in a text. */
export function holdsCardNumber(text: string): boolean {
  return findCardNumbers(text).length > 0
}

/** The text with something else in place of card numbers. */
export function withoutCardNumbers(text: string, mask: string): string {
  let kept = ''
  let from = 0
  for (const { start, end } of findCardNumbers(text)) {
    kept += text.slice(from, start) + mask
    from = end
  }
  return kept + text.slice(from)
}
