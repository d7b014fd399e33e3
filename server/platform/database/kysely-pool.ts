import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { preparedName } from './prepared-statements.ts'

/** A connection broke, which `pg` reports by its text alone. The code is PostgreSQL's for a connection failure. */
export class ConnectionLostError extends Error {
  readonly code = '08006'

  constructor(cause: Error) {
    super(`The connection to the database was lost: ${cause.message}`, { cause })
  }
}

/** PostgreSQL's codes after which it closes the connection: shutdown, crash, not accepting connections. */
const closingCodes = /^(?:08...|57P0[123])$/

/**
 * The pool as Kysely uses it. Statements marked with `preparedStatement` are prepared. A lost connection is reported with a
 * code, and by the error of the statement that met it: Kysely then rolls back, and an error of that would hide the first one.
 */
export function kyselyPool(pool: pg.Pool): PostgresPool {
  // Kysely recognizes a connection by its client.
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const wrapped = clients.get(client) ?? wrap(client)
      clients.set(client, wrapped)
      return wrapped
    },
    end: () => pool.end(),
  }
}

function wrap(client: pg.PoolClient): PostgresPoolClient {
  let lost = false
  const query = async (text: string, values: readonly unknown[]) => {
    // Without the connection the server has rolled back by itself.
    if (lost && text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] }
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
  return {
    // The other overload is for cursors, which need a constructor that is not given.
    query: query as never,
    // The pool may not have noticed yet.
    release: (destroy) => client.release(destroy === true || lost),
  }
}
