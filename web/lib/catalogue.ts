import { textLanguage } from './locale.ts'
import { translator } from './translation.ts'

/** A text, or its forms by number (`count`). `{name}` marks a place for a value. */
export type Message = string | { readonly one: string; readonly other: string }

/** Values for the places of a text. */
export type MessageValues = Readonly<Record<string, string | number>>

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
      typeof message === 'string'
        ? message
        : message[rules.select(Number(values['count'] ?? 0)) === 'one' ? 'one' : 'other']
    return form.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : place,
    )
  }
}

/** A text of a description (labels of fields and actions, stored choices) in the reader's language; English is its key. */
export function described(english: string): string {
  return translator && english !== '' ? String(translator(english, english)) : english
}
