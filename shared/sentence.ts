/**
 * Sentences for people that can be said in every language. What is fixed in a sentence is its English template, which is
 * also the key of its translations (as in gettext); what is not stands beside it. The server speaks English; the web app
 * says the same in the reader's language from the parts (`web/lib/i18n/translate-sentence.ts`).
 */

/** The fixed part: `{0}`, `{1}` … are the places of the values. Two forms where the words depend on a number. */
export type Template = string | { readonly one: string; readonly other: string }

/** What stands in a place: a name or number as it is, a sentence or word that is translated, or several of these. */
export type SentenceValue = string | number | Sentence | readonly (string | number | Sentence)[]

declare const made: unique symbol

/** A sentence in English and in parts. Only the functions here make one: its template stands in the source. */
export interface Sentence {
  /** In English, whole. */
  readonly text: string
  readonly template: Template
  readonly values: readonly SentenceValue[]
  /** What decides between the forms of the template. */
  readonly count?: number
  readonly [made]: true
}

/** The parts as they travel: nested sentences too, without their English. No `values` when there is none. */
export interface SentenceParts {
  readonly template: Template
  readonly values?: readonly unknown[]
  readonly count?: number
}

function sentence(parts: Omit<Sentence, typeof made>): Sentence {
  return parts as Sentence
}

/** Whether a value is a sentence, whatever it was thrown or handed over as. */
export function isSentence(value: unknown): value is Sentence {
  return typeof value === 'object' && value !== null && 'template' in value && 'values' in value && 'text' in value
}

function english(value: SentenceValue): string {
  if (typeof value !== 'object') return String(value)
  return isSentence(value) ? value.text : value.map(english).join(', ')
}

/** A sentence by its template: say`Server ${name} not found`. The places stand for whole words, never for parts of them. */
export function say(fixed: TemplateStringsArray, ...values: readonly SentenceValue[]): Sentence {
  const filled = (place: (at: number) => string): string =>
    fixed.map((part, at) => (at === 0 ? part : place(at - 1) + part)).join('')
  return sentence({
    text: filled((at) => english(values[at] as SentenceValue)),
    template: filled((at) => `{${at}}`),
    values,
  })
}

/** A sentence whose words depend on a number. Both forms have the same values in the same order. */
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
 * A word or sentence of a description (label of a field or action, stored choice, reason), which is translated like the
 * description itself. Never for what somebody typed: that is a value.
 */
export function term(described: string): Sentence {
  return sentence({ text: described, template: described, values: [] })
}

/**
 * The label of a job or step as it was stored. What was put into it is a value again: the title of its document, and versions.
 * "Switch blog to PHP 8.5" is found under `Switch {0} to PHP {1}`.
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

/** The English of a sentence from its parts. */
function filled(template: Template, values: readonly SentenceValue[], count?: number): string {
  const fixed = typeof template === 'string' ? template : count === 1 ? template.one : template.other
  return fixed.replaceAll(/\{(\d+)\}/g, (place, at: string) =>
    Number(at) < values.length ? english(values[Number(at)] as SentenceValue) : place,
  )
}

/** Words that are not ours and have no translation: what a program or a vendor said. */
export function foreign(text: string): Sentence {
  return sentence({ text, template: '{0}', values: [text] })
}

/** A sentence that was stored as its English and its parts; what has no parts is taken for foreign words. */
export function restored(text: string, parts: SentenceParts | null | undefined): Sentence {
  if (!parts) return foreign(text)
  return sentence({ ...revived(parts), text })
}

function revived({ template, values: wired, count }: SentenceParts): Sentence {
  const valueOf = (value: unknown): SentenceValue => {
    if (Array.isArray(value)) return value.map(valueOf) as (string | number | Sentence)[]
    return typeof value === 'object' && value !== null ? revived(value as SentenceParts) : (value as string | number)
  }
  const values = (wired ?? []).map(valueOf)
  return sentence({ text: filled(template, values, count), template, values, ...(count !== undefined && { count }) })
}

/** The same sentence with other texts in its places, in nested sentences too; numbers and what is fixed stay. */
export function withTexts(of: Sentence, change: (text: string) => string): Sentence {
  const changed = (value: SentenceValue): SentenceValue => {
    if (typeof value === 'string') return change(value)
    if (typeof value === 'number') return value
    return isSentence(value) ? withTexts(value, change) : (value.map(changed) as (string | number | Sentence)[])
  }
  const values = of.values.map(changed)
  return sentence({ ...of, text: filled(of.template, values, of.count), values })
}

/** The fields of a document that hold a sentence. */
export type Written<Field extends string> = Record<Field, string | null> &
  Record<`${Field}_parts`, SentenceParts | null>

/** Most characters of a sentence's parts as JSON: what a program said may be of any length. */
const mostParts = 4000

/** What a database takes: no NUL and no half of a character. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/**
 * A sentence as it is stored to be read later: its English in the field, cut to `most` characters, and its parts beside it in
 * `<field>_parts`. Whoever writes the field writes both by this. Parts that are too long are those of the cut words.
 */
export function written<Field extends string>(field: Field, said: Sentence | null, most = 500): Written<Field> {
  if (said === null) return { [field]: null, [`${field}_parts`]: null } as Written<Field>
  const text = storable(said.text.slice(0, most))
  const parts = partsOf(withTexts(said, storable))
  const isShort = JSON.stringify(parts).length <= mostParts
  return { [field]: text, [`${field}_parts`]: isShort ? parts : partsOf(foreign(text)) } as Written<Field>
}

/** A sentence's parts, for the wire. */
export function partsOf({ template, values, count }: Sentence): SentenceParts {
  const wired = (value: SentenceValue): unknown =>
    typeof value !== 'object' ? value : isSentence(value) ? partsOf(value) : value.map(wired)
  return {
    template,
    ...(values.length > 0 && { values: values.map(wired) }),
    ...(count !== undefined && { count }),
  }
}
