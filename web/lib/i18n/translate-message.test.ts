import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMessageFormat } from '#shared/message-format.ts'
import { descriptorIn, toDescriptor, plural, msg, jobLabelMessage, labelMessage } from '#shared/localized-message.ts'
import type { Translator } from './message.ts'
import { pseudoTranslator } from './pseudo-language.ts'
import { messageTranslator } from './translate-message.ts'

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const asIs: Translator = (english) => english
const translatorOf = (translate: Translator, language: string) =>
  messageTranslator({ translate, descriptorIn, format: createMessageFormat(language) })

/** A language with four plural forms and a different word order. */
const polish: Readonly<Record<string, string>> = {
  '{0} has {1}.': 'U {0}: {1}.',
  '{count, plural, one {{0} site} other {{0} sites}}':
    '{count, plural, one {{0} strona} few {{0} strony} many {{0} stron} other {{0} strony}}',
  Plan: 'Plan taryfowy',
}
const toPolish: Translator = (english) => polish[english] ?? english

const sites = (count: number) => plural(count, msg`${count} site`, msg`${count} sites`)

describe('translateMessage', () => {
  test('returns the English text if there is no translation, whatever it contains', () => {
    const english = translatorOf(asIs, 'en')
    const text = fc.oneof(fc.string(), fc.constantFrom('{0}', '{1}', '$&', '<b>', "'{0}", "''", '}', '8.5'))
    fc.assert(
      fc.property(text, text, fc.nat(3), (a, b, count) => {
        for (const localized of [
          msg`${a} of ${[b, msg`(${a})`]}`,
          msg`No place.`,
          jobLabelMessage(`Create ${a}!`, a),
          jobLabelMessage(`Create ${a}!`, b),
          msg`Waiting: ${jobLabelMessage(a)}`,
          labelMessage(a),
          sites(count),
        ])
          expect(english(throughJson(toDescriptor(localized)))).toBe(localized.text)
      }),
    )
  })

  test('supports other word orders and plural forms', () => {
    const say0 = (count: number) =>
      translatorOf(toPolish, 'pl')(throughJson(toDescriptor(msg`${labelMessage('Plan')} has ${sites(count)}.`)))
    expect([1, 2, 5].map(say0)).toEqual([
      'U Plan taryfowy: 1 strona.',
      'U Plan taryfowy: 2 strony.',
      'U Plan taryfowy: 5 stron.',
    ])
  })

  test('keeps values unchanged and translates the messages among them', () => {
    const made = translatorOf(pseudoTranslator, 'en')
    expect(made(throughJson(toDescriptor(msg`${'ann'} is ${labelMessage('Live')}`)))).toMatch(
      /^\[ann íš \[Ļíṽé··\]·+\]$/,
    )
  })

  test.each([null, undefined, 'text', 7, [], {}, { id: 7 }])('%j is not a message', (stored) =>
    expect(translatorOf(asIs, 'en')(stored)).toBeNull(),
  )

  test('returns the English text if a value is missing', () => {
    expect(translatorOf(asIs, 'en')({ id: '{0} and {1}', values: ['a'] })).toBeNull()
    expect(translatorOf(asIs, 'en')({ id: '{0}', values: 'abc' })).toBeNull()
    expect(translatorOf(() => '{broken', 'en')({ id: 'Fine' })).toBeNull()
    expect(translatorOf(asIs, 'en')({ id: 'Step {0}', values: [{ id: '{broken' }] })).toBeNull()
  })
})
