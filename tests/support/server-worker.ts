/** A worker of servers in a process of its own, which a test kills. */
import { openDatabase } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { testClock } from './jobs.ts'
import { childOrder, goOn, runAndKill, type Until } from './killed-process.ts'
import { startServersProcess, type ServersPlace } from './servers.ts'

interface WorkerOrder {
  readonly connection: PostgresConnection
  readonly place: ServersPlace
  /** The job to work on, whose waits are over at once; null works on all jobs, as they come. */
  readonly job: string | null
  /** Jobs at a time. */
  readonly concurrency?: number
}

/** Works until the crash point, or until `until` kills it. */
export const workAndKill = (point: string, order: WorkerOrder, until?: Until) =>
  runAndKill(import.meta.filename, { point, order, until })

const given = childOrder<WorkerOrder>()
if (given) {
  const { connection, place, job, concurrency = 4 } = given
  const clock = testClock()
  const database = openDatabase({ connection, log: silentLog })
  const limits = { organization: concurrency }
  const { documents } = await startServersProcess(database, { clock, place, concurrency, limits })
  if (job !== null) await goOn(documents, job, clock)
}
