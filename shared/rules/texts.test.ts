import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sanitizeSingleLine, sanitizeMultilineText } from './texts.ts'

describe('a text on one line', () => {
  test.each([
    ['  Broken \n \u202Esites ', 'Broken sites'],
    ['a\u0000b\tc\u0085d\u2028e', 'a b c d e'],
    ['\u2066x\u2069\u200E\u200F\u061C', 'x'],
    ['\u200B\u202E', ''],
    ['\u3164\uFEFF\u00AD', ''],
    // Characters that are part of letters stay: joiners of emoji and of Persian, combining marks.
    ['👩‍👩‍👧 می‌خواهم é', '👩‍👩‍👧 می‌خواهم é'],
    ['שלום world', 'שלום world'],
  ])('%j is %j', (given, kept) => expect(sanitizeSingleLine(given)).toBe(kept))
})

describe('a text of several lines', () => {
  test.each([
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['a\tb\u001B[31m\u202Ec', 'a\tb[31mc'],
    ['\n\n\u200F', ''],
    ['  two\n  indents  ', '  two\n  indents  '],
  ])('%j is %j', (given, kept) => expect(sanitizeMultilineText(given)).toBe(kept))
})

test('no such characters are left, and a second pass changes nothing', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom(
      '\u202A',
      '\u202E',
      '\u2066',
      '\u2069',
      '\u200E',
      '\u200F',
      '\u061C',
      '\u0085',
      '\u2029',
      '\r\n',
      ' ',
    ),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), (parts) => {
      const text = parts.join('').toWellFormed()
      expect(sanitizeSingleLine(text)).not.toMatch(/[\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}]/u)
      expect(sanitizeMultilineText(text)).not.toMatch(/\p{Bidi_Control}|(?![\n\t])\p{Cc}|[\p{Zl}\p{Zp}]/u)
      expect(sanitizeSingleLine(sanitizeSingleLine(text))).toBe(sanitizeSingleLine(text))
      expect(sanitizeMultilineText(sanitizeMultilineText(text))).toBe(sanitizeMultilineText(text))
    }),
  )
})
