/** Plural forms of a text by `count`: English has two, other languages those of `Intl.PluralRules`. */
export interface Forms extends Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> {
  readonly one: string
  readonly other: string
}

/** A text, or its plural forms. `{name}` is a placeholder. */
export type Message = string | Forms

/** Returns the text of a key in the user's language; `english` is the catalog's text. */
export type Translator = (key: string, english: Message) => Message
