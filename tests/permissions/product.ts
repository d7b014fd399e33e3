/** The whole product except pages and workers, on a given empty database; for suites that also run outside Vitest. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Session } from '#server/contracts/session.ts'
import { createFakeEngine } from '#server/engines/fake/fake-engine.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { silentLog, type Log } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { openServices, type Services } from '#server/services.ts'
import { migrate } from '#server/tables.ts'
import type { Method } from '#server/contracts/method.ts'
import { setPlans } from '#tests/support/plans.ts'
import { wireOf } from '#tests/support/wire.ts'
import { uploadKinds } from './upload-kinds.ts'

/** The product under test. */
export interface SuiteProduct {
  readonly url: string
  readonly database: Database
  readonly services: Services
  readonly methods: readonly Method[]
  readonly system: Session
  /** Stores content as an uploaded file; returns its stored name. */
  storeFile(content: string): Promise<string>
  /** Sends a socket event to every connection of a user. */
  emitToUser(user: string, event: string): void
  /** Unexpected errors of the program; there should be none. */
  readonly defects: readonly string[]
  /** Logged warnings. */
  readonly warnings: readonly string[]
  readonly fastify: FastifyInstance
  close(): Promise<void>
}

/** Effectively disables rate limits for thousands of calls; limits have tests of their own. */
const noLimits = (names: readonly string[]) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, { limit: 1_000_000, seconds: 1 }])))

/** Starts the product. The fake engine represents the machine. @param concurrency jobs that run at a time; 0: they are queued only */
export async function openSuiteProduct(connection: PostgresConnection, concurrency = 0): Promise<SuiteProduct> {
  const dir = await mkdtemp(join(tmpdir(), 'easydash-permissions-'))
  const port = await freePort()
  const base = {
    PORT: String(port),
    EASYDASH_DATA_DIR: join(dir, 'data'),
    EASYDASH_METRICS_TOKEN: 'metrics-token-of-the-test',
  }
  const limits = Object.keys(loadConfig(base, dir).rateLimits)
  const config = loadConfig({ ...base, EASYDASH_RATE_LIMITS: noLimits(limits) }, dir)
  await mkdir(config.dataDir, { recursive: true })
  const defects: string[] = []
  const warnings: string[] = []
  const recordIn = (list: string[]) => (message: string, fields?: object) =>
    void list.push(`${message} ${textOf(fields)}`)
  const log: Log = { ...silentLog, error: recordIn(defects), warn: recordIn(warnings) }
  const database = openDatabase({ connection, log })
  await migrate(database)
  const engine = createFakeEngine({ folder: join(dir, 'fake') })
  const services: Services = await openServices({
    config,
    database,
    log,
    engines: { fake: engine },
    print: () => undefined,
    concurrency,
    further: [{ uploads: uploadKinds(() => services.documents) }],
  })
  await setPlans(services.documents, systemSession(), true)
  const wire = await wireOf(services, { config, log, pagesDir: join(dir, 'web') })
  await wire.listen()
  return {
    url: config.url,
    database,
    services,
    methods: wire.methods,
    system: systemSession(),
    async storeFile(content) {
      const name = `${randomBytes(20).toString('hex')}.txt`
      const folder = join(config.dataDir, 'files', name.slice(0, 2))
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, name), content)
      return name
    },
    defects,
    warnings,
    fastify: wire.fastify,
    emitToUser: (user, event) => wire.emitToUser(user, event, {}),
    async close() {
      await wire.close()
      await services.close()
      await database.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function textOf(fields: object | undefined): string {
  const error = fields && 'error' in fields ? fields.error : undefined
  return error instanceof Error ? `${error.message}\n${error.stack}` : JSON.stringify(fields ?? {})
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
