/**
 * Translatable sentences. The fixed part is an English ICU message, which is also its id (as in gettext); the values are kept
 * separately. The server writes English; the web app renders the sentence in the user's language from
 * its parts (`web/lib/i18n/translate-message.ts`).
 */
import { namedLabel } from './rules/job-labels.ts'
import { createMessageFormat, literalMessage } from './message-format.ts'

/** A name or number as is, or a sentence or word to translate. */
type MessageItem = string | number | LocalizedMessage

/** A placeholder's value: one item, or a list of them. */
export type MessageValue = MessageItem | readonly MessageItem[]

declare const made: unique symbol

/**
 * A sentence as English text and as parts. Created only by the functions in this file, so that every template is in the
 * source code.
 */
export interface LocalizedMessage {
  /** Complete English text. */
  readonly text: string
  /** The fixed part: an ICU message with the values as `{0}`, `{1}` …, and `{count, plural, …}` if the words depend on a number. */
  readonly id: string
  readonly values: readonly MessageValue[]
  /** Selects the plural form. */
  readonly count?: number
  readonly [made]: true
}

/** The parts as serialized, including nested sentences but without their English text. `values` is omitted if empty. */
export interface MessageDescriptor {
  readonly id: string
  readonly values?: readonly unknown[]
  readonly count?: number
}

function localizedMessage(parts: Omit<LocalizedMessage, typeof made>): LocalizedMessage {
  return parts as LocalizedMessage
}

/** Whether a value is a sentence. */
export function isLocalizedMessage(value: unknown): value is LocalizedMessage {
  return typeof value === 'object' && value !== null && 'id' in value && 'values' in value && 'text' in value
}

function english(value: MessageValue): string {
  if (typeof value !== 'object') return String(value)
  return isLocalizedMessage(value) ? value.text : value.map(english).join(', ')
}

/**
 * Creates a sentence from a template literal: msg`Server ${name} not found`. Placeholders stand for whole words, never for
 * parts of them.
 */
export function msg(fixed: TemplateStringsArray, ...values: readonly MessageValue[]): LocalizedMessage {
  const filled = (placeholder: (at: number) => string): string =>
    fixed.map((part, at) => (at === 0 ? part : placeholder(at - 1) + part)).join('')
  return localizedMessage({
    text: filled((at) => english(values[at] ?? '')),
    id: filled((at) => `{${at}}`),
    values,
  })
}

/** The id of a sentence with two forms. Whole sentences, because other languages change more than a word. */
export function pluralId(one: string, other: string): string {
  return `{count, plural, one {${one}} other {${other}}}`
}

/** A sentence with singular and plural forms. Both forms have the same values in the same order. */
export function plural(count: number, one: LocalizedMessage, other: LocalizedMessage): LocalizedMessage {
  return localizedMessage({
    text: (count === 1 ? one : other).text,
    id: pluralId(one.id, other.id),
    values: other.values,
    count,
  })
}

/**
 * A word or sentence from a description (label of a field or action, choice, reason), translated like the description
 * itself. Never use it for user input, which is a value.
 */
export function labelMessage(described: string): LocalizedMessage {
  return localizedMessage({ text: described, id: literalMessage(described), values: [] })
}

/**
 * The label of a job or step as stored, with its values extracted again: the title of its document, and versions. "Switch
 * blog to PHP 8.5" is translated as `Switch {0} to PHP {1}`.
 */
export function jobLabelMessage(label: string, title?: string | null): LocalizedMessage {
  const named = title ? namedLabel(label, title) : null
  if (named !== null) return localizedMessage({ text: label, ...named })
  // As words after the verb: a title may be a part of another word.
  const words = title ? `${label} `.indexOf(` ${title} `) : -1
  const at = words >= 0 ? words + 1 : title ? label.indexOf(title) : -1
  const fixed = ['']
  const values: string[] = []
  const addText = (text: string): void => void fixed.push((fixed.pop() ?? '') + text)
  const addValue = (value: string): void => void (values.push(value), fixed.push(''))
  const addPart = (part: string): void => {
    for (const piece of part.split(/(\d+(?:\.\d+)?)/)) (/^\d+\./.test(piece) ? addValue : addText)(piece)
  }
  if (title && at >= 0) {
    addPart(label.slice(0, at))
    addValue(title)
    addPart(label.slice(at + title.length))
  } else addPart(label)
  return localizedMessage({ text: label, id: withPlaceholders(fixed), values })
}

/** The message of fixed texts with places between them. What stands in the texts is no syntax. */
function withPlaceholders(fixed: readonly string[]): string {
  const last = fixed.length - 1
  return fixed.map((text, at) => literalMessage(text, at < last) + (at < last ? `{${at}}` : '')).join('')
}

const inEnglish = createMessageFormat('en')

/** English text of a sentence, built from its parts. Parts of the wire that do not fit together give their message as it is. */
function filled(id: string, values: readonly MessageValue[], count?: number): string {
  const given = Object.fromEntries(values.map((value, at) => [at, english(value)]))
  try {
    return inEnglish(id, count === undefined ? given : { ...given, count })
  } catch {
    return id
  }
}

/** Text that isn't ours and has no translation, such as the output of a program or a vendor's message. */
export function untranslated(text: string): LocalizedMessage {
  return localizedMessage({ text, id: '{0}', values: [text] })
}

/** Restores a sentence that was stored as English text and parts. Without parts, the text is treated as foreign. */
export function deserializeMessage(text: string, parts: MessageDescriptor | null | undefined): LocalizedMessage {
  const known = descriptorIn(parts)
  return known ? localizedMessage({ ...fromDescriptor(known), text }) : untranslated(text)
}

function fromDescriptor({ id, values: wired, count }: MessageDescriptor): LocalizedMessage {
  const itemOf = (value: unknown): MessageItem => {
    if (typeof value === 'number') return value
    const parts = descriptorIn(value)
    return parts ? fromDescriptor(parts) : String(value)
  }
  const values = (wired ?? []).map((value) => (Array.isArray(value) ? value.map(itemOf) : itemOf(value)))
  return localizedMessage({ text: filled(id, values, count), id, values, ...(count !== undefined && { count }) })
}

/** The parts in a value of the wire or the database; null if it holds none. */
export function descriptorIn(value: unknown): MessageDescriptor | null {
  if (typeof value !== 'object' || value === null) return null
  const { id, values, count }: { id?: unknown; values?: unknown; count?: unknown } = value
  if (typeof id !== 'string') return null
  return {
    id,
    ...(Array.isArray(values) && { values }),
    ...(typeof count === 'number' && { count }),
  }
}

/** Replaces the texts among the sentence's values, including nested sentences. Numbers and the message stay. */
export function withTexts(of: LocalizedMessage, change: (text: string) => string): LocalizedMessage {
  const changed = (value: MessageItem): MessageItem => {
    if (typeof value === 'string') return change(value)
    return typeof value === 'number' ? value : withTexts(value, change)
  }
  const values = of.values.map((value) =>
    typeof value === 'object' && !isLocalizedMessage(value) ? value.map(changed) : changed(value),
  )
  return localizedMessage({ ...of, text: filled(of.id, values, of.count), values })
}

/** The two fields of a document that hold a sentence. */
export type MessageFields<Field extends string> = Record<Field, string | null> &
  Record<`${Field}_i18n`, MessageDescriptor | null>

/** Maximum length of a sentence's parts as JSON, in characters: program output can be of any length. */
const maxDescriptorLength = 4000

/** Text a database accepts: no NUL and no unpaired surrogates. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/**
 * Serializes a sentence for storage: its English text in the field, cut to `most` characters, and its parts in
 * `<field>_i18n`. Always write both fields with this function. Parts that are too long are replaced by those of the cut
 * text.
 */
export function serializeMessage<Field extends string>(
  field: Field,
  message: LocalizedMessage | null,
  most = 500,
): MessageFields<Field> {
  const pair = (text: string | null, parts: MessageDescriptor | null) =>
    ({ [field]: text, [`${field}_i18n`]: parts }) as MessageFields<Field>
  if (message === null) return pair(null, null)
  const text = storable(message.text.slice(0, most))
  const parts = toDescriptor(withTexts(message, storable))
  const isShort = JSON.stringify(parts).length <= maxDescriptorLength
  return pair(text, isShort ? parts : toDescriptor(untranslated(text)))
}

/** Serializes a sentence's parts for API responses. */
export function toDescriptor({ id, values, count }: LocalizedMessage): MessageDescriptor {
  const serializeValue = (value: MessageValue): unknown =>
    typeof value !== 'object' ? value : isLocalizedMessage(value) ? toDescriptor(value) : value.map(serializeValue)
  return {
    id,
    ...(values.length > 0 && { values: values.map(serializeValue) }),
    ...(count !== undefined && { count }),
  }
}
