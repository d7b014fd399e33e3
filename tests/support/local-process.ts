/** A process with jobs and sites on the local engine: in the test itself, or as a child process that a test kills. */
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { startFixture, type EngineFixture } from '#server/engines/local/engine-fixture.ts'
import { ownHost } from '#server/engines/hosts.ts'
import type { LocalEngineOptions } from '#server/engines/local/local-engine.ts'
import { createSites, type Sites } from '#server/features/sites/sites.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { startTestProcess, type TestProcess } from './jobs.ts'
import { childOrder, runAndKill, type Until } from './killed-process.ts'
import { sessionOf } from './documents.ts'
import { testSiteDeps } from './buckets.ts'

/** A worker with its engine. */
export interface LocalProcess {
  readonly fixture: EngineFixture
  readonly running: TestProcess
  readonly sites: Sites
  /** Stops jobs, sites and the server; the database, and a given folder, stay. */
  stop(): Promise<void>
}

/** Where several processes, one after the other, find the same sites. */
export interface LocalPlace {
  readonly dataDir: string
  readonly port: number
  readonly cacheDir?: string
  readonly wordpressOrgUrl?: string
  readonly mysql?: LocalEngineOptions['mysql']
  /** Base URL of the store of buckets. */
  readonly awsS3?: string
}

/** Starts a worker on the database. Repeated work of the feature does not run. */
export async function startLocalProcess(
  database: Database,
  {
    engine: { awsS3, ...engine } = {},
    ...options
  }: { readonly engine?: Partial<LocalEngineOptions> & Pick<LocalPlace, 'awsS3'>; readonly concurrency?: number } = {},
): Promise<LocalProcess> {
  const fixture = await startFixture(engine)
  let sites: Sites | null = null
  const running = await startTestProcess(database, {
    ...options,
    features: ({ jobs, documents }) => {
      sites = createSites({
        documents,
        engines: { local: fixture.engine },
        hosts: async () => [ownHost(fixture.engine)],
        jobs: () => jobs,
        ...testSiteDeps(fixture.dataDir, awsS3),
      })
      return { ...sites, schedules: [] }
    },
  })
  return {
    fixture,
    running,
    sites: sites as unknown as Sites,
    async stop() {
      await running.stop()
      await fixture.end()
    },
  }
}

/** What a person asks for. */
export type Asked =
  | { readonly doctype?: string; readonly name: string; readonly action: string; readonly args?: object }
  | {
      readonly archive: string
      readonly id: string
      readonly domain: string
      readonly server: string
      readonly database: string
    }
  | { readonly bulk: { readonly action: string; readonly argument: string | null; readonly sites: readonly string[] } }

/** Does it, and returns what the person gets to know. */
export async function ask({ running, sites }: LocalProcess, session: Session, asked: Asked): Promise<object | null> {
  const { documents } = running
  if ('archive' in asked) {
    const { archive, id, ...metadata } = asked
    const kind = sites.uploads?.find(({ name }) => name === 'site-import')
    const sent = { id, kind: 'site-import', fileName: 'site.zip', size: 1, metadata }
    return (await kind?.finish(session, sent, archive)) ?? null
  }
  if ('bulk' in asked) return startBulk({ sites, documents }, session, asked.bulk)
  const { doctype = 'Site', name, action, args = {} } = asked
  return documents.runAction(session, doctype, name, action, { ...args }) as Promise<object | null>
}

async function startBulk(
  { sites, documents }: { readonly sites: Sites; readonly documents: Documents },
  session: Session,
  wanted: object,
): Promise<object | null> {
  const method = sites.methods.find(({ name }) => name.endsWith('.start_bulk_run'))
  return (await method?.run(wanted as never, { session, documents } as never)) as object | null
}

/** Instructions for a child process: one line of JSON in its environment. */
interface ChildOrder {
  readonly connection: PostgresConnection
  readonly place: LocalPlace
  readonly user: string
  readonly organization: string
  /** Null: nothing new, it goes on with the jobs that it finds. */
  readonly asked: Asked | null
}

/** Asks a process for something that kills itself (SIGKILL) at the crash point. Rejects if it ends in another way. */
export async function askAndKill(
  point: string,
  { until, ...order }: ChildOrder & { readonly until?: Until },
): Promise<void> {
  await runAndKill(import.meta.filename, { point, order, until })
}

const given = childOrder<ChildOrder>()
if (given) {
  const { connection, place, user, organization, asked } = given
  const database = openDatabase({ connection, log: silentLog })
  const child = await startLocalProcess(database, { engine: place })
  if (asked !== null) await ask(child, sessionOf(user, organization), asked)
  // Whatever comes to its end without the point is waited for in vain.
  const { documents } = child.running
  for (let still = 0; still < 3; still += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000)
    })
    const ended = ['Done', 'Failed', 'Cancelled']
    const all = await documents.transaction(systemSession(), (tx) => tx.list(JobDoctype, [['status', 'not in', ended]]))
    if (all.length > 0) still = 0
  }
  throw new Error('All jobs ended before')
}
