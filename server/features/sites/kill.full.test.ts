import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Job } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { thisMachine, type SiteRef } from '#server/engines/site-ref.ts'
import { cancelCrashPoints, crashPointName, crashPointsOf } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { makeOrganization, untilEnded } from '#tests/support/jobs.ts'
import { childOrder, startSiteProcess, type ChildOrder, type SiteProcess } from '#tests/support/site-process.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'
const points = crashPointsOf('site.create', [
  'prepare_core',
  'copy_files',
  'start_php',
  'install',
  'check',
  'check_page',
])
/** The short run uses one kill point of each kind, spread over the steps. */
const sample = [
  'site.create/claimed',
  'site.create/prepare_core/after-intent',
  'site.create/copy_files/after-run',
  'site.create/install/after-record',
  'site.create/before-done',
]

let database: TestDatabase
let folder: string
let observer: SiteProcess
let server: Server

beforeAll(async () => {
  database = await createProductDatabase()
  folder = await mkdtemp(join(tmpdir(), 'easydash-kill-'))
  observer = await startSiteProcess(database.database, folder, { start: false })
  await makeOrganization(observer.documents, 'acme')
  server = await observer.documents.transaction(systemSession(), (tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'testbox',
      engine: 'fake',
      engine_host: 'fake:this',
      status: 'Healthy',
    }),
  )
})
afterAll(async () => {
  await observer?.stop()
  await database?.drop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** Starts a child process that creates, clones or renames a site and kills itself at a point; returns what it reported before. */
async function killAt(
  point: string,
  domain: string,
  { cancelAt, cloneOf, renames }: Pick<ChildOrder, 'cancelAt' | 'cloneOf' | 'renames'> = {},
): Promise<{ site: string; job: string }> {
  const order: ChildOrder = {
    connection: database.connection,
    folder,
    site: { domain, server: server.name, organization: 'acme', owner: 'owner@acme.example' },
    ...(cancelAt ? { cancelAt } : {}),
    ...(cloneOf ? { cloneOf } : {}),
    ...(renames ? { renames } : {}),
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../tests/support/site-process.ts')], {
    env: { PATH: process.env['PATH'], [childOrder]: JSON.stringify(order), EASYDASH_CRASH_AT: point },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let wrong = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    wrong += chunk.toString()
  })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect([signal, wrong]).toEqual(['SIGKILL', ''])
  if (output) {
    const { site, job } = JSON.parse(output) as { site?: string; job: string }
    return { site: site ?? renames ?? '', job }
  }
  // Killed before it could report: the rows are committed, so they can be found.
  const [site] = await observer.documents.transaction(systemSession(), (tx) =>
    tx.list(SiteDoctype, [renames ? ['name', '=', renames] : ['domain', '=', domain]]),
  )
  return { site: site?.name ?? '', job: site?.locked_by_job ?? '' }
}

const readSite = (name: string) => observer.documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, name))

/** Starts a new process as after a restart; resolves with the finished job, and what its engine was called for. */
async function recover(job: string): Promise<{ job: Job; calls: string[] }> {
  const next = await startSiteProcess(database.database, folder)
  const ended = await untilEnded(next.documents, job)
  const calls = [...next.engine.begun]
  await next.stop()
  return { job: ended, calls }
}

describe('kill -9 while a site is created', () => {
  test('there are at least 20 generated points', () => {
    expect(points.length).toBeGreaterThanOrEqual(20)
    for (const point of sample) expect(points).toContain(point)
  })

  test.each(long ? points : sample)('at %s: it goes on after the restart and ends Live', async (point) => {
    const domain = `kill-${points.indexOf(point)}`
    const { site, job } = await killAt(point, domain)
    expect(site).not.toBe('')
    if (point === 'site.create/after-done') {
      // Everything was written; only the queue's own row is left to complete.
      expect(await readSite(site)).toMatchObject({ status: 'Live', locked_by_job: null })
      return
    }
    const result = await recover(job)
    expect(result.job).toMatchObject({ status: 'Done', percent: 100, attempt: 2 })
    expect(result.job.steps?.every((step) => step.status === 'Done')).toBe(true)
    expect(await readSite(site)).toMatchObject({ status: 'Live', locked_by_job: null, health: 'Up' })
    // Steps recorded as done are not run again.
    if (point.startsWith('site.create/install/after-record')) expect(result.calls).not.toContain(`${domain}:copy_files`)
  })

  test('the queue holds nothing of jobs that ended', async () => {
    const { rows } = await database.database.pool.query('select job from easydash_job_run')
    expect(rows).toEqual([])
    const waiting = await database.database.pool.query("select id from pgboss.job where state < 'completed'")
    expect(waiting.rows).toEqual([])
  })
})

describe('kill -9 while a canceled creation is undone', () => {
  test.each(cancelCrashPoints.map((moment) => crashPointName('site.create', moment)))(
    'at %s: nothing is left',
    async (point) => {
      const { site, job } = await killAt(point, 'hang-install', { cancelAt: 'install' })
      const result = await recover(job)
      expect(result.job).toMatchObject({ status: 'Cancelled', cancelled_by: 'owner@acme.example' })
      expect(await readSite(site)).toBeNull()
      expect(observer.engine.traces()).not.toContain(site)
    },
  )
})

describe('kill -9 while a site is cloned', () => {
  const clonePoints = crashPointsOf('site.clone', ['copy_files', 'replace_urls', 'settle', 'check', 'check_page'])
  const cloneSample = ['site.clone/claimed', 'site.clone/copy_files/after-run', 'site.clone/settle/after-intent']
  let source: { site: string; before: string }
  const fileOf = (name: string) => readFile(join(folder, `${name}.json`), 'utf8')

  beforeAll(async () => {
    const { site, job } = await killAt('site.create/after-done', 'kill-source')
    expect(job).toBeDefined()
    source = { site, before: await fileOf(site) }
  })

  test.each(long ? clonePoints : cloneSample)(
    'at %s: it goes on after the restart, and the source stays as it is',
    async (point) => {
      const domain = `clone-${clonePoints.indexOf(point)}`
      const { site, job } = await killAt(point, domain, { cloneOf: source.site })
      if (point !== 'site.clone/after-done')
        expect((await recover(job)).job).toMatchObject({ status: 'Done', percent: 100 })
      expect(await readSite(site)).toMatchObject({ status: 'Live', locked_by_job: null, cloned_from: source.site })
      expect(await fileOf(source.site)).toBe(source.before)
    },
  )

  test.each(cancelCrashPoints.map((moment) => crashPointName('site.clone', moment)))(
    'at %s: nothing of the canceled clone is left',
    async (point) => {
      const { site, job } = await killAt(point, 'hang-settle', { cloneOf: source.site, cancelAt: 'settle' })
      expect((await recover(job)).job).toMatchObject({ status: 'Cancelled' })
      expect(await readSite(site)).toBeNull()
      expect(observer.engine.traces()).not.toContain(site)
      expect(await fileOf(source.site)).toBe(source.before)
    },
  )
})

describe('kill -9 while the primary domain is changed', () => {
  const type = 'site.change_domain'
  const movePoints = crashPointsOf(type, ['pause', 'replace_urls', 'rename', 'check', 'check_page', 'open'])
  const moveSample = [`${type}/claimed`, `${type}/rename/after-run`, `${type}/open/after-run`, `${type}/before-done`]
  let site: string
  const namesOf = () => observer.engine.domains.read(refOf(site))

  beforeAll(async () => {
    ;({ site } = await killAt('site.create/after-done', 'kill-names'))
  })

  test.each(long ? movePoints : moveSample)('at %s: it goes on after the restart', async (point) => {
    const before = (await readSite(site))?.domain
    const to = `moved-${movePoints.indexOf(point)}`
    const { job } = await killAt(point, to, { renames: site })
    if (point !== `${type}/after-done`) expect((await recover(job)).job).toMatchObject({ status: 'Done' })
    expect(await readSite(site)).toMatchObject({ status: 'Live', locked_by_job: null, domain: to, health: 'Up' })
    const names = await namesOf()
    expect(names).toMatchObject({ domain: to, changingTo: null })
    expect(names.aliases).toContainEqual({ domain: before, mode: 'redirect' })
  })

  test.each(cancelCrashPoints.map((moment) => crashPointName(type, moment)))(
    'at %s: a canceled change leaves names as they were',
    async (point) => {
      const before = [(await readSite(site))?.domain, await namesOf()]
      const { job } = await killAt(point, 'hang-check', { renames: site, cancelAt: 'check' })
      expect((await recover(job)).job).toMatchObject({ status: 'Cancelled' })
      expect([(await readSite(site))?.domain, await namesOf()]).toEqual(before)
      expect(await readSite(site)).toMatchObject({ status: 'Live', locked_by_job: null })
    },
  )
})

const refOf = (id: string): SiteRef => ({
  id,
  domain: 'any',
  siteType: 'wp',
  phpVersion: '8.4',
  server: thisMachine,
})
