/*
 * Detects payment card numbers (ISO/IEC 7812): 13 to 19 digits that pass the Luhn check, grouped or not, in the digits of
 * any script. Cards are entered at the payment provider and never stored here.
 */

const shortest = 13
const longest = 19
/** Maximum number of characters between two groups of a number. */
const longestGap = 3

/** Consecutive digits, with their position in the text. */
interface Group {
  readonly start: number
  readonly end: number
  readonly digits: readonly number[]
}

/** Value of a decimal digit of any script. Unicode encodes the ten digits of each script consecutively and in order. */
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

/** Whether the text between two groups is only a separator: spaces, dashes, dots, slashes, invisible characters. */
function divides(gap: string): boolean {
  return gap.length <= longestGap && /^[\t\v\f\p{Z}\p{Pd}\p{Cf}._/·•]*$/u.test(gap)
}

/** Luhn check (ISO/IEC 7812-1, annex B): every second digit from the right is doubled and its digits are added up. */
function fits(digits: readonly number[]): boolean {
  const sum = digits.toReversed().reduce((total, digit, at) => {
    const counted = at % 2 === 1 ? digit * 2 : digit
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return sum % 10 === 0
}

/**
 * Unix timestamps in milli-, micro- or nanoseconds without separators, common in logs, until 2033. Card numbers that start
 * with 1 have 15 digits.
 */
const isTime = (digits: readonly number[]) => digits[0] === 1 && [13, 16, 19].includes(digits.length)

/** Positions of the card numbers in a text, in order. Single pass. */
export function findCardNumbers(text: string): { start: number; end: number }[] {
  const groups = groupsOf(text)
  const found: { start: number; end: number }[] = []
  let covered = 0
  for (const [first, { start }] of groups.entries()) {
    const end = start < covered ? null : endOfCard(text, groups, first)
    if (end === null) continue
    found.push({ start, end })
    covered = end
  }
  return found
}

/** End of the longest card number that starts at a group; null if there is none. */
function endOfCard(text: string, groups: readonly Group[], first: number): number | null {
  const digits: number[] = []
  let end: number | null = null
  let last: Group | undefined
  for (let at = first; at < groups.length; at += 1) {
    const group = groups[at]
    if (!group || (last && !divides(text.slice(last.end, group.start)))) break
    last = group
    if (digits.length + group.digits.length > longest) break
    digits.push(...group.digits)
    if (digits.length >= shortest && digits[0] !== 0 && !isTime(digits) && fits(digits)) end = group.end
  }
  return end
}

/** Whether a text contains a card number. */
export function containsCardNumber(text: string): boolean {
  return findCardNumbers(text).length > 0
}

/** Replaces card numbers in a text with a mask. */
export function redactCardNumbers(text: string, mask: string): string {
  let kept = ''
  let from = 0
  for (const { start, end } of findCardNumbers(text)) {
    kept += text.slice(from, start) + mask
    from = end
  }
  return kept + text.slice(from)
}
