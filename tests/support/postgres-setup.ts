/**
 * Vitest's global setup: one embedded PostgreSQL for all projects of a run. It starts when the first test requests a
 * database, so that runs without database tests don't pay for it. Workers request it over a unix socket (`database.ts`).
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { silentLog } from '#server/platform/log/log.ts'
import type { Postgres, PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { startPostgres } from '#server/platform/postgres/postgres.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { silentStep } from '#server/platform/steps.ts'
import { superuserConnection } from './product-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the unix socket that returns the `PostgresConnection` of the run's server. */
    postgresSocket: string
  }
}

/** Response to a worker, as JSON. */
export type SetupResult =
  /** The product's role, and the one that creates databases. */
  { connection: PostgresConnection; superuser: PostgresConnection } | { error: string }

interface Started {
  postgres: Postgres
  superuser: PostgresConnection
}

interface Shared {
  socket: string
  users: number
  close: () => Promise<void>
}

/** Each project loads this file again, so the run's only instance is stored on the global object. */
const holder = globalThis as { easydashTestPostgres?: Promise<Shared> }

/** Called by Vitest once per project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  holder.easydashTestPostgres ??= listen()
  const shared = await holder.easydashTestPostgres
  shared.users += 1
  project.provide('postgresSocket', shared.socket)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    delete holder.easydashTestPostgres
    await shared.close()
  }
}

async function listen(): Promise<Shared> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-test-'))
  // As root, PostgreSQL runs under another account, which must be able to traverse the folder.
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  let started: Promise<Started> | null = null
  const server = createServer((asker) => {
    asker.on('error', () => asker.destroy())
    started ??= start(dataDir)
    void started.then(
      ({ postgres, superuser }) =>
        asker.end(JSON.stringify({ connection: postgres.connection, superuser } satisfies SetupResult)),
      (error: unknown) =>
        asker.end(
          JSON.stringify({ error: error instanceof Error ? error.message : String(error) } satisfies SetupResult),
        ),
    )
  })
  const socket = join(folder, 'ask.sock')
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  return {
    socket,
    users: 0,
    close: async () => {
      await new Promise((resolve) => server.close(resolve))
      if (started !== null) {
        const { postgres } = await started
        await postgres.stop()
        await removeOutsideFolders(dataDir)
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Nothing has to survive a power failure, so disk syncs are disabled. */
async function start(dataDir: string): Promise<Started> {
  const postgres = await startPostgres({
    dataDir,
    log: silentLog,
    step: silentStep,
    // Each worker runs several products with their pools at once.
    settings: { max_connections: '250' },
  })
  const superuser = await superuserConnection(dataDir, postgres.connection.host)
  const client = new pg.Client(superuser)
  await client.connect()
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    await client.query(`alter system set ${setting} = off`)
  }
  await client.query('select pg_reload_conf()')
  await client.end()
  return { postgres, superuser }
}
