import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { pushLosses, storedPushPlan, type PushPlan } from '#shared/responses/push-plan.ts'
import type { Session } from '#server/contracts/session.ts'
import { thisMachine, type SiteRef } from '#server/engines/site-ref.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addMember, until } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
let mia: Session

const system = <T>(work: Parameters<ReturnType<TestSites['deps']['documents']>['transaction']>[1]) =>
  t.running.documents.transaction(systemSession(), work) as Promise<T>
const refOf = ({ name, domain }: Site): SiteRef => ({
  id: name,
  domain,
  siteType: 'wp',
  phpVersion: '8.4',
  server: thisMachine,
})
const write = async (site: Site, path: string, content: string) => {
  const { files } = t.engine
  const { entries } = await files.list(refOf(site), '')
  const version = entries.some(({ name }) => name === path) ? (await files.read(refOf(site), path)).version : null
  await files.write(refOf(site), path, content, version)
}
const textOf = async (site: Site, path: string) => (await t.engine.files.read(refOf(site), path)).content

async function staged(domain: string, of?: Site): Promise<{ live: Site; staging: Site }> {
  const live = of ?? (await t.live(`${domain}-live`))
  const made = await t.act(live.name, 'create_staging', { domain })
  expect(await t.end(made)).toMatchObject({ status: 'Done', error_message: null })
  return { live, staging: (await t.siteNow(String(made?.['name']))) as Site }
}
async function planned({ name }: Site, session = t.owner): Promise<{ plan: PushPlan; made_at: string }> {
  expect(await t.end(await t.act(name, 'plan_push', {}, session))).toMatchObject({
    status: 'Done',
    error_message: null,
  })
  const { plan, made_at } = storedPushPlan.parse(await t.act(name, 'push_plan', {}, session))
  if (plan === null || made_at === null) throw new Error('There is no plan.')
  return { plan, made_at }
}

beforeAll(async () => {
  t = await openTestSites()
  await system(async (tx) => {
    await addMember(tx, 'acme', { email: 'mia@acme.example', name: 'Mia', role: 'Organization User' })
  })
  mia = sessionOf('mia@acme.example', 'acme')
})
afterAll(() => t?.close())

test('a staging site knows its source and has a password of its own', async () => {
  const { live, staging } = await staged('knows')
  expect(staging).toMatchObject({
    status: 'Live',
    staging_of: live.name,
    cloned_from: live.name,
    http_auth_user: 'preview',
    title: live.title,
  })
  const password = await system<string>((tx) => tx.secret(SiteDoctype, staging.name, 'http_auth_password'))
  expect(password).toMatch(/^\w{12,}$/)
  expect((await t.engine.settings.readWordPress(refOf(staging))).values.search_engines).toBe(0)
  const log = await system<{ action: string; reference_name: string; detail: string | null }[]>((tx) =>
    tx.list(ActivityDoctype, [['action', '=', 'Site.create_staging']]),
  )
  const entry = { reference_name: live.name, detail: 'knows' }
  expect(log).toContainEqual(expect.objectContaining({ ...entry, result: 'Started' }))
  expect(log).toContainEqual(expect.objectContaining({ ...entry, result: 'Done' }))
  expect(await rejectionOf(t.insert('liar', { staging_of: live.name }).then((doc) => t.siteNow(doc.name)))).toBeNull()
})

test('a push brings the changes to the live site, which says so, and can be rolled back', async () => {
  const { live, staging } = await staged('pushes')
  await write(staging, 'new.txt', 'of staging')
  const { plan, made_at } = await planned(staging)
  expect(plan.files.staging).toMatchObject({ added: 1 })
  const job = await t.end(
    await t.act(staging.name, 'push_staging', { made_at, what: ['files', 'database'], take: [], take_all: [] }),
  )
  expect(job).toMatchObject({ status: 'Done', reference_name: live.name, label: "Push pushes to Ann's & Bob" })
  expect(job.steps?.map(({ label }) => label)).toEqual([
    'Keep visitors out',
    'Copy the site, and bring in the files',
    'Bring in the content',
    'Check that the site answers',
    'Load the homepage',
    'Let visitors in again',
  ])
  expect(await textOf(live, 'new.txt')).toBe('of staging')
  expect(await t.siteNow(live.name)).toMatchObject({
    status: 'Live',
    pushed_from: 'pushes',
    pushed_at: expect.any(String),
  })
  expect(await t.act(staging.name, 'push_plan')).toEqual({ plan: null, made_at: null })

  const losses = async () => pushLosses.parse(await t.act(live.name, 'push_losses'))
  const nothing = { added: 0, changed: 0, deleted: 0, samples: [] }
  expect(await losses()).toMatchObject({ files: nothing, kinds: [] })
  await write(live, 'since.txt', 'of live')
  await write(live, 'new.txt', 'changed on live')
  expect(await losses()).toMatchObject({
    files: { added: 1, changed: 1, deleted: 0, samples: expect.arrayContaining([{ label: 'since.txt', what: 'add' }]) },
  })
  expect(await t.end(await t.act(live.name, 'roll_back_push'))).toMatchObject({ status: 'Done' })
  expect(await rejectionOf(t.act(live.name, 'push_losses'))).toMatchObject({ code: 'conflict' })
  await expect(textOf(live, 'new.txt')).rejects.toMatchObject({ code: 'not_found' })
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', pushed_at: null, pushed_from: null })
  expect(await rejectionOf(t.act(live.name, 'roll_back_push'))).toMatchObject({ code: 'invalid' })
})

test('a clash stays as it is on the live site until staging is taken', async () => {
  const { live, staging } = await staged('clashes')
  await write(staging, 'both.txt', 'of staging')
  await write(live, 'both.txt', 'of live')
  const first = await planned(staging)
  const [clash] = first.plan.files.clashes
  expect(clash).toMatchObject({ path: 'both.txt', staging: 'add', live: 'add' })
  const push = (made_at: string, take: string[]) =>
    t.act(staging.name, 'push_staging', { made_at, what: ['files'], take, take_all: [] })
  expect(await t.end(await push(first.made_at, []))).toMatchObject({ status: 'Done' })
  expect(await textOf(live, 'both.txt')).toBe('of live')
  const second = await planned(staging)
  expect(await t.end(await push(second.made_at, [clash?.id ?? '']))).toMatchObject({ status: 'Done' })
  expect(await textOf(live, 'both.txt')).toBe('of staging')
})

test('a plan that is not true any more is refused, and the live site is as before', async () => {
  const { live, staging } = await staged('outdated')
  await write(staging, 'a.txt', 'one')
  const { made_at } = await planned(staging)
  await write(live, 'a.txt', 'meanwhile')
  const args = { made_at, what: ['files', 'database'], take: [], take_all: ['files'] }
  const job = await t.end(await t.act(staging.name, 'push_staging', args))
  expect(job).toMatchObject({ status: 'Failed', error_code: 'conflict' })
  expect(job.error_message).toMatch(/Something changed since the plan/)
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', locked_by_job: null, pushed_at: null })
  expect(await textOf(live, 'a.txt')).toBe('meanwhile')
  expect(await t.engine.staging.read(refOf(live))).toEqual({ changing: false, kept: null })
  t.pass(1000)
  await planned(staging)
  expect(await rejectionOf(t.act(staging.name, 'push_staging', args))).toMatchObject({ code: 'conflict' })
})

test('a push that fails leaves the live site as it was', async () => {
  const live = await t.live('of-fail')
  // Steps of a push fail for the name of the staging site.
  const { staging } = await staged('fail-merge-database', live)
  await write(staging, 'b.txt', 'x')
  const { made_at } = await planned(staging)
  const job = await t.end(
    await t.act(staging.name, 'push_staging', { made_at, what: ['files', 'database'], take: [], take_all: [] }),
  )
  expect(job).toMatchObject({ status: 'Failed' })
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', pushed_at: null })
  await expect(textOf(live, 'b.txt')).rejects.toMatchObject({ code: 'not_found' })
})

test('a canceled push leaves the live site as it was', async () => {
  const live = await t.live('of-hang')
  const { staging } = await staged('hang-merge-database', live)
  await write(staging, 'c.txt', 'x')
  const { made_at } = await planned(staging)
  const started = await t.act(staging.name, 'push_staging', {
    made_at,
    what: ['files', 'database'],
    take: [],
    take_all: [],
  })
  const name = String(started?.['job'])
  await until(t.running.documents, 'Job', name, () => t.engine.begun.includes('hang-merge-database:merge_database'))
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Updating' })
  await t.running.documents.runAction(t.owner, 'Job', name, 'cancel', {})
  expect(await t.end(started)).toMatchObject({ status: 'Cancelled' })
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', pushed_at: null })
  await expect(textOf(live, 'c.txt')).rejects.toMatchObject({ code: 'not_found' })
})

test('a push needs the right to change both sites', async () => {
  const { live, staging } = await staged('rights')
  await t.act(staging.name, 'share', { user: mia.user, read: 1, write: 1, share: 0 })
  expect(await rejectionOf(t.act(staging.name, 'plan_push', {}, mia))).toMatchObject({
    code: expect.stringMatching(/forbidden|not_found/),
  })
  await t.act(live.name, 'share', { user: mia.user, read: 1, write: 0, share: 0 })
  const { made_at } = await planned(staging)
  const args = { made_at, what: ['files', 'database'], take: [], take_all: [] }
  for (const action of ['plan_push', 'push_staging'])
    expect(await rejectionOf(t.act(staging.name, action, args, mia))).toMatchObject({ code: 'forbidden' })
  await t.act(live.name, 'share', { user: mia.user, read: 1, write: 1, share: 0 })
  expect(await t.end(await t.act(staging.name, 'push_staging', args, mia))).toMatchObject({ status: 'Done' })
})

test('what is no push is refused', async () => {
  const { live, staging } = await staged('refused')
  const { made_at } = await planned(staging)
  const args = { made_at, what: ['files', 'database'], take: [], take_all: [] }
  expect(await rejectionOf(t.act(staging.name, 'push_staging', { ...args, what: [] }))).toMatchObject({
    field: 'what',
  })
  expect(await rejectionOf(t.act(staging.name, 'push_staging', { ...args, take: ['../x'] }))).toMatchObject({
    code: 'invalid',
  })
  expect(await rejectionOf(t.act(staging.name, 'push_staging', { ...args, take: 'x' }))).toMatchObject({
    code: 'invalid',
  })
  expect(await rejectionOf(t.act(live.name, 'plan_push'))).toMatchObject({ code: 'unsupported' })
  expect(await t.end(await t.running.documents.delete(t.owner, 'Site', live.name))).toMatchObject({ status: 'Done' })
  expect(await rejectionOf(t.act(staging.name, 'plan_push'))).toMatchObject({ code: 'conflict' })
})
