import { expect, test, vi } from 'vitest'
import { createMessageFormat } from '#shared/message-format.ts'
import { untranslated, descriptorIn, toDescriptor, msg } from '#shared/localized-message.ts'
import { pseudoTranslator } from './pseudo-language.ts'
import { localizedText } from './localized-text.tsx'
import { messageTranslator } from './translate-message.ts'
import type * as Translation from './translation.ts'

const language = vi.hoisted(() => ({ translateMessage: null as typeof Translation.translateMessage }))
vi.mock('./translation.ts', () => ({
  translator: null,
  get translateMessage() {
    return language.translateMessage
  },
}))

const full = msg`${'blog'} is full.`

test('what came in parts is said in the reader’s language', () => {
  language.translateMessage = messageTranslator({
    translate: pseudoTranslator,
    descriptorIn,
    format: createMessageFormat('en'),
  })
  const said = localizedText(full.text, toDescriptor(full))
  expect(said).toEqual({ text: expect.stringMatching(/^\[blog íš ƒúļļ\.·+\]$/), lang: undefined })
})

test.each([
  ['without parts', 'It is full.', null],
  ['words of others', 'disk quota exceeded', toDescriptor(untranslated('disk quota exceeded'))],
])('%s: as it was written, told apart for screen readers', (_case, text, parts) => {
  language.translateMessage = messageTranslator({
    translate: pseudoTranslator,
    descriptorIn,
    format: createMessageFormat('en'),
  })
  expect(localizedText(text, parts)).toEqual({ text, lang: 'en' })
})

test('without a language everything is English', () => {
  language.translateMessage = null
  expect(localizedText(full.text, toDescriptor(full))).toEqual({ text: full.text, lang: 'en' })
  expect(localizedText(null, null)).toEqual({ text: '', lang: 'en' })
})
