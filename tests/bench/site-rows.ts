/** Rows of sites for benchmarks of the document store, on a PostgreSQL of its own. */
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { startPostgres, removePostgres } from '#server/platform/postgres/postgres.ts'
import { silentStep } from '#server/platform/steps.ts'
import { documentsOn, type TestDocuments } from '#tests/support/documents.ts'

/** A document store without rows. */
export interface Rows {
  readonly t: TestDocuments
  readonly database: Database
  close(): Promise<void>
}

/** Opens an empty database on a new PostgreSQL. */
export async function openBenchDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-bench-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  const postgres = await startPostgres({ dataDir, log: silentLog, step: silentStep })
  const { connection } = postgres
  const database = openDatabase({ connection, log: silentLog })
  const drop = async () => {
    await database.close()
    await postgres.stop()
    await removePostgres(dataDir)
    await rm(folder, { recursive: true, force: true })
  }
  return { database, connection, drop }
}

/** Opens the store on a new PostgreSQL. */
export async function openRows(): Promise<Rows> {
  const { database, drop } = await openBenchDatabase()
  const t = await documentsOn({ database, drop })
  return { t, database, close: () => t.close() }
}

/** The beginning of the name of an organization's site, which few of its other sites share. */
export function partOfName(n: number): string {
  return createHash('md5').update(`site ${n}`).digest('hex').slice(0, 6)
}

/** Adds a server and sites of all states to an organization. */
export async function addSites({ db }: Pick<Database, 'db'>, organization: string, count: number): Promise<void> {
  const [owner, server] = [`owner@${organization}.example`, `server-${organization}`]
  await sql`insert into tab_server (name, owner, creation, modified, modified_by, organization, hostname, status, engine, server_category)
    values (${server}, ${owner}, now(), now(), ${owner}, ${organization}, 'one', 'Healthy', 'local', 'development')`.execute(
    db,
  )
  // In parts: a statement has its time limit.
  for (let first = 1; first <= count; first += 1000)
    await sql`insert into tab_site (name, owner, creation, modified, modified_by, organization, domain, title, status, server, site_type, php_version, wordpress_version, engine_host, health, wordpress_checksum, createdby_email, attention)
    select substr(md5(${organization} || ':' || n), 1, 10), ${owner}, now() - n * interval '1 minute', now() - (n % 977) * interval '1 hour', ${owner},
      ${organization}, substr(md5('site ' || n), 1, 12) || '.' || ${organization} || '.example', 'Journal of ' || substr(md5('title ' || n), 1, 6),
      (array['Live','Live','Live','Live','Archived','Failed','Suspended'])[1 + n % 7], ${server},
      (array['wp','wp','php','html'])[1 + n % 4], (array['8.2','8.3','8.4','8.5'])[1 + n % 4], '6.' || n % 9, 'host',
      case when n % 50 = 0 then 'Down' else 'Up' end, case when n % 100 = 1 then 'Modified' else 'Verified' end,
      case when n % 3 = 0 then ${owner} end,
      (array[0,0,0,0,0,3,1])[1 + n % 7]
    from generate_series(${first}::int, ${Math.min(count, first + 999)}::int) n`.execute(db)
}

/** Brings PostgreSQL's statistics up to date. */
export async function analyze({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query('vacuum analyze')
}

/** Milliseconds that something takes. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

/** Quantile of the values; `share` from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
