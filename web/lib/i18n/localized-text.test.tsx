import '#tests/web/pseudo-language.ts'
import { expect, test } from 'vitest'
import { untranslated, toDescriptor, msg } from '#shared/localized-message.ts'
import { localizedText } from './localized-text.tsx'

const full = msg`${'blog'} is full.`

test('a text with a descriptor is shown in the user’s language', () => {
  const localized = localizedText(full.text, toDescriptor(full))
  expect(localized).toEqual({ text: expect.stringMatching(/^\[blog íš ƒúļļ\.·+\]$/), lang: undefined })
})

test.each([
  ['without a descriptor', 'It is full.', null],
  ['third-party text', 'disk quota exceeded', toDescriptor(untranslated('disk quota exceeded'))],
])('%s: unchanged and marked as English for screen readers', (_case, text, descriptor) => {
  expect(localizedText(text, descriptor)).toEqual({ text, lang: 'en' })
})
