import type { Sentence } from '#shared/sentence.ts'
import { textLanguage } from './locale.ts'
import type { Message } from './message.ts'
import { translateSentence, translator } from './translation.ts'

/** Values for the placeholders of a text. */
export type MessageValues = Readonly<Record<string, string | number>>

/** Right-to-left characters. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/

/** Isolates right-to-left values so that they don't reorder the surrounding text. */
function isolated(value: string): string {
  return rightToLeft.test(value) ? `\u2068${value}\u2069` : value
}

const rules = new Intl.PluralRules(translator ? textLanguage : 'en')

/**
 * Creates the `t` of a catalog: `t('sites.count', { count: 3 })`. Keys are type-checked. A placeholder without a value
 * stays visible as `{name}`, so that tests catch it. Each feature can have its own catalog; texts belong in catalogs.
 */
export function createCatalog<const C extends Readonly<Record<string, Message>>>(
  catalog: C,
): (key: keyof C & string, values?: MessageValues) => string {
  return (key, values = {}) => {
    const english: Message = catalog[key] ?? key
    const message = translator ? translator(key, english) : english
    const form =
      typeof message === 'string' ? message : (message[rules.select(Number(values['count'] ?? 0))] ?? message.other)
    return form.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      Object.hasOwn(values, name) ? isolated(String(values[name])) : place,
    )
  }
}

/** Translates a text of a description (labels of fields and actions, stored choices). The English text is the key. */
export function described(english: string): string {
  return translator && english !== '' ? String(translator(english, english)) : english
}

/** Translates a sentence of a shared rule. */
export function spoken(sentence: Sentence): string {
  return translateSentence?.(sentence) ?? sentence.text
}
