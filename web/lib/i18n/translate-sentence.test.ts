import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMessageFormat } from '#shared/message-format.ts'
import { partsIn, partsOf, plural, say, stored, term } from '#shared/sentence.ts'
import type { Translator } from './message.ts'
import { pseudoTranslator } from './pseudo-language.ts'
import { sentenceTranslator } from './translate-sentence.ts'

const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const asIs: Translator = (english) => english
const translatorOf = (translate: Translator, language: string) =>
  sentenceTranslator({ translate, partsIn, format: createMessageFormat(language) })

/** A language with four plural forms and a different word order. */
const polish: Readonly<Record<string, string>> = {
  '{0} has {1}.': 'U {0}: {1}.',
  '{count, plural, one {{0} site} other {{0} sites}}':
    '{count, plural, one {{0} strona} few {{0} strony} many {{0} stron} other {{0} strony}}',
  Plan: 'Plan taryfowy',
}
const toPolish: Translator = (english) => polish[english] ?? english

const sites = (count: number) => plural(count, say`${count} site`, say`${count} sites`)

describe('a sentence in another language', () => {
  test('is the English one where nothing is translated, whatever stands in it', () => {
    const english = translatorOf(asIs, 'en')
    const text = fc.oneof(fc.string(), fc.constantFrom('{0}', '{1}', '$&', '<b>'))
    fc.assert(
      fc.property(text, text, fc.nat(3), (a, b, count) => {
        for (const sentence of [
          say`${a} of ${[b, say`(${a})`]}`,
          say`No place.`,
          stored(`Create ${a}!`, a),
          sites(count),
        ])
          expect(english(overTheWire(partsOf(sentence)))).toBe(sentence.text)
      }),
    )
  })

  test('has its own order and as many forms by number as it needs', () => {
    const say0 = (count: number) =>
      translatorOf(toPolish, 'pl')(overTheWire(partsOf(say`${term('Plan')} has ${sites(count)}.`)))
    expect([1, 2, 5].map(say0)).toEqual([
      'U Plan taryfowy: 1 strona.',
      'U Plan taryfowy: 2 strony.',
      'U Plan taryfowy: 5 stron.',
    ])
  })

  test('keeps values as they are and translates the words among them', () => {
    const made = translatorOf(pseudoTranslator, 'en')
    expect(made(overTheWire(partsOf(say`${'ann'} is ${term('Live')}`)))).toMatch(/^\[ann íš \[Ļíṽé··\]·+\]$/)
  })

  test.each([
    null,
    undefined,
    'text',
    7,
    [],
    {},
    { id: 7 },
    { template: 7 },
    { template: null },
    { template: { one: 'a' } },
    { template: { one: 1, other: 2 } },
  ])('%j is none', (said) => expect(translatorOf(asIs, 'en')(said)).toBeNull())

  test('without all its values is none: its English text stands instead', () => {
    expect(translatorOf(asIs, 'en')({ id: '{0} and {1}', values: ['a'] })).toBeNull()
    expect(translatorOf(asIs, 'en')({ id: '{0}', values: 'abc' })).toBeNull()
    expect(translatorOf(() => '{broken', 'en')({ id: 'Fine' })).toBeNull()
  })
})
