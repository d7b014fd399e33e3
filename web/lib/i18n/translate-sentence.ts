/**
 * Localizes the server's sentences from their parts (`shared/sentence.ts`). Not loaded for English. Imports types only: the app
 * waits for this module (`translation.ts`).
 */
import type { Translator } from './message.ts'

/** Builds a sentence from its parts as the API sends them; null if the value isn't a sentence. */
export type SentenceTranslator = (said: unknown) => string | null

/** Creates a sentence translator. `language` determines the plural rules. */
export function sentenceTranslator(translate: Translator, language: string): SentenceTranslator {
  const rules = new Intl.PluralRules(language)

  const templateOf = (template: unknown, count: unknown): string | null => {
    // Only third-party text: nothing to translate.
    if (template === '' || template === '{0}') return template
    if (typeof template === 'string') return formOf(translate(template, template), count)
    if (typeof template !== 'object' || template === null) return null
    if (!('one' in template && 'other' in template)) return null
    const { one, other } = template
    return typeof one === 'string' && typeof other === 'string' ? formOf(translate(other, { one, other }), count) : null
  }
  const formOf = (message: ReturnType<Translator>, count: unknown): string =>
    typeof message === 'string' ? message : (message[rules.select(Number(count))] ?? message.other)
  const valueOf = (value: unknown): string =>
    Array.isArray(value) ? value.map(valueOf).join(', ') : (sentenceOf(value) ?? String(value))
  const sentenceOf = (said: unknown): string | null => {
    if (typeof said !== 'object' || said === null || !('template' in said)) return null
    const { template, values = [], count }: { template: unknown; values?: unknown; count?: unknown } = said
    const given: readonly unknown[] = Array.isArray(values) ? values : []
    return (
      templateOf(template, count)?.replaceAll(/\{(\d+)\}/g, (place, at: string) =>
        Number(at) < given.length ? valueOf(given[Number(at)]) : place,
      ) ?? null
    )
  }
  return sentenceOf
}
