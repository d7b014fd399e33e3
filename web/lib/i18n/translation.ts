import type { SentenceTranslator } from './translate-sentence.ts'
import { pseudoLanguage, textLanguage } from './locale.ts'
import type { Translator } from './message.ts'

const loaded = await load()

/**
 * How texts are translated; null for English, which the catalogues carry themselves. Everything that draws waits for it,
 * so the code of a language must not import anything back from the app: the two would wait for one another.
 */
export const translator: Translator | null = loaded?.translate ?? null

/** How sentences of the server and of shared rules are, which come in parts; null for English. */
export const translateSentence: SentenceTranslator | null = loaded?.translateSentence ?? null

async function load(): Promise<{ translate: Translator; translateSentence: SentenceTranslator } | null> {
  if (textLanguage !== pseudoLanguage) return null
  document.documentElement.lang = textLanguage
  const [{ pseudoTranslator: translate }, { sentenceTranslator }] = await Promise.all([
    import('./pseudo-language.ts'),
    import('./translate-sentence.ts'),
  ])
  return { translate, translateSentence: sentenceTranslator(translate, textLanguage) }
}
