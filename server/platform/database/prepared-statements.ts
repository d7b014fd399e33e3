import { sql } from 'kysely'

/** Statements with the same mark share a number of names; further texts are sent unprepared. */
interface Group {
  readonly mark: string
  readonly most: number
  /** Names of prepared statements by text, the same in all connections. */
  readonly names: Map<string, string>
}

const group = (name: string, most: number): Group => ({ mark: `/* ${name} */ `, most, names: new Map() })
const [prepared, updates] = [group('prepared', 200), group('update', 40)] as const

/**
 * First part of statements that are sent often with the same text and other parameters, such as reading a document by its
 * name: PostgreSQL parses and plans them once per connection. Only for texts of which there are few: each one costs memory
 * in each connection.
 */
export const preparedStatement = sql.raw(prepared.mark)

/** The same as text, which such statements begin with. */
export const preparedMark = prepared.mark

const withNext = '/* with the next */ '

/**
 * First part of prepared statements whose result nobody reads, such as a notification: in a transaction they are sent together
 * with its next statement, and never if that is a rollback.
 */
export const sentWithNext = sql.raw(`${prepared.mark}${withNext}`)

/** Whether a statement is marked with `sentWithNext`. */
export const isSentWithNext = (text: string): boolean => text.startsWith(withNext, prepared.mark.length)

/** Like `preparedStatement` for updates of a row, which have as many texts as there are sets of fields: the first ones only. */
export const preparedUpdate = sql.raw(updates.mark)

/** The name under which a statement is prepared; null if it isn't marked. */
export function preparedName(text: string): string | null {
  const { mark, most, names } = text.startsWith(updates.mark) ? updates : prepared
  if (!text.startsWith(mark)) return null
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= most) return null
  const name = `easydash_${mark === updates.mark ? 'update' : ''}${names.size}`
  names.set(text, name)
  return name
}
