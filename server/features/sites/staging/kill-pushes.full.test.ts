import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashPointName } from '#server/jobs/crash-point.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { expectDone, openEeKills, type EeKills } from '#tests/support/ee-kills.ts'

/** kill -9 of the worker while a staging site on a server is pushed: the push is completed, or the site is as before. */

let t: EeKills
let live: Site
let staging: Site

beforeAll(async () => {
  t = await openEeKills()
  live = await t.makeLive('live.example.com', 'Live')
  await t.write(live, 'wp-content/uploads/own.txt', 'of the site')
  const copied = await t.act(live, 'create_staging', { domain: 'staging.example.com' })
  expectDone(await t.work(copied.job))
  staging = (await t.siteNow(copied['name'] ?? '')) as Site
}, 600_000)
afterAll(() => t?.close())

const titleOf = async (site: Site) => (await t.running.engine.settings.readWordPress(t.refOf(site))).values.title

/** Changes the staging site, compares both, and begins to push. */
async function push(text: string): Promise<string> {
  await t.write(staging, 'wp-content/uploads/pushed.txt', text)
  const expected = { title: await titleOf(staging) }
  await t.running.engine.settings.changeWordPress(t.refOf(staging), { title: text }, { expected })
  expectDone(await t.work((await t.act(staging, 'plan_push')).job))
  const what = ['files', 'database']
  return (await t.act(staging, 'push_staging', { what, take_all: what })).job
}

/** What visitors and people of the dashboard find. */
async function seen() {
  const { status } = await t.running.engine.request(t.refOf(live), '/', { asVisitor: true })
  const [pushed, own] = [
    await t.read(live, 'wp-content/uploads/pushed.txt'),
    await t.read(live, 'wp-content/uploads/own.txt'),
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
    const points = killed.map((step) => point(moment, step))
    expectDone(await t.work(job, points))
    expect(await seen()).toEqual({ pushed: moment, own, title: moment, status: 200 })
    expect(await t.siteNow(live.name)).toMatchObject({ ...atRest, pushed_from: staging.domain })
    expect(await t.running.engine.staging.read(t.refOf(live))).toMatchObject({ changing: false })
  },
  1_800_000,
)

test.each(['bring_together', 'swap', 'check'])(
  'a push that was killed after %s and then canceled leaves the site as it was',
  async (step) => {
    const before = await seen()
    const job = await push(`canceled at ${step}`)
    await t.killAt(point('after-run', step), job)
    await t.cancel(job)
    expect(await t.work(job, [crashPointName('site.push', 'cancel-undone')])).toMatchObject({ status: 'Cancelled' })
    expect(await seen()).toEqual(before)
    expect(await t.siteNow(live.name)).toMatchObject(atRest)
    expect(await t.running.engine.staging.read(t.refOf(live))).toMatchObject({ changing: false })
  },
  1_800_000,
)

test('no worker had a server do what it does not know', async () => {
  expect(await t.server.violations()).toEqual([])
})
