/** The sites feature on a simulated server with EasyEngine: in the test itself, or in a worker that a test kills. */
import { createEeEngine, type EeEngine } from '#server/engines/ee/ee-engine.ts'
import type { Engine } from '#server/engines/engine.ts'
import { remoteHosts } from '#server/engines/hosts.ts'
import { createSites } from '#server/features/sites/sites.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { testSiteDeps } from './buckets.ts'
import { eeOptions, type EePlace, type EeServer } from './ee-server.ts'
import { startTestProcess, testClock, type TestProcess, type TestProcessOptions } from './jobs.ts'
import { childOrder, goOn, runAndKill, type Until } from './killed-process.ts'

/** Stands for an engine of this machine that makes sites of backups, and can say of none whether it is good. */
const judgesNothing = {
  ...{ name: 'local', reach: 'machine', phpVersions: () => ['8.3'] },
  rehearsals: {
    rehearseSteps: () => [],
    judge: async () => ({ defects: [], seen: [], inconclusive: 'A plugin needs MySQL, which this machine lacks.' }),
  },
  lacks: () => ({}),
  destroy: async () => undefined,
} as unknown as Engine

/** Starts a process on the database. Repeated work of the feature does not run. */
export async function startEeSites(
  database: Database,
  place: EePlace,
  options: Pick<TestProcessOptions, 'clock' | 'concurrency'> = {},
): Promise<TestProcess & { readonly engine: EeEngine }> {
  const engine = createEeEngine(eeOptions(place))
  const running = await startTestProcess(database, {
    ...options,
    features: ({ jobs, documents }) => {
      const sites = createSites({
        documents,
        engines: { ee: engine, ...(place.triesOut === true ? { local: judgesNothing } : {}) },
        hosts: async () =>
          remoteHosts(
            { ee: engine },
            await documents().transaction(systemSession(), (tx) => tx.list(ServerDoctype, [])),
          ),
        jobs: () => jobs,
        ...testSiteDeps(place.folder, place.awsS3),
      })
      return { ...sites, schedules: [] }
    },
  })
  return {
    ...running,
    engine,
    async stop(graceMs) {
      await running.stop(graceMs)
      await engine.stop()
    },
  }
}

/** Inserts the document of a simulated server, for the organization acme. */
export const insertEeServer = (
  { documents }: Pick<TestProcess, 'documents'>,
  { server: { address, hostKey } }: Pick<EeServer, 'server'>,
): Promise<Server> =>
  documents.transaction(systemSession(), (tx) =>
    tx.insert(ServerDoctype, {
      ...{ organization: 'acme', hostname: 'server-1.acme.example', status: 'Healthy', engine: 'ee' },
      ...{ public_ipv4: address, ssh_host_key: hostKey },
    }),
  )

interface WorkerOrder {
  readonly connection: PostgresConnection
  readonly place: EePlace
  readonly job: string
}

/** Works on a job until the crash point, or until `until` kills it. */
export const workAndKill = (point: string, order: WorkerOrder, until?: Until): Promise<void> =>
  runAndKill(import.meta.filename, { point, order, until })

const given = childOrder<WorkerOrder>()
if (given) {
  const { connection, place, job } = given
  const clock = testClock()
  const { documents } = await startEeSites(openDatabase({ connection, log: silentLog }), place, { clock })
  await goOn(documents, job, clock)
}
