import type { SentenceTranslator } from './translate-sentence.ts'
import { partsIn } from '#shared/sentence.ts'
import { format } from './format-message.ts'
import { pseudoLanguage, textLanguage } from './locale.ts'
import type { Translator } from './message.ts'

const loaded = await load()

/**
 * Translates texts; null for English, which is in the catalogs. All rendering waits for this module, so a language's code
 * must not import from the app: the circular import would deadlock.
 */
export const translator: Translator | null = loaded?.translate ?? null

/** Translates sentences of the server and of shared rules, which come in parts; null for English. */
export const translateSentence: SentenceTranslator | null = loaded?.translateSentence ?? null

async function load(): Promise<{ translate: Translator; translateSentence: SentenceTranslator } | null> {
  if (textLanguage !== pseudoLanguage) return null
  document.documentElement.lang = textLanguage
  const [{ pseudoTranslator: translate }, { sentenceTranslator }] = await Promise.all([
    import('./pseudo-language.ts'),
    import('./translate-sentence.ts'),
  ])
  return { translate, translateSentence: sentenceTranslator({ translate, partsIn, format }) }
}
