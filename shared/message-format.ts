import { IntlMessageFormat } from 'intl-messageformat'

/** Values for the placeholders of a message. */
export type MessageValues = Readonly<Record<string, string | number>>

/** Fills in a message; throws if it is not valid or a value is missing. */
export type MessageFormat = (message: string, values: MessageValues) => string

/**
 * Creates a formatter of ICU messages (`{count, plural, one {# site} other {# sites}} on {server}`): `language` chooses plural
 * forms, `locale` writes numbers. A message is parsed once.
 */
export function createMessageFormat(language: string, locale: string = language): MessageFormat {
  const pluralRules = new Intl.PluralRules(language)
  // More than all texts of the product; labels that were stored before they had places may be any text.
  const mostParsed = 5000
  const parsed = new Map<string, IntlMessageFormat>()
  const formatters = {
    getNumberFormat: (_language: unknown, options: unknown) =>
      new Intl.NumberFormat(locale, options as Intl.NumberFormatOptions),
    getPluralRules: () => pluralRules,
    getDateTimeFormat: (_language: unknown, options: unknown) =>
      new Intl.DateTimeFormat(locale, options as Intl.DateTimeFormatOptions),
  }
  return (message, values) => {
    if (!message.includes('{')) return message
    // Tags are text: no message holds markup.
    const known =
      parsed.get(message) ?? new IntlMessageFormat(message, language, undefined, { ignoreTag: true, formatters })
    if (parsed.size >= mostParsed) parsed.clear()
    parsed.set(message, known)
    return String(known.format(values))
  }
}

type Elements = ReturnType<IntlMessageFormat['getAst']>

/** Names of the values in a message. Throws if it is not valid ICU. */
export function placesOf(message: string): string[] {
  const inElements = (elements: Elements): string[] =>
    elements.flatMap((element) => [
      // A literal's value is its text; `#` has none.
      ...('value' in element && element.type !== 0 ? [element.value] : []),
      ...('options' in element ? Object.values(element.options).flatMap(({ value }) => inElements(value)) : []),
    ])
  return inElements(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst())
}
