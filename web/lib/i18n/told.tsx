import { translateSentence } from './translation.ts'

/** What was written down in English, as its reader gets it. */
export interface ToldText {
  text: string
  /** Set where only the English is known, so that a screen reader pronounces it as such. */
  lang: 'en' | undefined
}

/**
 * A sentence that was stored in English, in the reader's language where its parts were stored with it
 * (`docs/translating.md`). Without them the English stays, marked as English; so do words of others, which are in none of our languages.
 */
export function toldText(text: string | null | undefined, parts: unknown): ToldText {
  const said = translateSentence?.(parts)
  return said ? { text: said, lang: isForeign(parts) ? 'en' : undefined } : { text: text ?? '', lang: 'en' }
}

/** Whether a sentence is nothing but words that are not ours (`foreign` in `shared/sentence.ts`). */
function isForeign(parts: unknown): boolean {
  if (typeof parts !== 'object' || parts === null || !('template' in parts && 'values' in parts)) return false
  const { template, values } = parts
  return template === '{0}' && Array.isArray(values) && values.length === 1 && typeof values[0] === 'string'
}

/** `toldText` as an element of its own. */
export function Told({ text, parts }: { text: string | null | undefined; parts: unknown }) {
  const told = toldText(text, parts)
  return <span lang={told.lang}>{told.text}</span>
}
