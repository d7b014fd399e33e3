import { translateSentence } from './translation.ts'

/** What was written down in English, as its reader gets it. */
export interface ToldText {
  text: string
  /** Set where only the English is known, so that a screen reader pronounces it as such. */
  lang: 'en' | undefined
}

/**
 * A sentence that was stored in English, in the reader's language where its parts were stored with it
 * (`docs/translating.md`). Without them the English stays, marked as English.
 */
export function toldText(text: string | null | undefined, parts: unknown): ToldText {
  const said = translateSentence?.(parts)
  return said ? { text: said, lang: undefined } : { text: text ?? '', lang: 'en' }
}

/** `toldText` as an element of its own. */
export function Told({ text, parts }: { text: string | null | undefined; parts: unknown }) {
  const told = toldText(text, parts)
  return <span lang={told.lang}>{told.text}</span>
}
