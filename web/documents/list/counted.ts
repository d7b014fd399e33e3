import { formatNumber } from '#web/lib/i18n/format.ts'

/** A count for texts: `count` chooses the plural form, `n` is what people read ("9,501"). */
export function counted(count: number): { count: number; n: string } {
  return { count, n: formatNumber(count) }
}
