import { descriptorIn } from '#shared/localized-message.ts'
import { translateMessage } from './translation.ts'

/** A text stored in English, localized for the user. */
export interface Localized {
  text: string
  /** Set if only English is available, so that screen readers pronounce it correctly. */
  lang: 'en' | undefined
}

/**
 * Localizes a stored English sentence if its i18n were stored with it (`docs/translating.md`). Otherwise returns the
 * English text, marked as English. Third-party texts, which have no translation, are marked as English too.
 */
export function localizedText(text: string | null | undefined, i18n: unknown): Localized {
  const translated = translateMessage?.(i18n)
  return translated ? { text: translated, lang: isForeign(i18n) ? 'en' : undefined } : { text: text ?? '', lang: 'en' }
}

/** Whether a sentence consists only of third-party text (`foreign` in `shared/localized-message.ts`). */
function isForeign(i18n: unknown): boolean {
  const { id, values = [] } = descriptorIn(i18n) ?? {}
  return id === '{0}' && values.length === 1 && typeof values[0] === 'string'
}

/** Renders `localizedText` as an element. */
export function LocalizedText({ text, i18n }: { text: string | null | undefined; i18n: unknown }) {
  const localized = localizedText(text, i18n)
  return <span lang={localized.lang}>{localized.text}</span>
}
