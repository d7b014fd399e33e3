import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { insertEeServer, startEeSites, workAndKill } from '#tests/support/ee-sites.ts'
import { makeOrganization, shortPauses, until, untilEnded } from '#tests/support/jobs.ts'

/** kill -9 of the worker while a staging site on a server is pushed: the push is completed, or the site is as before. */

let database: TestDatabase
let t: EeServer
/** Asks for jobs; after the setup, others work on them. */
let running: Awaited<ReturnType<typeof startEeSites>>
let owner: Session
let live: Site
let staging: Site

const siteNow = async (name: string): Promise<Site> =>
  (await running.documents.transaction(systemSession(), (tx) => tx.get(SiteDoctype, name))) as Site
const path = ({ domain }: Site, name: string) => join(t.root, 'opt/easyengine/sites', domain, 'app/htdocs', name)
const write = async (site: Site, name: string, text: string) => {
  await mkdir(dirname(path(site, name)), { recursive: true })
  await writeFile(path(site, name), text)
}
const read = (site: Site, name: string) => readFile(path(site, name), 'utf8').catch(() => null)
const act = async (site: Site, action: string, args: Record<string, unknown> = {}) =>
  String(Reflect.get((await running.documents.runAction(owner, 'Site', site.name, action, args)) as object, 'job'))
const isOver = (one: Job | null) => ['Done', 'Failed', 'Cancelled'].includes(one?.status ?? '')

/** Has workers work on a job, each of which is killed at the next of the points; the last one gets to its end. */
async function work(job: string, points: readonly string[] = []): Promise<Job | null> {
  const order = { connection: database.connection, place: t.place, job }
  for (const point of points) await workAndKill(point, order)
  let ended: Job | null = null
  await workAndKill('', order, async (kill) => {
    ended = await until(running.documents, JobDoctype, job, isOver)
    kill()
  })
  return ended
}

beforeAll(async () => {
  database = await createProductDatabase()
  t = await startEeServer()
  running = await startEeSites(database.database, t.place, { clock: shortPauses })
  owner = await makeOrganization(running.documents, 'acme')
  const server = await insertEeServer(running, t)
  const made = await running.documents.insert(owner, 'Site', {
    ...{ server: server.name, domain: 'live.example.com', site_type: 'wp', title: 'Live' },
    ...{ admin_user: 'ann', admin_email: 'ann@acme.example' },
  })
  expect(await untilEnded(running.documents, String(made['job']))).toMatchObject({ status: 'Done' })
  live = await siteNow(made.name)
  await write(live, 'wp-content/uploads/own.txt', 'of the site')
  const copied = (await running.documents.runAction(owner, 'Site', live.name, 'create_staging', {
    domain: 'staging.example.com',
  })) as { name: string; job: string }
  expect(await untilEnded(running.documents, copied.job)).toMatchObject({ status: 'Done' })
  staging = await siteNow(copied.name)
  await running.stop()
  running = await startEeSites(database.database, t.place, { concurrency: 0 })
}, 600_000)
afterAll(async () => {
  await running?.stop()
  await t?.end()
  await database?.drop()
})

const refOf = ({ name, domain }: Site) => ({
  ...{ id: name, domain, siteType: 'wp' as const, phpVersion: '8.3', server: t.server },
})
const titleOf = async (site: Site) => (await running.engine.settings.readWordPress(refOf(site))).values.title

/** Changes the staging site, compares both, and begins to push. */
async function push(text: string): Promise<string> {
  await write(staging, 'wp-content/uploads/pushed.txt', text)
  const expected = { title: await titleOf(staging) }
  await running.engine.settings.changeWordPress(refOf(staging), { title: text }, { expected })
  expect(await work(await act(staging, 'plan_push'))).toMatchObject({ status: 'Done', error_message: null })
  const what = ['files', 'database']
  return act(staging, 'push_staging', { what, take_all: what })
}

/** What visitors and people of the dashboard find. */
async function seen() {
  const { status } = await running.engine.request(refOf(live), '/', { asVisitor: true })
  const [pushed, own] = [
    await read(live, 'wp-content/uploads/pushed.txt'),
    await read(live, 'wp-content/uploads/own.txt'),
  ]
  return { pushed, own, title: await titleOf(live), status }
}
const atRest = { status: 'Live', locked_by_job: null, failure_reason: null }
const own = 'of the site'

const point = (moment: string, step: string) => crashPointName('site.push', moment, step)
const steps = ['pause', 'bring_together', 'swap', 'settle', 'check', 'open']
/** All of them in the long run. */
const killedAt =
  process.env['EASYDASH_TEST_LONG'] === '1'
    ? { 'after-intent': steps, 'after-run': steps }
    : { 'after-intent': ['bring_together', 'swap', 'open'], 'after-run': ['pause', 'bring_together', 'swap'] }

test.each(Object.entries(killedAt))(
  'a push whose workers are killed %s of steps is completed',
  async (moment, killed) => {
    const job = await push(moment)
    expect(
      await work(
        job,
        killed.map((step) => point(moment, step)),
      ),
    ).toMatchObject({ status: 'Done', error_message: null })
    expect(await seen()).toEqual({ pushed: moment, own, title: moment, status: 200 })
    expect(await siteNow(live.name)).toMatchObject({ ...atRest, pushed_from: staging.domain })
    expect(await running.engine.staging.read(refOf(live))).toMatchObject({ changing: false })
  },
  1_800_000,
)

test.each(['bring_together', 'swap', 'check'])(
  'a push that was killed after %s and then canceled leaves the site as it was',
  async (step) => {
    const before = await seen()
    const job = await push(`canceled at ${step}`)
    await workAndKill(point('after-run', step), { connection: database.connection, place: t.place, job })
    await running.documents.runAction(owner, 'Job', job, 'cancel', {})
    expect(await work(job, [crashPointName('site.push', 'cancel-undone')])).toMatchObject({ status: 'Cancelled' })
    expect(await seen()).toEqual(before)
    expect(await siteNow(live.name)).toMatchObject(atRest)
    expect(await running.engine.staging.read(refOf(live))).toMatchObject({ changing: false })
  },
  1_800_000,
)

test('no worker had a server do what it does not know', async () => {
  expect(await t.violations()).toEqual([])
})
