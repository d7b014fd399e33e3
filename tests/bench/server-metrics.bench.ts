/** Samples of 1,000 servers that arrive in the same slot, and a week of samples as the graphs read it. */
import { sql } from 'kysely'
import { demoSamples } from '#server/demo-metrics.ts'
import { evaluateAlerts } from '#server/features/metrics/alerts/evaluate-alerts.ts'
import { metricsTables } from '#server/features/metrics/metrics-tables.ts'
import { readMetrics } from '#server/features/metrics/read-metrics.ts'
import { storeSamples } from '#server/features/metrics/store-samples.ts'
import { systemClock } from '#server/jobs/clock.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { analyze, openRows, quantile, timed } from './site-rows.ts'

const machine = { hostname: 'web', cpu: 4, ram: 8e9, disk: 8e10, total_swap: 2e9 }
const rounds = 20

/** Milliseconds. */
export async function bench(): Promise<Figure[]> {
  const rows = await openRows()
  try {
    const { t, database } = rows
    await t.organization('acme')
    await t.documents.transaction(t.system, ({ trx }) => metricsTables(trx))
    await sql`insert into tab_server (name, owner, creation, modified, modified_by, organization, hostname, status)
      select 's' || n, 'System', now(), now(), 'System', 'acme', 'web-' || n, 'Healthy' from generate_series(1, 1000) n`.execute(
      database.db,
    )
    const now = Math.floor(Date.now() / 1000)
    const samples = demoSamples(machine, now)
    const week = samples.slice(0, -1)
    const store = (server: string, given: typeof samples) =>
      t.documents.transaction(t.system, (tx) => storeSamples(tx, [server], given))
    const weekMs = await timed(() => store('s1', week))
    for (let n = 2; n <= 40; n += 1) await store(`s${n}`, week)
    await analyze(database)
    const tickMs = await timed(() =>
      Promise.all(Array.from({ length: 1000 }, (_, n) => store(`s${n + 1}`, samples.slice(-1)))),
    )
    const clock = { ...systemClock, now: () => now * 1000 }
    const judge = () => evaluateAlerts({ documents: () => t.documents, clock })
    const firstAlertsMs = await timed(judge)
    const alertsMs = await timed(judge)
    await sql`create table plain_sample (like easydash_server_sample including all)`.execute(database.db)
    const plainTickMs = await timed(() =>
      Promise.all(
        Array.from({ length: 1000 }, (_, n) =>
          t.documents.transaction(t.system, ({ trx }) =>
            sql`insert into plain_sample select * from easydash_server_sample
              where server = ${`s${n + 1}`} order by slot desc limit 1`.execute(trx),
          ),
        ),
      ),
    )
    const reads: number[] = []
    const plainReads: number[] = []
    for (let n = 0; n < rounds; n += 1) {
      plainReads.push(
        await timed(() => sql`select * from easydash_server_sample where server = 's1'`.execute(database.db)),
      )
      reads.push(
        await timed(async () => {
          const server = { name: 's1', hostname: 'web' }
          JSON.stringify(await t.documents.transaction(t.system, (tx) => readMetrics(tx, server, '7d', now * 1000)))
        }),
      )
    }
    return [
      { name: 'a sample of each of 1,000 servers', value: tickMs, unit: 'ms' },
      { name: 'the same / plain inserts', value: tickMs / plainTickMs, unit: 'ratio', limit: 5 },
      {
        name: 'alert rules of 1,000 servers judged',
        value: Math.max(firstAlertsMs, alertsMs),
        unit: 'ms',
        limit: 2000,
      },
      { name: 'a week that an agent could not send', value: weekMs, unit: 'ms' },
      { name: 'answer of seven days, p50', value: quantile(reads, 0.5), unit: 'ms' },
      {
        name: 'the same / its rows by plain SQL, medians',
        value: quantile(reads, 0.5) / quantile(plainReads, 0.5),
        unit: 'ratio',
        limit: 6,
      },
    ]
  } finally {
    await rows.close()
  }
}
