import { parse, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { formatToParts, IntlMessageFormat } from 'intl-messageformat'

/** Values for the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number>>

/** Fills in a message; throws if it is not valid or a value is missing. */
export type MessageFormat = (message: string, values: MessageValues) => string

/**
 * Creates a formatter of ICU messages (`{count, plural, one {# site} other {# sites}} on {server}`): `language` chooses plural
 * forms, `locale` writes dates and `numberFormat` numbers, by default that of the locale. A message is parsed once.
 */
export function createMessageFormat(
  language: string,
  locale: string = language,
  numberFormat = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
): MessageFormat {
  const pluralRules = new Intl.PluralRules(language)
  // More than all texts of the product; labels may be any text.
  const maxParsed = 5000
  const parsed = new Map<string, MessageFormatElement[]>()
  const formatters = {
    getNumberFormat: (_language: unknown, options?: Intl.NumberFormatOptions) => numberFormat(options),
    getPluralRules: () => pluralRules,
    getDateTimeFormat: (_language: unknown, options: unknown) =>
      new Intl.DateTimeFormat(locale, options as Intl.DateTimeFormatOptions),
  }
  return (message, values) => {
    // Neither a placeholder nor an apostrophe, which may be quoted: nothing to parse.
    if (!/[{']/.test(message)) return message
    const known = parsed.get(message) ?? elements(message)
    if (parsed.size >= maxParsed) parsed.clear()
    parsed.set(message, known)
    // Not an `IntlMessageFormat` for each message: it looks for its language anew, which takes longer than all else.
    return formatToParts(known, language, formatters, IntlMessageFormat.formats, values, undefined, message)
      .map(({ value }) => value)
      .join('')
  }
}

/**
 * Escapes text so that a message shows it unchanged: ICU syntax in it is quoted. `isBeforePlaceholder`: a placeholder
 * follows, before which an apostrophe would quote.
 */
export function literalMessage(text: string, isBeforePlaceholder = false): string {
  return text.replaceAll(/'+|[{}][{}']*/g, (run, at: number) => {
    if (!run.startsWith("'")) return `'${run.replaceAll("'", "''")}'`
    const next = text[at + run.length] ?? (isBeforePlaceholder ? '{' : '')
    return run.length > 1 || /[{}<>]/.test(next) ? run + run : run
  })
}

/** The elements of a message. Tags are text: no message holds markup. Throws if it is not valid ICU. */
const elements = (message: string): MessageFormatElement[] => parse(message, { ignoreTag: true })

/** The same with those inside its forms. */
function elementsOf(message: string): MessageFormatElement[] {
  const all = (some: MessageFormatElement[]): MessageFormatElement[] =>
    some.flatMap((element) => [
      element,
      ...('options' in element ? Object.values(element.options).flatMap(({ value }) => all(value)) : []),
    ])
  return all(elements(message))
}

/** Names of the values in a message. Throws if it is not valid ICU. */
export function placeholdersOf(message: string): string[] {
  // A literal's value is its text; `#` has none.
  return elementsOf(message).flatMap((element) => ('value' in element && element.type !== 0 ? [element.value] : []))
}

/**
 * Whether every apostrophe of a message is text, written once or as two. Otherwise one quotes what follows, as in `l'{0}`,
 * and a placeholder is text. Throws if the message is not valid ICU.
 */
export function isUnquoted(message: string): boolean {
  const count = (text: string): number => text.split("'").length
  const texts = elementsOf(message).flatMap((element) => (element.type === 0 ? [element.value] : []))
  return count(texts.join('')) === count(message.replaceAll("''", "'"))
}
