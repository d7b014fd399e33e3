/** A table as EasyEngine draws it, with or without a heading. */
export function drawTable(rows: readonly (readonly string[])[], heading?: readonly string[]): string {
  const all = heading ? [heading, ...rows] : rows
  const widths = (all[0] ?? []).map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)))
  const line = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+\n`
  const draw = (row: readonly string[]) => `|${row.map((cell, at) => ` ${cell.padEnd(widths[at] ?? 0)} `).join('|')}|\n`
  return `${line}${heading ? draw(heading) + line : ''}${rows.map((row) => draw(row)).join('')}${line}`
}

/** Items in one of the formats of `--format`. */
export function formatItems(
  items: readonly Readonly<Record<string, unknown>>[],
  fields: readonly string[],
  format: string,
): string {
  const cell = (value: unknown): string =>
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  const rows = items.map((item) => fields.map((field) => cell(item[field])))
  switch (format) {
    case 'json':
      return JSON.stringify(
        items.map((item) => Object.fromEntries(fields.map((field) => [field, item[field] ?? null]))),
      )
    case 'count':
      return `${items.length}\n`
    case 'ids':
      return items.map((item) => cell(item[fields[0] ?? ''])).join(' ')
    case 'csv':
      return [fields, ...rows].map((row) => `${row.map((value) => csvCell(value)).join(',')}\n`).join('')
    case 'yaml':
      return `---\n${rows
        .map((row) => `- \n${row.map((value, at) => `  ${fields[at]}: ${JSON.stringify(value)}\n`).join('')}`)
        .join('')}`
    default:
      return drawTable(rows, fields)
  }
}

const csvCell = (value: string): string => (/[",\n ]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
