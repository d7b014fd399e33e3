import type { Message } from './catalogue.ts'
import { pseudoLanguage, textLanguage } from './locale.ts'

/** Gives the text of a key in the reader's language; `english` is the catalogue's own. */
export type Translator = (key: string, english: Message) => Message

/**
 * How texts are translated; null for English, which the catalogues carry themselves. Everything that draws waits for it,
 * so the code of a language must not import anything back from the app: the two would wait for one another.
 */
export const translator: Translator | null = await load()

async function load(): Promise<Translator | null> {
  if (textLanguage !== pseudoLanguage) return null
  document.documentElement.lang = textLanguage
  const { pseudoMessage } = await import('./pseudo-language.ts')
  return (_key, english) => pseudoMessage(english)
}
