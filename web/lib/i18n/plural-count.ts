import { formatNumber } from './format.ts'

/** A count for texts: `count` selects the plural form, `n` is the formatted number ("9,501"). */
export function counted(count: number): { count: number; n: string } {
  return { count, n: formatNumber(count) }
}
