/**
 * kill -9 of the server, the database, a site's PHP or a worker while a site is created: it always ends Live, or Failed with
 * a reason and a next step, and without leftovers. Twenty points in the long run, otherwise five.
 */
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { endedJob, leftovers, liveComplaints, siteRow, type JobRow } from './support/kill-checks.ts'
import { describePoint, killPoints, stopPoint, type KillPoint } from './support/kill-points.ts'
import { killAndWait, openKillProduct, processStat, until, type KillProduct } from './support/kill-product.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'
const points = killPoints(long)
const figures: string[] = []
let longest = 0

test.describe.configure({ mode: 'default', timeout: 480_000 })
test.skip(process.platform !== 'linux', 'needs /proc')

let opened: KillProduct | null = null

/** Closes the product of a test, also if the next one needs a different kind. */
async function close(): Promise<void> {
  await opened?.close()
  opened = null
}

async function product(options: { worker?: boolean } = {}): Promise<KillProduct> {
  if (opened && (opened.worker !== null) !== (options.worker ?? false)) await close()
  opened ??= await openKillProduct(options)
  return opened
}

test.afterAll(async () => {
  await close()
  if (figures.length > 0)
    process.stdout.write(`  ${figures.join('\n  ')}\n  kill -9: longest ${longest.toFixed(1)} s until the end\n`)
})

function measured(what: string, since: number): void {
  const seconds = (performance.now() - since) / 1000
  longest = Math.max(longest, seconds)
  figures.push(`kill -9 ${what}: ${seconds.toFixed(1)} s`)
}

/** Resolves when the step's work becomes visible. */
async function waitUntilUnderWay(
  at: KillProduct,
  site: string,
  { step }: KillPoint,
  ticksBefore: number,
): Promise<void> {
  const folder = join(at.sites, site)
  const database = join(folder, 'www', 'wp-content', 'database', '.ht.sqlite')
  const signs: Record<KillPoint['step'], () => Promise<boolean>> = {
    prepare_core: () => Promise.resolve(existsSync(join(folder, 'site.json'))),
    copy_files: () => Promise.resolve(existsSync(join(folder, 'www.new')) || existsSync(join(folder, 'www'))),
    start_php: async () => (await at.sitePids()).length > 0,
    install: async () => ((await stat(database).catch(() => null))?.size ?? 0) > 0,
    check: async () => (await phpTicks(at)) > ticksBefore,
    check_page: async () => (await phpTicks(at)) > ticksBefore,
  }
  await until(`work of ${step} to see`, async () => ((await signs[step]()) ? true : null))
}

/** CPU ticks the site's PHP has used so far. */
async function phpTicks(at: KillProduct): Promise<number> {
  const stats = await Promise.all((await at.sitePids()).map(processStat))
  return stats.reduce((sum, one) => sum + (one?.ticks ?? 0), 0)
}

/** Creates a site and kills the part at the given point; the server then continues, or is restarted. */
async function killAt(at: KillProduct, point: KillPoint, name: string) {
  await at.stopAt(stopPoint(point))
  const { site, job } = await at.create(name)
  await at.stopped()
  const ticks = await phpTicks(at)
  if (point.moment === 'during') {
    await at.continue()
    await waitUntilUnderWay(at, site, point, ticks)
  }
  const targetPids = {
    server: async () => [await at.serverPid()],
    database: async () => [await at.databasePid()],
    engine: () => at.sitePids(),
    worker: () => Promise.resolve([at.worker?.pid ?? 0]),
  }
  const pids = await targetPids[point.target]()
  expect(pids.length, 'the part runs').toBe(1)
  // Processes whose parent dies can be attributed to the product only if recorded before.
  await at.product.processes()
  const since = performance.now()
  for (const pid of pids) await killAndWait(pid)
  if (point.target === 'server') await at.product.restart()
  else if (point.moment !== 'during') await at.continue()
  return { site, job, since }
}

async function expectNothingLeft(at: KillProduct): Promise<void> {
  await expect.poll(() => leftovers(at), { timeout: 20_000, intervals: [50, 100, 250] }).toEqual([])
}

/** Runs an action and waits until its job has ended. */
async function runToEnd(at: KillProduct, doctype: string, name: string, action: string, args = {}): Promise<JobRow> {
  const { job } = await at.act(doctype, name, action, args)
  return until(`the end of ${action}`, () => endedJob(at, String(job)), 60_000)
}

/** Permanently deletes a site, and expects no leftovers. */
async function remove(at: KillProduct, site: string): Promise<void> {
  const row = await siteRow(at, site)
  const confirmed = { confirm_name: row?.domain }
  if (row?.status === 'Live') expect((await runToEnd(at, 'Site', site, 'archive', confirmed)).status).toBe('Done')
  expect((await runToEnd(at, 'Site', site, 'delete_permanently', confirmed)).status).toBe('Done')
  expect(await siteRow(at, site)).toBeNull()
  expect(await readdir(at.sites)).not.toContain(site)
  await expectNothingLeft(at)
}

/** Expects a failure with a reason and a next step, no lock, and no running process. */
async function expectReportedFailure(at: KillProduct, site: string, ended: JobRow): Promise<void> {
  expect(ended.status).toBe('Failed')
  figures.push(`Failed: ${ended.error_message} ${ended.next_action}`)
  expect(ended.error_message).toMatch(/\w.*\.$/)
  expect(ended.next_action).toMatch(/\w.*\.$/)
  const row = await siteRow(at, site)
  expect(row).toMatchObject({ status: 'Failed', locked_by_job: null })
  expect(row?.failure_reason).toContain(ended.next_action ?? '')
  await expectNothingLeft(at)
}

/** Kills every PHP process until the job ends. */
async function killAlways(at: KillProduct, job: string): Promise<JobRow> {
  const look = async (): Promise<JobRow | null> => {
    for (const pid of await at.sitePids()) if ((await processStat(pid)) !== null) await killAndWait(pid)
    return endedJob(at, job)
  }
  return until('the end of the job', look, 90_000)
}

function testKill(point: KillPoint, index: number): void {
  test(`kill -9: ${describePoint(point)}`, async () => {
    const at = await product({ worker: point.target === 'worker' })
    const { site, job, since } = await killAt(at, point, `kill-${index}`)
    let ended = await until('the end of the job', () => endedJob(at, job))
    measured(describePoint(point), since)
    if (ended.status === 'Failed') {
      await expectReportedFailure(at, site, ended)
      ended = await runToEnd(at, 'Job', job, 'retry')
    }
    expect(ended.status).toBe('Done')
    expect(await liveComplaints(at, site, ended)).toEqual([])
    await expectNothingLeft(at)
    if (point.target === 'worker') await at.startWorker()
    await remove(at, site)
  })
}

for (const [index, point] of points.entries()) if (point.target !== 'worker') testKill(point, index)

for (const moment of long ? cancelCrashPoints : cancelCrashPoints.slice(0, 1)) {
  test(`kill -9: server at ${moment} of a canceled creation`, async () => {
    const at = await product()
    const { site, job } = await at.create(moment)
    await until('PHP of the site', async () => ((await at.sitePids()).length > 0 ? true : null))
    await at.stopAt(crashPointName('site.create', moment))
    // The server may stop before it responds.
    void at.act('Job', job, 'cancel').catch(() => undefined)
    await at.stopped()
    await at.product.processes()
    const since = performance.now()
    await killAndWait(await at.serverPid())
    await at.product.restart()
    const ended = await until('the end of the job', () => endedJob(at, job))
    measured(`server at ${moment}`, since)
    expect(ended.status).toBe('Cancelled')
    expect(await siteRow(at, site)).toBeNull()
    await expectNothingLeft(at)
  })
}

test('kill -9: server while a site is awake', async () => {
  const at = await product()
  const { site, job } = await at.create('awake')
  const ended = await until('the end of the job', () => endedJob(at, job))
  expect((await at.sitePids()).length).toBe(1)
  const database = await at.databasePid()
  await at.product.processes()
  await killAndWait(await at.serverPid())
  // Only the database keeps running: no data is lost, and the next start takes it over.
  await expect
    .poll(async () => (await at.product.processes()).filter(({ command }) => !command.includes('postgres')))
    .toEqual([])
  await at.product.restart()
  expect(await at.databasePid()).toBe(database)
  expect(await liveComplaints(at, site, ended)).toEqual([])
  await remove(at, site)
})

test('kill -9: server while staging is pushed', async () => {
  const at = await product()
  const { site, job } = await at.create('pushed')
  const created = await until('the end of the creation', () => endedJob(at, job))
  const made = await at.act('Site', site, 'create_staging', { domain: 'pushed-staging' })
  const staging = String(made['name'])
  expect((await until('the end of the copy', () => endedJob(at, String(made['job']))))?.status).toBe('Done')
  await at.act('Site', staging, 'write_file', { path: 'staged.txt', content: 'of staging', version: null })
  expect((await runToEnd(at, 'Site', staging, 'plan_push')).status).toBe('Done')
  const { made_at } = await at.act('Site', staging, 'push_plan')

  // The served files were just exchanged, and nothing says so yet.
  await at.stopAt('local.push/new-moved')
  const push = await at.act('Site', staging, 'push_staging', {
    ...{ made_at, what: ['files', 'database'], take: [], take_all: [] },
  })
  await at.stopped()
  await at.product.processes()
  const since = performance.now()
  await killAndWait(await at.serverPid())
  await at.product.restart()
  const ended = await until('the end of the push', () => endedJob(at, String(push['job'])))
  measured('server while staging is pushed', since)
  expect(ended.status).toBe('Done')
  expect(await liveComplaints(at, site, created)).toEqual([])
  expect(await at.act('Site', site, 'read_file', { path: 'staged.txt' })).toMatchObject({ content: 'of staging' })
  await expectNothingLeft(at)
  for (const one of [staging, site]) await remove(at, one)
})

if (long) {
  test('kill -9: engine repeatedly', async () => {
    const at = await product()
    const { site, job } = await at.create('stubborn')
    await expectReportedFailure(at, site, await killAlways(at, job))
    const ended = await runToEnd(at, 'Job', job, 'retry')
    expect(ended.status).toBe('Done')
    expect((await siteRow(at, site))?.status).toBe('Live')
    await expectNothingLeft(at)
    await remove(at, site)

    const other = await at.create('hopeless')
    await expectReportedFailure(at, other.site, await killAlways(at, other.job))
    await remove(at, other.site)
  })
}

test('kill -9: the activity log is still intact', async () => {
  const at = await product()
  expect(await at.command('audit', 'verify')).toMatch(/✓ fernhill-web: \d+ entries/)
})

for (const [index, point] of points.entries()) if (point.target === 'worker') testKill(point, index)
