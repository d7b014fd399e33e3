import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { doctypes } from '../doctypes/registry.ts'
import { findCardNumbers, containsCardNumber, redactCardNumbers } from './card-numbers.ts'

describe('is a card number', () => {
  test.each([
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111 - 1111 - 1111 - 1111',
    '4111.1111/1111_1111',
    'Visa 4222222222222, please',
    '378282246310005',
    '3782 822463 10005',
    '30569309025904',
    '6304 0000 0000 0000 000',
    '5555\u00A05555\u20095555\u202F4444',
    '4111\u200B1111\u20601111\u00AD1111',
    '4111–1111—1111‐1111',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '٤١١١ ١١١١ ١١١١ ١١١١',
    '４１１１１１１１１１１１１１１１',
    '𝟜𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙',
    'No. 12 4111 1111 1111 1111 end',
    'x4111111111111111x',
  ])('%s', (text) => expect(containsCardNumber(text)).toBe(true))
})

describe('is none', () => {
  test.each([
    '4111111111111112',
    '411111111111',
    '41111111111111111111111',
    '4111 1111\n1111 1111',
    '4111,1111,1111,1111',
    '4111    1111 1111 1111',
    '0000000000000000',
    '1732196418123',
    'Musterstraße 12, 10115 Berlin, +49 30 1234567',
    '2026-11-21 13:40:18.123456',
    '',
  ])('%s', (text) => expect(containsCardNumber(text)).toBe(false))
})

/** Digits with a valid check digit. */
const withCheckDigit = (digits: readonly number[]): string => {
  const body = digits.join('')
  for (let last = 0; last < 10; last += 1) if (luhn(`${body}${last}`)) return `${body}${last}`
  throw new Error('one of ten always fits')
}
/** An independent Luhn check: from the left, with a table. */
const luhn = (number: string) =>
  [...number].reduce(
    (sum, digit, at) => sum + ((number.length - at) % 2 === 0 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][+digit]! : +digit),
    0,
  ) %
    10 ===
  0

const card = fc
  .array(fc.nat({ max: 9 }), { minLength: 12, maxLength: 18 })
  .filter(([first = 0]) => first >= 2)
  .map(withCheckDigit)
const gap = fc.constantFrom('', ' ', '-', '\u00A0', ' - ', '.', '\u2003', '\u200B')
const zeros = ['0', '٠', '०', '０', '𝟶']

test('finds any number with a valid check digit, with any separators and digits', () => {
  fc.assert(
    fc.property(
      card,
      fc.array(gap, { minLength: 19, maxLength: 19 }),
      fc.constantFrom(...zeros),
      (digits, gaps, zero) => {
        const script = [...digits].map((digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)))
        const text = script.map((digit, at) => digit + (at === script.length - 1 ? '' : (gaps[at] ?? ''))).join('')
        expect(containsCardNumber(`to ${text}!`)).toBe(true)
        const clean = redactCardNumbers(`to ${text}!`, '*****')
        expect(containsCardNumber(clean)).toBe(false)
        expect(clean.startsWith('to ')).toBe(true)
      },
    ),
  )
})

test('takes away nothing else', () => {
  expect(redactCardNumbers('a 4111 1111 1111 1111, b 5555555555554444; c', '*****')).toBe('a *****, b *****; c')
  expect(redactCardNumbers('nothing 123', '*****')).toBe('nothing 123')
  expect(findCardNumbers('4111111111111111')).toEqual([{ start: 0, end: 16 }])
})

test('every text about billing refuses them', () => {
  const texts = ['Data', 'Small Text', 'Long Text', 'JSON']
  const billing = doctypes.filter(({ name }) => /Billing|Subscription|Payment|Invoice|Plan$|Card/.test(name))
  expect(billing.map(({ name }) => name)).toEqual([
    'Plan',
    'Subscription Organization',
    'Billing Profile',
    'Payment Method',
    'Invoice',
  ])
  const open = billing.flatMap(({ name, fields }) =>
    Object.entries(fields)
      .filter(([, field]) => texts.includes(field.fieldtype) && !field.refuses_card_numbers)
      .map(([field]) => `${name}.${field}`),
  )
  expect(open).toEqual([])
})
