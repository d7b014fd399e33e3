/** Forms of a text by number (`count`): English has two, other languages those of `Intl.PluralRules`. */
export interface Forms extends Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> {
  readonly one: string
  readonly other: string
}

/** A text, or its forms. `{name}` marks a place for a value. */
export type Message = string | Forms

/** Gives the text of a key in the reader's language; `english` is the catalogue's own. */
export type Translator = (key: string, english: Message) => Message
