/**
 * Translatable sentences. The fixed part is an English template, which is also the key of its translations (as in gettext);
 * the values are kept separately. The server writes English; the web app renders the sentence in the user's language from
 * its parts (`web/lib/i18n/translate-sentence.ts`).
 */

/** The fixed part; `{0}`, `{1}` … are placeholders for the values. Two forms if the words depend on a number. */
export type Template = string | { readonly one: string; readonly other: string }

/** A name or number as is, or a sentence or word to translate. */
type SentenceItem = string | number | Sentence

/** A placeholder's value: one item, or a list of them. */
export type SentenceValue = SentenceItem | readonly SentenceItem[]

declare const made: unique symbol

/**
 * A sentence as English text and as parts. Created only by the functions in this file, so that every template is in the
 * source code.
 */
export interface Sentence {
  /** Complete English text. */
  readonly text: string
  readonly template: Template
  readonly values: readonly SentenceValue[]
  /** Selects the plural form of the template. */
  readonly count?: number
  readonly [made]: true
}

/** The parts as serialized, including nested sentences but without their English text. `values` is omitted if empty. */
export interface SentenceParts {
  readonly template: Template
  readonly values?: readonly unknown[]
  readonly count?: number
}

function sentence(parts: Omit<Sentence, typeof made>): Sentence {
  return parts as Sentence
}

/** Whether a value is a sentence. */
export function isSentence(value: unknown): value is Sentence {
  return typeof value === 'object' && value !== null && 'template' in value && 'values' in value && 'text' in value
}

function english(value: SentenceValue): string {
  if (typeof value !== 'object') return String(value)
  return isSentence(value) ? value.text : value.map(english).join(', ')
}

/**
 * Creates a sentence from a template literal: say`Server ${name} not found`. Placeholders stand for whole words, never for
 * parts of them.
 */
export function say(fixed: TemplateStringsArray, ...values: readonly SentenceValue[]): Sentence {
  const filled = (place: (at: number) => string): string =>
    fixed.map((part, at) => (at === 0 ? part : place(at - 1) + part)).join('')
  return sentence({
    text: filled((at) => english(values[at] ?? '')),
    template: filled((at) => `{${at}}`),
    values,
  })
}

/** A sentence with singular and plural forms. Both forms have the same values in the same order. */
export function plural(count: number, one: Sentence, other: Sentence): Sentence {
  if (typeof one.template !== 'string' || typeof other.template !== 'string')
    throw new TypeError('A form by number has no forms itself.')
  return sentence({
    text: (count === 1 ? one : other).text,
    template: { one: one.template, other: other.template },
    values: other.values,
    count,
  })
}

/**
 * A word or sentence from a description (label of a field or action, choice, reason), translated like the description
 * itself. Never use it for user input, which is a value.
 */
export function term(described: string): Sentence {
  return sentence({ text: described, template: described, values: [] })
}

/**
 * The label of a job or step as stored, with its values extracted again: the title of its document, and versions. "Switch
 * blog to PHP 8.5" is translated as `Switch {0} to PHP {1}`.
 */
export function stored(label: string, title?: string | null): Sentence {
  const at = title ? label.indexOf(title) : -1
  const values: string[] = []
  const place = (value: string): string => `{${values.push(value) - 1}}`
  const withPlaces = (part: string): string =>
    part.replaceAll(/\d+(?:\.\d+)?/g, (number) => (number.includes('.') ? place(number) : number))
  const template =
    title && at >= 0
      ? withPlaces(label.slice(0, at)) + place(title) + withPlaces(label.slice(at + title.length))
      : withPlaces(label)
  return sentence({ text: label, template, values })
}

/** English text of a sentence, built from its parts. */
function filled(template: Template, values: readonly SentenceValue[], count?: number): string {
  const fixed = typeof template === 'string' ? template : count === 1 ? template.one : template.other
  return fixed.replaceAll(/\{(\d+)\}/g, (place, at: string) => english(values[Number(at)] ?? place))
}

/** Text that isn't ours and has no translation, such as the output of a program or a vendor's message. */
export function foreign(text: string): Sentence {
  return sentence({ text, template: '{0}', values: [text] })
}

/** Restores a sentence that was stored as English text and parts. Without parts, the text is treated as foreign. */
export function restored(text: string, parts: SentenceParts | null | undefined): Sentence {
  if (!parts) return foreign(text)
  return sentence({ ...revived(parts), text })
}

function isParts(value: unknown): value is SentenceParts {
  return typeof value === 'object' && value !== null && 'template' in value
}

function revived({ template, values: wired, count }: SentenceParts): Sentence {
  const itemOf = (value: unknown): SentenceItem => {
    if (typeof value === 'number') return value
    return isParts(value) ? revived(value) : String(value)
  }
  const values = (wired ?? []).map((value) => (Array.isArray(value) ? value.map(itemOf) : itemOf(value)))
  return sentence({ text: filled(template, values, count), template, values, ...(count !== undefined && { count }) })
}

/** Replaces the texts among the sentence's values, including nested sentences. Numbers and the template stay. */
export function withTexts(of: Sentence, change: (text: string) => string): Sentence {
  const changed = (value: SentenceItem): SentenceItem => {
    if (typeof value === 'string') return change(value)
    return typeof value === 'number' ? value : withTexts(value, change)
  }
  const values = of.values.map((value) =>
    typeof value === 'object' && !isSentence(value) ? value.map(changed) : changed(value),
  )
  return sentence({ ...of, text: filled(of.template, values, of.count), values })
}

/** The two fields of a document that hold a sentence. */
export type Written<Field extends string> = Record<Field, string | null> &
  Record<`${Field}_parts`, SentenceParts | null>

/** Maximum length of a sentence's parts as JSON, in characters: program output can be of any length. */
const mostParts = 4000

/** Text a database accepts: no NUL and no unpaired surrogates. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/**
 * Serializes a sentence for storage: its English text in the field, cut to `most` characters, and its parts in
 * `<field>_parts`. Always write both fields with this function. Parts that are too long are replaced by those of the cut
 * text.
 */
export function written<Field extends string>(field: Field, said: Sentence | null, most = 500): Written<Field> {
  const pair = (text: string | null, parts: SentenceParts | null) =>
    ({ [field]: text, [`${field}_parts`]: parts }) as Written<Field>
  if (said === null) return pair(null, null)
  const text = storable(said.text.slice(0, most))
  const parts = partsOf(withTexts(said, storable))
  const isShort = JSON.stringify(parts).length <= mostParts
  return pair(text, isShort ? parts : partsOf(foreign(text)))
}

/** Serializes a sentence's parts for API responses. */
export function partsOf({ template, values, count }: Sentence): SentenceParts {
  const wired = (value: SentenceValue): unknown =>
    typeof value !== 'object' ? value : isSentence(value) ? partsOf(value) : value.map(wired)
  return {
    template,
    ...(values.length > 0 && { values: values.map(wired) }),
    ...(count !== undefined && { count }),
  }
}
