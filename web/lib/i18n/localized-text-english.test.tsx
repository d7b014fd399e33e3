import { expect, test } from 'vitest'
import { toDescriptor, msg } from '#shared/localized-message.ts'
import { localizedText } from './localized-text.tsx'

test('with English as the language, stored texts are shown unchanged', () => {
  const full = msg`${'blog'} is full.`
  expect(localizedText(full.text, toDescriptor(full))).toEqual({ text: full.text, lang: 'en' })
  expect(localizedText(null, null)).toEqual({ text: '', lang: 'en' })
})
