/**
 * Localizes the server's sentences from their parts (`shared/sentence.ts`). Not loaded for English. Imports types only: the app
 * waits for this module (`translation.ts`).
 */
import type { MessageFormat } from '#shared/message-format.ts'
import type { SentenceParts } from '#shared/sentence.ts'
import type { Translator } from './message.ts'

/** Builds a sentence from its parts as the API sends them; null if the value isn't a sentence. */
export type SentenceTranslator = (said: unknown) => string | null

/** What the translator of sentences works with. */
export interface SentenceTools {
  translate: Translator
  /** The parts in a value; null if it holds none. */
  partsIn: (value: unknown) => SentenceParts | null
  /** Throws if the message is not valid or a value is missing. */
  format: MessageFormat
}

/** Creates a sentence translator. A sentence that cannot be built has its English text instead. */
export function sentenceTranslator({ translate, partsIn, format }: SentenceTools): SentenceTranslator {
  const valueOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(valueOf).join(', ')
    const parts = partsIn(value)
    return parts === null ? String(value) : textOf(parts)
  }
  const textOf = ({ id, values = [], count }: SentenceParts): string => {
    const given: Record<string, string | number> = Object.fromEntries(values.map((value, at) => [at, valueOf(value)]))
    if (count !== undefined) given['count'] = count
    // Only third-party text has nothing to translate.
    return format(id === '' || id === '{0}' ? id : translate(id), given)
  }
  return (said) => {
    const parts = partsIn(said)
    try {
      return parts === null ? null : textOf(parts)
    } catch {
      return null
    }
  }
}
