import { locale } from './locale.ts'

/** Counts of long lists stop above this number; such a count is `Infinity` (`useCount`). */
export const countCap = 1000

/** Writes `Infinity`, a count that stopped above `countCap`, as "1,000+". */
class NumberFormat extends Intl.NumberFormat {
  override format(value: number | bigint): string {
    return value === Infinity ? `${super.format(countCap)}+` : super.format(value)
  }
}

/** Number formats by options. Cached, because creating one costs more than using it a hundred times. */
const numbers = new Map<string, Intl.NumberFormat>()

/** The number format of these options in the user's locale. */
export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const known = numbers.get(key) ?? new NumberFormat(locale, options)
  numbers.set(key, known)
  return known
}
