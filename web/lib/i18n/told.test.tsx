import { expect, test, vi } from 'vitest'
import { createMessageFormat } from '#shared/message-format.ts'
import { foreign, partsIn, partsOf, say } from '#shared/sentence.ts'
import { pseudoTranslator } from './pseudo-language.ts'
import { toldText } from './told.tsx'
import { sentenceTranslator } from './translate-sentence.ts'
import type * as Translation from './translation.ts'

const language = vi.hoisted(() => ({ translateSentence: null as typeof Translation.translateSentence }))
vi.mock('./translation.ts', () => ({
  translator: null,
  get translateSentence() {
    return language.translateSentence
  },
}))

const full = say`${'blog'} is full.`

test('what came in parts is said in the reader’s language', () => {
  language.translateSentence = sentenceTranslator({
    translate: pseudoTranslator,
    partsIn,
    format: createMessageFormat('en'),
  })
  const said = toldText(full.text, partsOf(full))
  expect(said).toEqual({ text: expect.stringMatching(/^\[blog íš ƒúļļ\.·+\]$/), lang: undefined })
})

test.each([
  ['without parts', 'It is full.', null],
  ['words of others', 'disk quota exceeded', partsOf(foreign('disk quota exceeded'))],
])('%s: as it was written, told apart for screen readers', (_case, text, parts) => {
  language.translateSentence = sentenceTranslator({
    translate: pseudoTranslator,
    partsIn,
    format: createMessageFormat('en'),
  })
  expect(toldText(text, parts)).toEqual({ text, lang: 'en' })
})

test('without a language everything is English', () => {
  language.translateSentence = null
  expect(toldText(full.text, partsOf(full))).toEqual({ text: full.text, lang: 'en' })
  expect(toldText(null, null)).toEqual({ text: '', lang: 'en' })
})
