import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMessageFormat, isUnquoted, literalMessage, placeholdersOf } from './message-format.ts'

const format = createMessageFormat('en')
/** Text full of what ICU, tags and replacement patterns could take for syntax. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.constantFrom("'", "''", '{', '}', '{0}', '<b>', '</b>', '#', '$&', '|', 'a', '1'), { maxLength: 8 })
    .map((parts) => parts.join('')),
)

describe('a message', () => {
  test('has forms by the language and numbers by the locale', () => {
    const message = '{count, plural, one {# strona} few {# strony} other {# stron}}'
    const polish = createMessageFormat('pl', 'de')
    expect([1, 2, 5, 12_345].map((count) => polish(message, { count }))).toEqual([
      '1 strona',
      '2 strony',
      '5 stron',
      '12.345 stron',
    ])
  })

  test('shows its values as they are', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        expect(format('{a} can’t be {b}.', { a, b })).toBe(`${a} can’t be ${b}.`)
        expect(format("{a} isn't {b}", { a, b })).toBe(`${a} isn't ${b}`)
        const count = 3
        expect(format('{count, plural, one {one {a}} other {# {b}}}', { count, a, b })).toBe(`3 ${b}`)
      }),
    )
  })

  test('keeps single and double apostrophes, also without placeholders', () => {
    expect(format("Can't stop", {})).toBe("Can't stop")
    expect(format("L''adresse", {})).toBe("L'adresse")
    expect(format("L''{0}", { 0: 'ami' })).toBe("L'ami")
  })

  test.each(['{0', '{0} {', '{count, plural, one {x}}', '{count, plural}', '{'.repeat(100_000)])(
    'that is not valid is an error, and so is a missing value: %.20s',
    (message) => expect(() => format(message, { 0: 'a', count: 1 })).toThrow(),
  )

  test('without one of its values is an error, not an empty placeholder', () => {
    expect(() => format('{a} and {b}', { a: 'x' })).toThrow()
    expect(format('{a} and {b}', { a: 'x', b: '', c: 'unknown' })).toBe('x and ')
    expect(format('{count}', { count: 0 })).toBe('0')
  })
})

test('literal text formats to itself, with any content and neighbors', () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (before, value, after) => {
      const message = `${literalMessage(before, true)}{0}${literalMessage(after)}`
      expect(format(message, { 0: value })).toBe(before + value + after)
      expect(format(literalMessage(before), {})).toBe(before)
    }),
  )
  for (const plain of ["Can't stop", 'Create', 'a < b', 'Members’'])
    for (const isBeforePlaceholder of [true, false]) expect(literalMessage(plain, isBeforePlaceholder)).toBe(plain)
})

test('returns the names of placeholders, also those in forms', () => {
  expect(placeholdersOf('{count, plural, one {{0} of <b>{1}</b>} other {# {0}}} {when, date}')).toEqual([
    'count',
    '0',
    '1',
    '0',
    'when',
  ])
})

test.each([
  ["Can't stop", true],
  ["L''adresse de {0} n'existe pas", true],
  ["l''{0}", true],
  ["l'{0}", false],
  ["'{0}' est là", false],
  ["'''{0}", false],
  ["{count, plural, one {l'{0}'} other {les {0}}}", false],
  ["{count, plural, one {'#'} other {#}}", false],
])('whether apostrophes are text in %s: %s', (message, unquoted) => expect(isUnquoted(message)).toBe(unquoted))
