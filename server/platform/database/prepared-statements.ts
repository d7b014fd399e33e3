import { sql, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'

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

function nameOf(text: string): string | null {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= maxStatements) return null
  const name = `easydash_${names.size}`
  names.set(text, name)
  return name
}

/** The pool as Kysely uses it, with the statements that are marked with `preparedStatement` prepared. */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  // Kysely recognizes a connection by its client.
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const query = (text: string, values: readonly unknown[]) => {
      const name = text.startsWith(mark) ? nameOf(text) : null
      return client.query({ text, values: [...values], ...(name !== null && { name }) })
    }
    return {
      // The other overload is for cursors, which need a constructor that is not given.
      query: query as never,
      release: (destroy) => client.release(destroy),
    }
  }
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
