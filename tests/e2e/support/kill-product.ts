/** A product whose parts can be killed at chosen moments: started as a user does, controlled through the API. Linux only. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { silentLog } from '#server/platform/log/log.ts'
import { runningServer } from '#server/platform/postgres/pid-file.ts'
import { startPostgres, type Postgres, type PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { prepareLocation } from '#server/platform/postgres/location.ts'
import { silentStep } from '#server/platform/steps.ts'
import { createBrowser, type Browser } from '#tests/wire/browser.ts'
import { productConnection, urlOf } from '#tests/support/product-database.ts'
import { startProduct, type Product } from './harness.ts'
import { siteProcesses } from './processes.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 'easydash.mjs')
const password = 'Quiet-Harbour-91!'

/** The product under test. */
export interface KillProduct {
  readonly product: Product
  /** Name of this machine's Server document. */
  readonly machine: string
  /** Folder of the sites. */
  readonly sites: string
  /** Rows of a query, even while the server is stopped. Rejects while there is no database. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Starts creating a WordPress. */
  create(name: string): Promise<{ site: string; job: string }>
  /** Runs an action of a document and returns its response. */
  act(doctype: string, name: string, method: string, args?: object): Promise<Record<string, unknown>>
  /** Makes the server stop at this crash point. */
  stopAt(point: string): Promise<void>
  /** Resolves when it has stopped. */
  stopped(): Promise<void>
  continue(): Promise<void>
  /** Current process IDs of the parts. */
  serverPid(): Promise<number>
  databasePid(): Promise<number>
  /** Processes of running sites. */
  sitePids(): Promise<number[]>
  /** Runs an `npm run easydash` command alongside the product and returns its output. Rejects if it fails. */
  command(...words: string[]): Promise<string>
  /** The second process for jobs; null if there is none. */
  worker: ChildProcess | null
  startWorker(): Promise<void>
  close(): Promise<void>
}

/** Polls until there is a result; rejects after the timeout with the name of what it waited for. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | null>,
  withinMs = 100_000,
): Promise<NonNullable<Found>> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain: ${what}.`)
    await delay(20)
  }
}

/** State letter and CPU times of a process; null if it is gone. */
export async function processStat(pid: number): Promise<{ state: string; ticks: number } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (!fields || fields[0] === 'Z') return null
  return { state: fields[0] ?? '', ticks: Number(fields[11]) + Number(fields[12]) }
}

/** Sends SIGKILL; resolves when the process is gone. */
export async function killAndWait(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await until(`process ${pid} ends`, async () => ((await processStat(pid)) === null ? true : null))
}

/** Starts the product with its first account and an organization on the largest plan. */
export async function openKillProduct(options: { worker?: boolean } = {}): Promise<KillProduct> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-kill-'))
  await chmod(folder, 0o755)
  const stopFile = join(folder, 'stop-at')
  const external = options.worker
    ? await startPostgres({ dataDir: join(folder, 'data'), log: silentLog, step: silentStep })
    : null
  const databaseUrl: Record<string, string> = external ? { DATABASE_URL: urlOf(external.connection) } : {}
  let product: Product
  try {
    // No thumbnails: they start when a site is Live, when these tests check for running processes. Kills of their browser
    // are tested separately.
    product = await startProduct({
      env: { EASYDASH_STOP_FILE: stopFile, EASYDASH_THUMBNAILS: 'off', ...databaseUrl },
    })
  } catch (error) {
    await external?.stop()
    throw error
  }
  const browser = createBrowser(product.url)
  const cluster = external ? null : (await prepareLocation(product.dataDir)).cluster

  const connection = async (): Promise<PostgresConnection> => {
    if (external) return external.connection
    return productConnection(product.dataDir)
  }
  /** For a second process on the same data: the product's database and keys. */
  const environment = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    EASYDASH_DATA_DIR: product.dataDir,
    ...databaseUrl,
  })
  const serverPid = async (): Promise<number> =>
    Number((await readFile(join(product.dataDir, 'server.lock'), 'utf8')).split(' ')[0])

  const opened: KillProduct = {
    product,
    machine: '',
    sites: join(product.dataDir, 'local', 'sites'),
    worker: null,
    async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      const client = new pg.Client(await connection())
      client.on('error', () => undefined)
      try {
        await client.connect()
        return (await client.query<Row>(text, [...values])).rows
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    async create(name) {
      const response: Promise<unknown> = browser.app.db().createDoc('Site', {
        domain: name,
        server: opened.machine,
        site_type: 'wp',
        title: titleOf(name),
        admin_user: 'admin',
        admin_email: 'admin@fernhill.example',
      })
      // The server may stop in the job's first step, before it responds; both are then read from the database.
      const failed = response.then(
        () => null,
        (error: unknown) => ({ error }),
      )
      return until(`the creation of ${name}`, async () => {
        const [row] = await opened.query<{ site: string; job: string }>(
          `select site.name as site, job.name as job from tab_site site
           join tab_job job on job.reference_doctype = 'Site' and job.reference_name = site.name
           where site.domain = $1 and job.job_type = 'site.create'`,
          [name],
        )
        if (row) return row
        const failure = await Promise.race([failed, delay(50, null)])
        if (failure) throw failure.error
        return null
      })
    },
    async act(doctype, name, method, args = {}) {
      const response: unknown = await browser.app.call().post('run_doc_method', { dt: doctype, dn: name, method, args })
      return (response as { message: Record<string, unknown> }).message
    },
    stopAt: (point) => writeFile(stopFile, point),
    async stopped() {
      const pid = await serverPid()
      await until('the server stands still', async () => ((await processStat(pid))?.state === 'T' ? true : null))
    },
    async continue() {
      process.kill(await serverPid(), 'SIGCONT')
    },
    serverPid,
    async databasePid() {
      return external?.pid ?? (await runningServer(cluster ?? ''))?.pid ?? 0
    },
    async sitePids() {
      return siteProcesses(await product.processes()).map(({ inner }) => inner.pid)
    },
    command: async (...args) => (await run(process.execPath, [script, ...args], { env: environment() })).stdout,
    async startWorker() {
      opened.worker = await startWorker(environment())
    },
    async close() {
      if (opened.worker?.exitCode === null) {
        opened.worker.kill('SIGINT')
        await once(opened.worker, 'exit')
      }
      // After a failure the server may still stand at a crash point, where it would never end.
      for (const { pid } of await product.processes())
        if ((await processStat(pid))?.state === 'T') process.kill(pid, 'SIGCONT')
      await product.close()
      await external?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    Object.assign(opened, { machine: await firstAccount(opened, browser, external) })
    if (options.worker) await opened.startWorker()
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Title of a site by its name. */
export function titleOf(name: string): string {
  return `Harbour ${name}`
}

/** Signs up and creates the organization; returns this machine's Server document. */
async function firstAccount(opened: KillProduct, browser: Browser, external: Postgres | null): Promise<string> {
  const { product } = opened
  await browser.app.call().post('easydash.api.account.sign_up', {
    first_name: 'Ada',
    last_name: 'Berg',
    email: 'ada@fernhill.example',
    password,
    termsAndCondition: 1,
    setup_token: new URL(product.setupLink ?? '').searchParams.get('setup'),
  })
  await browser.loadPage()
  await browser.app.db().createDoc('Organization', { title: 'Fernhill Web', slug: 'fernhill-web' })
  // As a platform admin would: the tests create more sites than the free plan allows.
  await opened.query("update tab_organization set plan = 'Enterprise'")
  const [server] = await opened.query<{ name: string }>("select name from tab_server where engine = 'local'")
  if (!server) throw new Error(`There is no server (database ${external ? 'external' : 'built in'}).`)
  return server.name
}

/** `npm run easydash -- worker` alongside the product. */
async function startWorker(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [script, 'worker'], { stdio: ['ignore', 'pipe', 'pipe'], env })
  let output = ''
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  await until(
    'the worker runs',
    () => {
      if (worker.exitCode !== null) throw new Error(`The worker ended:\n${output}`)
      return Promise.resolve(output.includes('The worker runs.') ? true : null)
    },
    60_000,
  )
  return worker
}
