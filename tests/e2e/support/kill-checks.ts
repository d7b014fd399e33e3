/** Conditions after a kill, for one site and for the whole product. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { JobStep } from '#shared/doctypes/job.ts'
import { ask } from '#tests/wire/raw.ts'
import { titleOf, type KillProduct } from './kill-product.ts'
import { siteProcesses } from './processes.ts'

/** A job as stored. */
export interface JobRow {
  status: string
  percent: number
  attempt: number
  steps: JobStep[]
  error_message: string | null
  next_action: string | null
}

/** A site as stored. */
export interface SiteRow {
  name: string
  domain: string
  status: string
  locked_by_job: string | null
  failure_reason: string | null
}

/** The job if it has ended, else null; null also while the database is down. */
export async function endedJob(opened: KillProduct, job: string): Promise<JobRow | null> {
  const rows = await opened
    .query<JobRow>(
      `select status, percent::int as percent, attempt::int as attempt, steps, error_message, next_action from tab_job
       where name = $1 and status in ('Done', 'Failed', 'Cancelled')`,
      [job],
    )
    .catch(() => [])
  return rows[0] ?? null
}

/** The stored site; null if there is none. */
export async function siteRow(opened: KillProduct, site: string): Promise<SiteRow | null> {
  const [row] = await opened.query<SiteRow>(
    'select name, domain, status, locked_by_job, failure_reason from tab_site where name = $1',
    [site],
  )
  return row ?? null
}

/** Problems of a Live site with a Done job; empty if there are none. */
export async function liveComplaints(opened: KillProduct, site: string, job: JobRow): Promise<string[]> {
  const problems: string[] = []
  const row = await siteRow(opened, site)
  if (row?.status !== 'Live' || row.failure_reason !== null) problems.push(`the site is ${JSON.stringify(row)}`)
  if (job.percent !== 100) problems.push(`the job stays at ${job.percent} %`)
  for (const step of job.steps)
    if (step.status !== 'Done' || step.percent !== 100 || !step.started || !step.ended)
      problems.push(`step ${step.key} is ${step.status} (${step.percent} %)`)
  // Each is stored once, regardless of retries.
  const entries = await opened.query<{ result: string }>(
    "select result from tab_activity where reference_name = $1 and action = 'site.create' order by creation",
    [site],
  )
  const results = entries.map(({ result }) => result).join()
  if (results !== 'Started,Done') problems.push(`the activity log has: ${results}`)

  const { port } = opened.product
  const page = await ask(port, { headers: { host: `${row?.domain}.localhost:${port}` } })
  if (page.status !== 200 || !page.body.includes(titleOf(row?.domain ?? '')) || !page.body.includes('</html>'))
    problems.push(`the page answers ${page.status}: ${page.body.slice(0, 200)}`)
  return [...problems, ...databaseComplaints(join(opened.sites, site, 'www', 'wp-content', 'database', '.ht.sqlite'))]
}

/** WordPress's own database: intact, in the one safe journal mode, installed once. */
function databaseComplaints(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const value = (query: string): unknown => Object.values(database.prepare(query).get() ?? {})[0]
    return [
      ['pragma integrity_check', 'ok'],
      ['pragma journal_mode', 'delete'],
      ['select count(*) from wp_users', 1],
      ["select count(*) from wp_posts where post_type = 'post'", 1],
      ["select count(*) from wp_options where option_name = 'blogname'", 1],
    ].flatMap(([query, expected]) => {
      const found = value(String(query))
      return found === expected ? [] : [`${String(query)} says ${String(found)}`]
    })
  } finally {
    database.close()
  }
}

/** Leftovers and locks while no job runs; empty if there are none. */
export async function leftovers(opened: KillProduct): Promise<string[]> {
  return (await Promise.all([orphanProcesses(opened), orphanFolders(opened), orphanRows(opened)])).flat()
}

/**
 * Only these may run: the server with its parent processes and its password hasher, which waits a minute for the next hash;
 * one PostgreSQL, PHP of Live sites, the worker.
 */
async function orphanProcesses(opened: KillProduct): Promise<string[]> {
  const all = await opened.product.processes()
  const byPid = new Map(all.map((one) => [one.pid, one]))
  const server = await opened.serverPid()
  const database = await opened.databasePid()
  const expected = new Set([server, database, opened.worker?.pid ?? 0])
  for (let above = byPid.get(server)?.parent; above && byPid.has(above); above = byPid.get(above)?.parent)
    expected.add(above)
  const live = await opened.query("select 1 from tab_site where status = 'Live'")
  const php = siteProcesses(all).filter((site) => site.all.some(({ parent }) => parent === server))
  for (const site of php.slice(0, live.length)) for (const { pid } of site.all) expected.add(pid)
  for (const { pid, parent, command } of all) if (parent === server && command.includes('hash-child')) expected.add(pid)
  return all
    .filter(({ pid, parent }) => !expected.has(pid) && parent !== database)
    .map(({ pid, parent, command }) => `process ${pid} of ${parent}: ${command}`)
}

async function listNames(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

/** Every site folder has a row and vice versa, and no partial folders exist. */
async function orphanFolders(opened: KillProduct): Promise<string[]> {
  const rows = await opened.query<{ name: string }>("select name from tab_site where engine = 'local'")
  const known = new Set(rows.map(({ name }) => name))
  const local = join(opened.product.dataDir, 'local')
  const folders = await listNames(opened.sites)
  const sockets = await listNames(join(local, 'run'))
  const spareCopies = await listNames(join(local, 'spare'))
  const inside = await Promise.all(
    folders.map(async (site) => (await listNames(join(opened.sites, site))).map((name) => `${site}/${name}`)),
  )
  const usual = /\/(?:www|logs|outbox|temporary|access|trash|tokens|baseline|rollback|pushed|site\.json)$/
  return [
    ...folders.filter((name) => !known.has(name)).map((name) => `folder ${name} without a row`),
    ...[...known].filter((name) => !folders.includes(name)).map((name) => `row ${name} without a folder`),
    ...sockets.filter((name) => !known.has(name.replace('.sock', ''))).map((name) => `socket ${name}`),
    ...spareCopies.filter((name) => !/^\d+(?:\.\d+)+/.test(name)).map((name) => `half a spare copy ${name}`),
    ...inside.flat().filter((name) => !usual.test(`/${name}`)),
  ]
}

async function orphanRows(opened: KillProduct): Promise<string[]> {
  const [locked, unended, runs, queued] = await Promise.all([
    opened.query(
      "select name, status, locked_by_job from tab_site where locked_by_job is not null or status not in ('Live', 'Failed', 'Archived')",
    ),
    opened.query("select name, job_type, status from tab_job where status not in ('Done', 'Failed', 'Cancelled')"),
    opened.query(
      "select r.job, r.worker, j.status from easydash_job_run r left join tab_job j on j.name = r.job where j.status is distinct from 'Failed' or r.worker is not null",
    ),
    opened.query("select id, name, state from pgboss.job where state < 'completed' and name like 'easydash%'"),
  ])
  return [locked, unended, runs, queued].flat().map((row) => JSON.stringify(row))
}
