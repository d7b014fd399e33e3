/**
 * What people do most on the page of a real WordPress site, and one bulk run over many sites that is paused, resumed and killed
 * (kill -9) in the middle. `EASYDASH_BENCH_SITES` changes their number.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { BulkRun } from '#shared/doctypes/bulk-run.ts'
import type { BulkRow } from '#shared/responses/bulk.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { siteProcesses } from '#tests/e2e/support/processes.ts'
import { productConnection } from '#tests/support/product-database.ts'
import {
  allAsleep,
  benchSettings,
  createSite,
  createWordPress,
  deleteSite,
  finished,
  median,
  repeat,
  siteAction,
  signUpOwner,
  timed,
  watchMemory,
  type BenchOwner,
} from './bench-product.ts'

const sites = Number(process.env['EASYDASH_BENCH_SITES'] ?? 50)
/** Sites that may be awake at once, and the default cap of each in bytes. */
const awakeMax = 3
const memoryCap = 768 * 1024 * 1024
const plugins = 40

/** Figures of one site, then of the bulk run. */
export async function bench(): Promise<Figure[]> {
  const env = { ...benchSettings, EASYDASH_SITES_AWAKE_MAX: String(awakeMax), EASYDASH_SITE_IDLE_MINUTES: '0.05' }
  const product = await startProduct({ env })
  try {
    const owner = await signUpOwner(product)
    await liftPlan(product)
    const site = await createWordPress(owner, 'front')
    await addPlugins(product, site)
    return [...(await siteFigures(product, owner, site)), ...(await bulkFigures(product, owner, site))]
  } finally {
    await product.close()
  }
}

/** The free plan has room for a few sites only. */
async function liftPlan({ dataDir }: Product): Promise<void> {
  const client = new pg.Client(await productConnection(dataDir))
  await client.connect()
  try {
    await client.query("update tab_organization set plan = 'Enterprise'")
  } finally {
    await client.end()
  }
}

/** Plugins as installed by hand: one file each. */
async function addPlugins(product: Product, site: string): Promise<void> {
  const folder = join(product.dataDir, 'local', 'sites', site, 'www', 'wp-content', 'plugins')
  for (let at = 1; at <= plugins; at += 1) {
    const name = `plugin-${at}`
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(join(folder, name, `${name}.php`), `<?php\n/* Plugin Name: Plugin ${at}\n * Version: 1.${at} */\n`)
  }
}

async function siteFigures(product: Product, owner: BenchOwner, site: string): Promise<Figure[]> {
  const list = (method: string) => async (): Promise<void> => {
    const found = await siteAction<{ facts: { plugins: unknown[] } | null }>(owner, site, method)
    if ((found.facts?.plugins.length ?? 0) < plugins) throw new Error('Plugins are missing.')
  }
  const listAlone = async (): Promise<void> => {
    const found = await siteAction<unknown[]>(owner, site, 'list_plugins')
    if (found.length < plugins) throw new Error('Plugins are missing.')
  }
  const cold: number[] = []
  const whole: number[] = []
  for (let round = 0; round < 3; round += 1) {
    await allAsleep(product)
    cold.push(await timed(listAlone))
    await allAsleep(product)
    whole.push(await timed(list('inspect_wordpress')))
  }
  const stored: number[] = []
  for (let round = 0; round < 9; round += 1) stored.push(await timed(list('wordpress_facts')))
  const sums: number[] = []
  for (let round = 0; round < 3; round += 1) sums.push(await timed(() => runJob(owner, site, 'verify_checksum')))
  const clones: number[] = []
  const creations: number[] = []
  for (let round = 0; round < 3; round += 1) {
    creations.push(await timed(async () => void (await createWordPress(owner, `created-${round}`))))
    clones.push(await timed(() => runJob(owner, site, 'clone', { domain: `copy-${round}` })))
  }
  for (const { name } of await othersThan(owner, site)) await deleteSite(owner, name)
  return [
    { name: `${plugins} plugins, cold (site asleep), median of 3`, value: median(cold) / 1000, unit: 's (1.5)' },
    { name: 'everything in the tab WordPress, cold, median of 3', value: median(whole) / 1000, unit: 's' },
    { name: 'plugins / everything, cold', value: median(cold) / median(whole), unit: 'ratio', limit: 0.85 },
    { name: `${plugins} plugins, stored, median of 9`, value: median(stored), unit: 'ms (200)' },
    { name: 'stored / everything, cold', value: median(stored) / median(whole), unit: 'ratio', limit: 0.2 },
    { name: 'checksums of core and plugins, median of 3', value: median(sums) / 1000, unit: 's (5)' },
    { name: 'clone of the default site, median of 3', value: median(clones) / 1000, unit: 's (15)' },
    { name: 'clone / creation of a site', value: median(clones) / median(creations), unit: 'ratio', limit: 3 },
  ]
}

const runJob = async (owner: BenchOwner, site: string, method: string, args: object = {}): Promise<void> =>
  finished(owner.browser, (await siteAction<{ job: string }>(owner, site, method, args)).job)

async function othersThan({ browser }: BenchOwner, site: string): Promise<{ name: string }[]> {
  return browser.app
    .db()
    .getDocList<{ name: string }>('Site', { fields: ['name'], filters: [['name', '!=', site]], limit: 100 })
}

/** A bulk run over all sites: what was observed of its machine meanwhile, and how it ended. */
async function bulkFigures(product: Product, owner: BenchOwner, first: string): Promise<Figure[]> {
  const names = [first]
  // A fifth of them are WordPress, which takes most of the time and memory.
  for (let at = names.length; at < sites; at += 1)
    names.push(await createSite(owner, `bulk-${at}`, at % 5 === 0 ? 'wp' : 'php'))
  const { browser } = owner
  const call = <T>(method: string, args: object) => browser.app.call().post<{ message: T }>(method, args)
  const ofRun = async <T>(dn: string, method: string) =>
    (await call<T>('run_doc_method', { dt: 'Bulk Run', dn, method, args: '{}' })).message
  const observed = observe(product)
  const started = performance.now()
  const { message } = await call<{ name: string }>('easydash.api.site.start_bulk_run', {
    action: 'set_php_version',
    argument: '8.3',
    sites: JSON.stringify(names),
  })
  const run = message.name
  const now = () => browser.app.db().getDoc<BulkRun>('Bulk Run', run)
  const untilDone = async (share: number): Promise<void> => {
    while (((await now()).done ?? 0) < share * sites) await delay(100)
  }
  await untilDone(0.2)
  await ofRun(run, 'pause')
  await ofRun(run, 'resume')
  await untilDone(0.5)
  await product.processes()
  await product.kill9()
  await product.restart()
  while ((await now()).status !== 'Done') await delay(200)
  const took = performance.now() - started
  const most = await observed()
  const rows = await ofRun<BulkRow[]>(run, 'rows')
  const changed = await browser.app.db().getDocList<{ name: string }>('Site', {
    fields: ['name'],
    filters: [
      ['php_version', '=', '8.3'],
      ['status', '=', 'Live'],
    ],
    limit: sites + 1,
  })
  const isTrue = ({ site, state, reason }: BulkRow) =>
    state === 'done' ? changed.some(({ name }) => name === site) : state === 'failed' && reason !== null
  return [
    { name: `bulk run over ${sites} sites, with pause and kill`, value: took / 1000, unit: 's' },
    { name: 'its sites that are done', value: rows.filter(({ state }) => state === 'done').length, unit: 'sites' },
    { name: 'rows without a truth', value: rows.filter((row) => !isTrue(row)).length, unit: 'rows', limit: 0 },
    { name: 'most sites awake / configured', value: most.awake / awakeMax, unit: 'ratio', limit: 1 },
    { name: 'most memory of all awake sites (PSS)', value: most.bytes / 1024 / 1024, unit: 'MB' },
    { name: 'the same / configured cap of each', value: most.bytes / (awakeMax * memoryCap), unit: 'ratio', limit: 1 },
  ]
}

/** Looks at the processes of sites again and again; the result ends it, and has the highest values. */
function observe(product: Product): () => Promise<{ awake: number; bytes: number }> {
  let awake = 0
  const end = repeat(async () => {
    awake = Math.max(awake, siteProcesses(await product.processes()).length)
  })
  const mostBytes = watchMemory(product, (command) => command.includes('site-process'))
  return async () => {
    const [bytes] = await Promise.all([mostBytes(), end()])
    return { awake, bytes }
  }
}
