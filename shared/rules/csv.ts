/**
 * CSV for spreadsheets (RFC 4180). Cells that start like a formula are prefixed with an apostrophe, because spreadsheets
 * would execute them; this includes the full-width characters of East Asian keyboards.
 */

const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/

/** One cell. Numbers stay numbers; objects become JSON; null and undefined are empty. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = formulaStart.test(text) ? `'${text}` : text
  return /[",\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One row with its line end. */
export function csvRow(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/**
 * A file of these rows, or the beginning of one that more rows follow. It starts with a byte order mark, without which
 * spreadsheets read UTF-8 as the character set of the machine.
 */
export function csvFile(rows: readonly (readonly unknown[])[]): string {
  return `\uFEFF${rows.map(csvRow).join('')}`
}
