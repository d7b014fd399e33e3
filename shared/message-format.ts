import { IntlMessageFormat } from 'intl-messageformat'

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
  const parsed = new Map<string, IntlMessageFormat>()
  const formatters = {
    getNumberFormat: (_language: unknown, options?: Intl.NumberFormatOptions) => numberFormat(options),
    getPluralRules: () => pluralRules,
    getDateTimeFormat: (_language: unknown, options: unknown) =>
      new Intl.DateTimeFormat(locale, options as Intl.DateTimeFormatOptions),
  }
  return (message, values) => {
    // Neither a placeholder nor an apostrophe, which may be quoted: nothing to parse.
    if (!/[{']/.test(message)) return message
    // Tags are text: no message holds markup.
    const known =
      parsed.get(message) ?? new IntlMessageFormat(message, language, undefined, { ignoreTag: true, formatters })
    if (parsed.size >= maxParsed) parsed.clear()
    parsed.set(message, known)
    return String(known.format(values))
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

type Elements = ReturnType<IntlMessageFormat['getAst']>

/** The elements of a message, also those inside its forms. Throws if it is not valid ICU. */
function elementsOf(message: string): Elements {
  const all = (elements: Elements): Elements =>
    elements.flatMap((element) => [
      element,
      ...('options' in element ? Object.values(element.options).flatMap(({ value }) => all(value)) : []),
    ])
  return all(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst())
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
