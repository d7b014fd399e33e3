/** A value of a row. */
export type SqlValue = string | number

/** A statement that inserts one row, on a line of its own, into a table of WordPress. */
export function insertOf(table: string, row: Readonly<Record<string, SqlValue>>): string {
  const columns = Object.keys(row).map((name) => `\`${name}\``)
  const values = Object.values(row).map((value) => (typeof value === 'number' ? String(value) : quoted(value)))
  return `INSERT INTO \`wp_${table}\` (${columns.join(', ')}) VALUES (${values.join(', ')});\n`
}

/** A literal of MySQL (https://dev.mysql.com/doc/refman/8.4/en/string-literals.html). */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\'\0]/g, (char) => (char === '\0' ? '\\0' : `\\${char}`))}'`
}
