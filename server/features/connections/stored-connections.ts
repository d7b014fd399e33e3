import type { Tx } from '#server/contracts/transaction.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import {
  connectionFields,
  connectionNameOf,
  type ConnectionCheck,
  type ConnectionKind,
} from '#shared/doctypes/connections.ts'
import type { ConnectionTest, ConnectionValues } from './connection-test.ts'

/** The connection of a kind that is used where none is named; null if the organization has none of the kind. */
export async function defaultOf(tx: Tx, organization: string, kind: ConnectionKind): Promise<Connection | null> {
  return tx.find(ConnectionDoctype, [
    ['organization', '=', organization],
    ['kind', '=', kind],
    ['is_default', '=', 1],
  ])
}

/** The decrypted values of a connection's fields, trimmed; '' for those that are not set. Never log them. */
export async function credentialsOf(tx: Tx, connection: Connection): Promise<ConnectionValues> {
  const name = connectionNameOf(connection.kind)
  const values: Record<string, string> = {}
  for (const field of name ? connectionFields[name] : []) {
    const isSecret = ConnectionDoctype.fields[field].secret !== undefined
    const value = isSecret ? await tx.secret(ConnectionDoctype, connection.name, field) : connection[field]
    values[field] = value?.trim() ?? ''
  }
  return values
}

/** Stores the result of a test, unless the credentials changed meanwhile: then it does not apply to them. */
export async function storeCheck(
  tx: Tx,
  name: string,
  { fields }: Pick<ConnectionTest, 'fields'>,
  { check, values }: { check: ConnectionCheck; values: ConnectionValues },
): Promise<void> {
  const now = await tx.get(ConnectionDoctype, name, { lock: true })
  const stored = now && (await credentialsOf(tx, now))
  if (!stored || fields.some((field) => stored[field] !== values[field])) return
  const { outcome, message, message_i18n, advice, advice_i18n, checked_at } = check
  const status = outcome === 'ok' ? 'Connected' : 'Failed'
  await tx.update(
    ConnectionDoctype,
    name,
    { status, outcome, message, message_i18n, advice, advice_i18n, checked_at },
    { hooks: false, activity: false },
  )
}
