/** A worker of servers in a process of its own, which a test kills. What steps wait for is over at once. */
import { setTimeout as wait } from 'node:timers/promises'
import { systemSession } from '#server/jobs/session.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { testClock } from './jobs.ts'
import { childOrder, runAndKill } from './killed-process.ts'
import { startServersProcess, type ServersPlace } from './servers.ts'

interface WorkerOrder {
  readonly connection: PostgresConnection
  readonly place: ServersPlace
  /** The job to work on. */
  readonly job: string
}

/** Works on a job until the crash point, or until `until` kills it. */
export const workAndKill = (point: string, order: WorkerOrder, until?: (kill: () => void) => Promise<void>) =>
  runAndKill(import.meta.filename, { point, order, until })

const given = childOrder<WorkerOrder>()
if (given) {
  const clock = testClock()
  const database = openDatabase({ connection: given.connection, log: silentLog })
  const { documents } = await startServersProcess(database, { clock, place: given.place })
  const read = () => documents.transaction(systemSession(), (tx) => tx.get(JobDoctype, given.job))
  const first = (await read())?.attempt
  for (;;) {
    const job = await read()
    // The worker before it is found dead by its second look, two seconds later.
    if (job?.attempt === first || job?.steps?.some((step) => step.wait)) clock.pass(3000)
    await wait(50)
  }
}
