import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashPointName } from '#server/jobs/crash-point.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { expectDone, killAndCancel, killAtWork, openEeKills, type EeKills } from '#tests/support/ee-kills.ts'
import { watchPrograms, type Moments } from '#tests/support/ee-moments.ts'
import { afterEffects, beforeEffects } from '#tests/support/effects.ts'

/**
 * kill -9 of the process before and after the effects of steps while a site on a server is created, changed, archived and deleted: the job goes on
 * and ends, and the server did each thing once; canceled, the site is as before.
 */

/** Many processes start, one after the other. */
const timeout = 1_800_000

let t: EeKills
let moments: Moments
let live: Site

beforeAll(async () => {
  t = await openEeKills()
  moments = await watchPrograms(t.server)
  live = await t.makeLive('live.example.com', 'Live')
}, 600_000)
afterAll(() => t?.close())

/** What the server did since the call. */
async function effectsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const before = (await t.server.effects()).length
  await work()
  expect(await t.server.violations()).toEqual([])
  return (await t.server.effects()).slice(before)
}

/** Only an archived site can be deleted. */
async function remove(site: { name: string }, domain: string, points: readonly string[] = []): Promise<void> {
  const archived = await t.act(site, 'archive', { confirm_name: domain, backup: 0 })
  expectDone(await t.work(archived.job))
  expectDone(await t.work((await t.act(site, 'delete_permanently', { confirm_name: domain })).job, points))
}

const creating = ['reserve', 'create_site', 'set_up', 'answer', 'check_page']

test.each([
  ['before', beforeEffects('site.create', creating)],
  ['after', afterEffects('site.create', creating)],
])(
  'a creation that is killed %s each effect makes one site, and so its deletion removes it',
  async (when, points) => {
    const domain = `${when}.example.com`
    const effects = await effectsOf(async () => {
      const { name } = await t.makeLive(domain, 'Made', points)
      await t.expectAtRest([live.name, name])
      const pointsOf = when === 'before' ? beforeEffects : afterEffects
      await remove({ name }, domain, pointsOf('site.delete', ['remove', 'verify']))
    })
    expect(effects.filter((line) => /^(?:create|delete)/.test(line))).toEqual([`create ${domain}`, `delete ${domain}`])
    await t.expectAtRest([live.name])
  },
  timeout,
)

/** Asks for a site, and kills the process while the server is about to make it; the server goes on. */
async function killedAtCreation(domain: string): Promise<{ name: string; job: string }> {
  const asked = await t.create(domain, 'Under way')
  await killAtWork(t, moments, asked.job, `statements/${domain}`)
  await moments.clear()
  return asked
}

test(
  'a creation whose process is killed while EasyEngine makes the site goes on with what it made, and canceled leaves nothing',
  async () => {
    const domain = 'under-way.example.com'
    const made = await killedAtCreation(domain)
    const ended = await effectsOf(async () => expectDone(await t.work(made.job)))
    expect((await t.server.effects()).filter((line) => line === `create ${domain}`)).toHaveLength(1)
    expect(ended.filter((line) => line.startsWith('delete'))).toEqual([])
    await t.expectAtRest([live.name, made.name])
    await remove(made, domain)

    const canceled = await killedAtCreation('canceled.example.com')
    await t.cancel(canceled.job)
    expect((await t.work(canceled.job))?.status).toBe('Cancelled')
    expect(await t.siteNow(canceled.name)).toBeNull()
    await t.expectAtRest([live.name])
  },
  timeout,
)

/** Before and after each effect of one run. */
const around = (type: string, steps: readonly string[]): string[] => [
  ...steps.flatMap((step) => [crashPointName(type, 'after-intent', step), crashPointName(type, 'after-run', step)]),
  ...['before-done', 'after-done'].map((moment) => crashPointName(type, moment)),
]

interface Change {
  readonly type: string
  readonly steps: readonly string[]
  readonly action: string
  readonly args?: Readonly<Record<string, unknown>>
  /** What it makes of the site. */
  readonly after: Partial<Site>
  /** What the server does, once. */
  readonly effects: readonly string[]
}

const domain = 'live.example.com'
const moved = 'moved.example.com'
const changes: readonly Change[] = [
  {
    ...{ type: 'site.set_php_version', steps: ['switch', 'check_page'] },
    ...{ action: 'set_php_version', args: { php_version: '8.2' } },
    ...{ after: { status: 'Live', php_version: '8.2' }, effects: [`php ${domain} 8.2`] },
  },
  {
    ...{ type: 'site.set_ssl', steps: ['certificate', 'check_page'] },
    ...{ action: 'set_ssl', args: { ssl: 'self' } },
    ...{ after: { status: 'Live', ssl: 'self' }, effects: [`ssl ${domain} self`] },
  },
  {
    ...{ type: 'site.archive', steps: ['disable', 'measure'] },
    ...{ action: 'archive', args: { confirm_name: domain, backup: 0 } },
    ...{ after: { status: 'Archived' }, effects: [`disable ${domain}`] },
  },
  {
    ...{ type: 'site.restore_archive', steps: ['enable', 'aliases', 'check_page'], action: 'restore_archive' },
    ...{ after: { status: 'Live' }, effects: [`enable ${domain}`] },
  },
  {
    ...{ type: 'site.suspend', steps: ['stop'], action: 'suspend' },
    ...{ after: { status: 'Suspended' }, effects: [`disable ${domain}`] },
  },
  {
    ...{ type: 'site.resume', steps: ['start', 'check_page'], action: 'resume' },
    ...{ after: { status: 'Live' }, effects: [`enable ${domain}`] },
  },
  {
    type: 'site.change_domain',
    steps: ['look_up', 'reserve', 'create_site', 'settings', 'pause', 'copy', 'check', 'check_page', 'open'],
    ...{ action: 'change_domain', args: { domain: moved, old_domain: 'remove' } },
    ...{ after: { status: 'Live', domain: moved }, effects: [`create ${moved}`, `delete ${domain}`] },
  },
]

test.each(changes)(
  '$type that is killed before and after each effect is made once',
  async ({ type, steps, action, args, after, effects }) => {
    const done = await effectsOf(async () => {
      const { job } = await t.act(live, action, args)
      expectDone(await t.work(job, around(type, steps)))
    })
    const verbs = new Set(effects.map((line) => line.split(' ')[0]))
    expect(done.filter((line) => verbs.has(line.split(' ')[0]))).toEqual(effects)
    const site = await t.siteNow(live.name)
    expect(site).toMatchObject({ ...after, locked_by_job: null })
    if (after.status === 'Live') expect((await t.running.engine.request(t.refOf(site as Site), '/')).status).toBe(200)
  },
  timeout,
)

test.each([
  ['site.set_php_version', 'switch', 'set_php_version', { php_version: '8.3' }],
  ['site.archive', 'disable', 'archive', { confirm_name: moved, backup: 0 }],
  ['site.set_ssl', 'certificate', 'set_ssl', { ssl: 'off' }],
] as const)(
  '%s that is killed and then canceled leaves the site as it was',
  async (type, step, action, args) => {
    const before = await t.siteNow(live.name)
    const { job } = await t.act(live, action, args)
    await killAndCancel(t, { job, point: crashPointName(type, 'after-run', step) })
    const { status, php_version, ssl } = before as Site
    expect(await t.siteNow(live.name)).toMatchObject({ status, php_version, ssl, locked_by_job: null })
    expect(await t.running.engine.observe(t.refOf(before as Site), { measure: false })).toMatchObject({
      phpVersion: php_version,
      state: 'running',
    })
  },
  timeout,
)
