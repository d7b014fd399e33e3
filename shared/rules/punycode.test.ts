import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePunycode } from './punycode.ts'

test.each([
  ['mnchen-3ya', 'münchen'],
  ['bcher-kva', 'bücher'],
  ['fiqs8s', '中国'],
  ['80ak6aa92e', 'аррӏе'],
])('%s is %s', (encoded, letters) => expect(decodePunycode(encoded)).toBe(letters))

test.each(['', '-', 'abc-', 'zzzzzzzz99999', 'mnchen-3y!', '99999999'])('%j is nothing', (encoded) =>
  expect(decodePunycode(encoded)).toBeNull(),
)

test('what the platform encodes comes back', () => {
  const letter = fc.constantFrom(...'abcxyzäöüßéñçøłžşđ中国日本語한국어абвгдежαβγδεζאבגד')
  fc.assert(
    fc.property(fc.string({ unit: letter, minLength: 1, maxLength: 12 }), (text) => {
      if (!URL.canParse(`http://${text}.a/`)) return
      const label = new URL(`http://${text}.a/`).hostname.slice(0, -2)
      if (label.startsWith('xn--')) expect(decodePunycode(label.slice(4))).toBe(text.normalize('NFC'))
    }),
  )
})

test('any text gets an answer', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9-]{0,59}$/), (text) => {
      const decoded = decodePunycode(text)
      expect(decoded === null || decoded.isWellFormed()).toBe(true)
    }),
  )
})
