import type { LocalizedMessage } from '#shared/localized-message.ts'
import { formatMessage, type MessageValues } from './format-message.ts'
import { translateMessage, translator } from './translation.ts'

export type { MessageValues }

/**
 * Creates the `t` of a catalog of ICU messages: `t('sites.count', { count: 3 })`. Keys are type-checked. Each feature can
 * have its own catalog; texts belong in catalogs.
 */
export function createCatalog<const C extends Readonly<Record<string, string>>>(
  catalog: C,
): (key: keyof C & string, values?: MessageValues) => string {
  return (key, values = {}) => {
    const english = catalog[key] ?? key
    return formatMessage(translator?.(english) ?? english, values)
  }
}

/**
 * Translates a text of a description (labels of fields and actions, stored choices). The English text is the key. `values`
 * fill in its placeholders, if it has some.
 */
export function translateText(english: string, values?: MessageValues): string {
  if (!translator && !values) return english
  return english === '' ? '' : formatMessage(translator?.(english) ?? english, values ?? {})
}

/** Translates a sentence of a shared rule. */
export function messageText(localized: LocalizedMessage): string {
  return translateMessage?.(localized) ?? localized.text
}
