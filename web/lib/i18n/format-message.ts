import { createMessageFormat, type MessageValues } from '#shared/message-format.ts'
import { locale, pseudoLanguage, textLanguage } from './locale.ts'
import { numberFormat } from './number-format.ts'

export type { MessageValues }

/** Fills in a message of the user's language. Numbers are in the reader's own format, which may be another one. */
export const format = createMessageFormat(textLanguage === pseudoLanguage ? 'en' : textLanguage, locale, numberFormat)

/** Right-to-left characters. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/

/** Isolates right-to-left values so that they don't reorder the surrounding text. */
function isolated(value: string | number): string | number {
  return typeof value === 'string' && rightToLeft.test(value) ? `\u2068${value}\u2069` : value
}

/** Fills in an ICU message. One that is not valid, or whose values are missing, stays as it is, so that tests catch it. */
export function formatMessage(message: string, values: MessageValues): string {
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolated(value)]))
  try {
    return format(message, given)
  } catch {
    return message
  }
}
