/** A page of 20 out of 10,000 sites with filter and sorting, read from the document store on its own PostgreSQL. */
import { mkdtemp, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { startPostgres, removePostgres } from '#server/platform/postgres/postgres.ts'
import { silentStep } from '#server/platform/steps.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { documentsOn, sessionOf } from '#tests/support/documents.ts'

const rounds = 200

/** Requests as sent by the sites page. */
const queries = [
  { filters: [['status', '!=', 'Archived']], order_by: 'creation desc' },
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
      ['server', '=', 'serverserv'],
      ['site_type', '=', 'wp'],
    ],
    order_by: 'status asc',
  },
]

/**
 * Figures in milliseconds; the ratio compares with the same rows by plain SQL without permission checks and query parsing.
 */
export async function bench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-bench-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  const postgres = await startPostgres({ dataDir, log: silentLog, step: silentStep })
  const database = openDatabase({ connection: postgres.connection, log: silentLog })
  const t = await documentsOn({ database, drop: () => database.close() })
  try {
    await t.organization('fleet')
    await fill(database)
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
          sql`select * from tab_site where organization = 'fleet' and status <> 'Archived' order by creation desc, name desc limit 20`.execute(
            database.db,
          ),
        ),
      )
      counts.push(await timed(() => t.documents.count(session, 'Site', { filters: [['status', '!=', 'Archived']] })))
    }
    const plan = await sql<Record<string, string>>`explain select name from tab_site t where t.organization = 'fleet'
      and (t.status is null or t.status <> 'Archived') order by t.creation desc, t.name desc limit 20`.execute(
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
    await t.close()
    await postgres.stop()
    await removePostgres(dataDir)
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill({ db }: Pick<Database, 'db'>): Promise<void> {
  await sql`insert into tab_server (name, owner, creation, modified, modified_by, organization, hostname, status, engine, server_category)
    values ('serverserv', 'owner@fleet.example', now(), now(), 'owner@fleet.example', 'fleet', 'one', 'Healthy', 'local', 'development')`.execute(
    db,
  )
  await sql`insert into tab_site (name, owner, creation, modified, modified_by, organization, domain, status, server, site_type, php_version, wordpress_version, engine_host, health)
    select 's' || lpad(n::text, 9, '0'), 'owner@fleet.example', now() - n * interval '1 minute', now() - (n % 977) * interval '1 hour', 'owner@fleet.example',
      'fleet', 'site-' || n || '.example', (array['Live','Live','Live','Live','Archived','Failed','Suspended'])[1 + n % 7], 'serverserv',
      (array['wp','wp','php','html'])[1 + n % 4], (array['8.2','8.3','8.4','8.5'])[1 + n % 4], '6.' || n % 9, 'host', 'Up'
    from generate_series(1, 10000) n`.execute(db)
  await sql`analyze`.execute(db)
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
