/**
 * Sentences for people that can be said in every language. What is fixed in a sentence is its English template, which is
 * also the key of its translations (as in gettext); what is not stands beside it. The server speaks English; the web app
 * says the same in the reader's language from the parts (`web/lib/translate-sentence.ts`).
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

function isSentence(value: SentenceValue): value is Sentence {
  return typeof value === 'object' && 'template' in value
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
  const withPlaces = (part: string): string => part.replaceAll(/\d+\.\d+/g, place)
  const template =
    title && at >= 0
      ? withPlaces(label.slice(0, at)) + place(title) + withPlaces(label.slice(at + title.length))
      : withPlaces(label)
  return sentence({ text: label, template, values })
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
