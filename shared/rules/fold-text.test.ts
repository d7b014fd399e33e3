import fc from 'fast-check'
import { expect, test } from 'vitest'
import { containsText, findText, foldText } from './fold-text.ts'

test.each([
  ['Bäckerei', 'backerei'],
  ['ÉCOLE', 'ecole'],
  ['Straße', 'strasse'],
  ['Ærøskøbing', 'aeroskobing'],
  ['Łódź', 'lodz'],
])('%s compares as %s', (text, folded) => {
  expect(foldText(text)).toBe(folded)
  expect(containsText(`In ${text}!`, ` ${folded.toUpperCase()} `)).toBe(true)
})

test.each([
  ['Anna Müller', 'muller', 'Müller'],
  ['Anna Mu\u0308ller', 'mu', 'Mu\u0308'],
  ['Straße 7', 'rass', 'raß'],
  ['𝒳 Żółw', 'ZOLW', 'Żółw'],
])('in %s, %s is found as %s', (text, wanted, marked) => {
  const found = findText(text, wanted)
  expect(found && text.slice(found.start, found.end)).toBe(marked)
})

test('nothing is found for no text, and where it is not', () => {
  expect([findText('blog', '  '), findText('blog', 'shop')]).toEqual([null, null])
})

test('every part of a text is found in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), fc.nat(20), (text, start, length) => {
      const part = text.slice(start, start + length).trim()
      fc.pre(part.isWellFormed() && foldText(part) !== '')
      // A part that begins with a mark is none of a reader's.
      fc.pre(!/^[\u0300-\u036F]/.test(part))
      expect(containsText(text, part)).toBe(true)
      expect(findText(text, part)).not.toBeNull()
    }),
  )
})
