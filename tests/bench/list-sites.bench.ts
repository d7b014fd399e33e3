/** A page of 20 out of 10,000 sites with filter and sorting, read from the document store on its own PostgreSQL. */
import { sql } from 'kysely'
import type { Figure } from '../../scripts/bench-run.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addSites, analyze, openRows, quantile, timed } from './site-rows.ts'

const rounds = 200

/** Requests as sent by the sites page. */
const queries = [
  { filters: [['status', '!=', 'Archived']], order_by: 'attention desc, creation desc' },
  {
    filters: [
      ['status', '!=', 'Archived'],
      ['php_version', '=', '8.4'],
    ],
    order_by: 'domain asc',
  },
  { filters: [['domain', 'like', '%77%']], order_by: 'modified desc' },
  { filters: [['status', 'in', ['Failed', 'Suspended']]], order_by: 'wordpress_version asc', limit_start: 40 },
  {
    filters: [
      ['server', '=', 'server-fleet'],
      ['site_type', '=', 'wp'],
    ],
    order_by: 'status asc',
  },
]

/**
 * Figures in milliseconds; the ratio compares with the same rows by plain SQL without permission checks and query parsing.
 */
export async function bench(): Promise<Figure[]> {
  const { t, database, close } = await openRows()
  try {
    await t.organization('fleet')
    await addSites(database, 'fleet', 10_000)
    await analyze(database)
    const session = sessionOf('owner@fleet.example', 'fleet')
    const fields = [
      'name',
      'domain',
      'status',
      'health',
      'server',
      'server.hostname',
      'php_version',
      'wordpress_version',
      'creation',
      'owner',
    ]
    const ask = (at: number) =>
      t.documents.list(session, 'Site', { ...queries[at % queries.length], fields, limit: 20 })
    for (let at = 0; at < 30; at += 1) await ask(at)
    const ours: number[] = []
    const plain: number[] = []
    const counts: number[] = []
    for (let at = 0; at < rounds; at += 1) {
      ours.push(await timed(() => ask(at)))
      plain.push(
        await timed(() =>
          sql`select * from tab_site where organization = 'fleet' and status <> 'Archived'
            order by attention desc, creation desc, name desc limit 20`.execute(database.db),
        ),
      )
      counts.push(await timed(() => t.documents.count(session, 'Site', { filters: [['status', '!=', 'Archived']] })))
    }
    const plan = await sql<Record<string, string>>`explain select name from tab_site t where t.organization = 'fleet'
      and (t.status is null or t.status <> 'Archived') order by t.attention desc, t.creation desc, t.name desc limit 20`.execute(
      database.db,
    )
    const usesIndex = plan.rows.some((row) => Object.values(row).join(' ').includes('Index'))
    return [
      { name: 'list of 20 from 10,000 sites, p95', value: quantile(ours, 0.95), unit: 'ms' },
      { name: 'list of 20, median', value: quantile(ours, 0.5), unit: 'ms' },
      { name: 'count of 10,000, p95', value: quantile(counts, 0.95), unit: 'ms' },
      {
        name: 'list / plain SQL page, medians',
        value: quantile(ours, 0.5) / quantile(plain, 0.5),
        unit: 'ratio',
        limit: 15,
      },
      { name: 'default order without an index (0 = index used)', value: usesIndex ? 0 : 1, unit: '', limit: 0 },
    ]
  } finally {
    await close()
  }
}
