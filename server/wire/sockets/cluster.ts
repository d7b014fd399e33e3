import { createAdapter } from '@socket.io/postgres-adapter'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '#server/platform/log/log.ts'

/** Holds payloads too long for a notification. Unlogged, because nothing in it must survive a crash. */
const tableName = 'easydash_socket_attachment'

/** The adapter that lets several processes on one database reach each other's connections. */
export async function clusterAdapter(pool: Pool, log: Pick<Log, 'warn'>): Promise<ReturnType<typeof createAdapter>> {
  await pool.query(`create unlogged table if not exists ${tableName} (
    id bigint generated always as identity primary key, created_at timestamptz default now(), payload bytea)`)
  const errorHandler = (error: unknown) => log.warn('Processes could not synchronize sockets', { error })
  // The library keeps one connection and does not handle its errors, which would crash the program.
  const guarded = {
    query: (text: string, values?: unknown[]) => pool.query(text, values),
    async connect(): Promise<PoolClient> {
      const client = await pool.connect()
      client.on('error', errorHandler)
      return client
    },
  }
  return createAdapter(guarded as unknown as Pool, {
    channelPrefix: 'easydash_socket',
    tableName,
    cleanupInterval: 60_000,
    errorHandler,
  })
}
