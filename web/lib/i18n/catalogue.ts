import type { Sentence } from '#shared/sentence.ts'
import { textLanguage } from './locale.ts'
import type { Message } from './message.ts'
import { translateSentence, translator } from './translation.ts'

/** Values for the places of a text. */
export type MessageValues = Readonly<Record<string, string | number>>

/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/

/** A value that is written the other way must not turn the text around it. */
function isolated(value: string): string {
  return rightToLeft.test(value) ? `\u2068${value}\u2069` : value
}

const rules = new Intl.PluralRules(translator ? textLanguage : 'en')

/**
 * Makes the `t` of a catalogue: `t('sites.count', { count: 3 })`. Keys are checked by type; a place without a value
 * stays visible as `{name}` so that tests catch it. A room may have a catalogue of its own; texts stay in catalogues.
 */
export function createCatalogue<const C extends Readonly<Record<string, Message>>>(
  catalogue: C,
): (key: keyof C & string, values?: MessageValues) => string {
  return (key, values = {}) => {
    const english: Message = catalogue[key] as Message
    const message = translator ? translator(key, english) : english
    const form =
      typeof message === 'string' ? message : (message[rules.select(Number(values['count'] ?? 0))] ?? message.other)
    return form.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      Object.hasOwn(values, name) ? isolated(String(values[name])) : place,
    )
  }
}

/** A text of a description (labels of fields and actions, stored choices) in the reader's language; English is its key. */
export function described(english: string): string {
  return translator && english !== '' ? String(translator(english, english)) : english
}

/** A sentence of a shared rule in the reader's language. */
export function spoken(sentence: Sentence): string {
  return translateSentence?.(sentence) ?? sentence.text
}
