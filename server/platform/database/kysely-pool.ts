import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { isSentWithNext, preparedMark, preparedName } from './prepared-statements.ts'

/** A connection broke, also while it was made, which `pg` reports by its text alone. The code is PostgreSQL's for a connection failure. */
export class ConnectionLostError extends Error {
  readonly code = '08006'

  constructor(cause: Error) {
    super(`The connection to the database was lost: ${cause.message}`, { cause })
  }
}

/** PostgreSQL's codes after which it closes the connection: shutdown, crash, not accepting connections. */
const closingCodes = /^(?:08...|57P0[123])$/

/**
 * The pool as Kysely uses it, of connections with `pipeline`. Statements marked with `preparedStatement` are prepared. A lost connection is reported with a
 * code, and by the error of the statement that met it: Kysely then rolls back, and an error of that would hide the first one.
 */
export function kyselyPool(pool: pg.Pool): PostgresPool {
  // Kysely recognizes a connection by its client.
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw error instanceof Error && !('code' in error) ? new ConnectionLostError(error) : error
      })
      const wrapped = clients.get(client) ?? wrap(client)
      clients.set(client, wrapped)
      return wrapped
    },
    end: () => pool.end(),
  }
}

/** What a statement returns that is sent later: nobody reads it. */
const nothing = { command: '', rowCount: 0, rows: [] }

interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * A statement that is held back until the next one, so that both take one round trip: `begin`, and in a transaction what is
 * marked with `sentWithNext`. The commit after a notification that failed is a rollback, as the server decides.
 */
const isHeld = ({ text }: Statement, isOpen: boolean) => text === 'begin' || (isOpen && isSentWithNext(text))

/**
 * Whether `begin` can be sent together with a statement: if `begin` fails, that is executed by itself, so it must be one that
 * changes nothing.
 */
const canFollowBegin = ({ text }: Statement) => text.startsWith(`${preparedMark}select `)

function wrap(client: pg.PoolClient): PostgresPoolClient {
  let lost = false
  let isOpen = false
  let held: Statement[] = []

  const send = async ({ text, values }: Statement) => {
    const name = preparedName(text)
    try {
      return await client.query({ text, values: [...values], ...(name !== null && { name }) })
    } catch (error) {
      if (error instanceof pg.DatabaseError) lost ||= closingCodes.test(error.code ?? '')
      // Errors of `pg` itself about values.
      else if (error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError)) {
        lost = true
        throw new ConnectionLostError(error)
      }
      throw error
    }
  }

  /** Sends the statements at once; throws the first error, after all of them have ended. */
  const sendTogether = async (statements: readonly Statement[], last: Statement) => {
    const { stream } = client.connection
    stream.cork()
    const sent = [...statements, last].map(send)
    stream.uncork()
    await Promise.allSettled(sent)
    await Promise.all(sent)
    return sent.at(-1)
  }

  const query = async (text: string, values: readonly unknown[]) => {
    const statement = { text, values }
    if (isHeld(statement, isOpen)) {
      held.push(statement)
      isOpen = true
      return nothing
    }
    const before = held
    held = []
    if (text === 'commit' || text === 'rollback') isOpen = false
    if (text === 'rollback') {
      const hasBegun = before[0]?.text !== 'begin'
      // Without the connection the server has rolled back by itself.
      return lost || !hasBegun ? { ...nothing, command: 'ROLLBACK' } : send(statement)
    }
    if (before.length === 0) return send(statement)
    if (before[0]?.text === 'begin' && !canFollowBegin(statement)) {
      for (const one of before) await send(one)
      return send(statement)
    }
    return sendTogether(before, statement)
  }
  return {
    // The other overload is for cursors, which need a constructor that is not given.
    query: query as never,
    // The pool may not have noticed yet.
    release: (destroy) => client.release(destroy === true || lost),
  }
}
