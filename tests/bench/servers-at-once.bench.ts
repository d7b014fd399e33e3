/** Fifty servers that one worker works on at the same time: a job on each, over a connection of its own. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Tx } from '#server/contracts/transaction.ts'
import { generateFirstHostKey, userData } from '#server/features/servers/provision/user-data.ts'
import { runMigrations } from '#server/platform/database/migrations.ts'
import { createTables, schemaVersion } from '#server/tables.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { testClock } from '#tests/support/jobs.ts'
import { workAndKill } from '#tests/support/server-worker.ts'
import { startServersFixture } from '#tests/support/servers.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { memoryOf } from './memory-parts.ts'
import { openBenchDatabase } from './site-rows.ts'

const servers = 50
const mebibyte = 1024 ** 2

/** Vendors, machines and database are processes of their own, and not counted. */
export async function bench(): Promise<Figure[]> {
  const database = await openBenchDatabase()
  await runMigrations(database.database, { schemaVersion, additive: createTables })
  const t = await startServersFixture({ clock: testClock(), machines: servers, concurrency: 0, database })
  try {
    const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => t.documents.transaction(systemSession(), work)
    const machine = { vcpu: 2, ramBytes: 4 * 1024 ** 3, diskBytes: 40 * 1024 ** 3, keys: [t.installationLine] }
    for (let at = 1; at <= servers; at += 1) {
      const key = generateFirstHostKey()
      const public_ipv4 = t.cloud.start({ ...machine, name: `web-${at}`, userData: userData(key) })
      const { name } = await inTransaction((tx) =>
        tx.insert(ServerDoctype, {
          ...{ organization: 'acme', hostname: `web-${at}.acme.example`, status: 'Healthy', engine: 'ee' },
          ...{ public_ipv4, ssh_host_key: key.publicKey },
        }),
      )
      await t.documents.runAction(t.owner, 'Server', name, 'resync', {})
    }
    const count = (statuses: readonly string[]) =>
      inTransaction((tx) => tx.count(JobDoctype, [['status', 'in', statuses]]))
    let [most, atOnce] = [0, 0]
    await workAndKill(
      '',
      { connection: t.connection, place: t.place, job: null, concurrency: servers },
      async (kill, pid) => {
        while ((await count(['Done', 'Failed'])) < servers) {
          most = Math.max(most, await memoryOf(pid))
          atOnce = Math.max(atOnce, await count(['Running']))
          await wait(20)
        }
        kill()
      },
    )
    const done = await count(['Done'])
    return [
      { name: 'memory (PSS) of the worker, most', value: most / mebibyte, unit: 'MB', limit: 300 },
      {
        name: 'jobs that never ran beside as many as there are servers, least',
        value: servers - atOnce,
        unit: 'jobs',
        limit: servers / 2,
      },
      { name: 'jobs that did not succeed', value: servers - done, unit: 'jobs', limit: 0 },
    ]
  } finally {
    await t.stop()
  }
}
