import { partsIn } from '#shared/sentence.ts'
import { translateSentence } from './translation.ts'

/** A text stored in English, localized for the user. */
export interface ToldText {
  text: string
  /** Set if only English is available, so that screen readers pronounce it correctly. */
  lang: 'en' | undefined
}

/**
 * Localizes a stored English sentence if its parts were stored with it (`docs/translating.md`). Otherwise returns the
 * English text, marked as English. Third-party texts, which have no translation, are marked as English too.
 */
export function toldText(text: string | null | undefined, parts: unknown): ToldText {
  const said = translateSentence?.(parts)
  return said ? { text: said, lang: isForeign(parts) ? 'en' : undefined } : { text: text ?? '', lang: 'en' }
}

/** Whether a sentence consists only of third-party text (`foreign` in `shared/sentence.ts`). */
function isForeign(parts: unknown): boolean {
  const { id, values = [] } = partsIn(parts) ?? {}
  return id === '{0}' && values.length === 1 && typeof values[0] === 'string'
}

/** Renders `toldText` as an element. */
export function Told({ text, parts }: { text: string | null | undefined; parts: unknown }) {
  const told = toldText(text, parts)
  return <span lang={told.lang}>{told.text}</span>
}
