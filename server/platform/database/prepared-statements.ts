import { sql } from 'kysely'

const mark = '/* prepared */ '

/**
 * First part of statements that are sent often with the same text and other parameters, such as reading a document by its
 * name: PostgreSQL parses and plans them once per connection. Only for texts of which there are few: each one costs memory
 * in each connection.
 */
export const preparedStatement = sql.raw(mark)

/** Names of prepared statements by text, the same in all connections. */
const names = new Map<string, string>()
/** Further texts are sent unprepared. */
const maxStatements = 200

/** The name under which a statement is prepared; null if it isn't marked with `preparedStatement`. */
export function preparedName(text: string): string | null {
  if (!text.startsWith(mark)) return null
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= maxStatements) return null
  const name = `easydash_${names.size}`
  names.set(text, name)
  return name
}
