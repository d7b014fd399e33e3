import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageBreakingVersion } from '#server/engines/fake/fake-wordpress-state.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'

let t: TestSites
let site: Site
const facts = async (name = site.name) =>
  ((await t.act(name, 'inspect_wordpress')) as unknown as { facts: WordPressFacts }).facts
const change = async (version: string) => t.end(await t.act(site.name, 'set_core', { version }))

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('core-version')
})
afterAll(() => t?.close())

test('the version is changed by a job, and rolled back and forward', async () => {
  expect(await t.act(site.name, 'wordpress_versions')).toMatchObject({ installed: '6.5.5', reached: true })
  expect(await change('6.7.2')).toMatchObject({ status: 'Done', label: "WordPress 6.7.2 on Ann's & Bob" })
  expect(await facts()).toMatchObject({ version: '6.7.2', previous: { version: '6.5.5' } })
  expect(await t.siteNow(site.name)).toMatchObject({
    status: 'Live',
    wordpress_version: '6.7.2',
    wordpress_checksum: 'Not Checked',
    locked_by_job: null,
  })
  const back = await t.end(await t.act(site.name, 'roll_back_wordpress', { database: 1 }))
  expect(back).toMatchObject({ status: 'Done', label: "Roll Ann's & Bob back to WordPress 6.5.5" })
  expect(await facts()).toMatchObject({ version: '6.5.5', previous: { version: '6.7.2' } })
  const entries = await t.running.documents.transaction(systemSession(), (tx) =>
    tx.list('Activity', [
      ['action', '=', 'site.change_core'],
      ['reference_name', '=', site.name],
    ]),
  )
  expect(entries).toContainEqual(expect.objectContaining({ result: 'Done', detail: '6.7.2' }))
})

test('a version with which the homepage fails is taken back, and the job says why', async () => {
  const before = await facts()
  const job = await change(pageBreakingVersion)
  expect(job).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/status 500/) })
  expect(await facts()).toEqual(before)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', wordpress_version: '6.5.5', failure_reason: null })
})

test('a version with which the page breaks off is taken back', async () => {
  const before = await facts()
  const [whole, cut] = ['<html></html>', '<html>'].map((body) => ({ status: 200, body }))
  if (whole && cut) t.engine.answers.push(whole, cut, cut)
  expect(await change('6.7.2')).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/broke off/) })
  expect(await facts()).toEqual(before)
  expect(t.engine.answers).toEqual([])
})

test('on a site that is down, a new version need not make it work', async () => {
  await t.running.documents.transaction(systemSession(), (tx) =>
    tx.updateColumns('Site', site.name, { health: 'Down' }),
  )
  expect((await change(pageBreakingVersion)).status).toBe('Done')
  expect(await facts()).toMatchObject({ version: pageBreakingVersion })
  expect((await change('6.5.5')).status).toBe('Done')
  await t.running.documents.transaction(systemSession(), (tx) => tx.updateColumns('Site', site.name, { health: 'Up' }))
})

test('a canceled change leaves the site as it was', async () => {
  const other = await t.live('hang-replace')
  const { job } = (await t.act(other.name, 'set_core', { version: '6.7.2' })) as { job: string }
  await expect.poll(() => t.engine.begun.includes('hang-replace:replace')).toBe(true)
  await t.running.documents.runAction(t.owner, 'Job', job, 'cancel', {})
  expect(await t.end({ job })).toMatchObject({ status: 'Cancelled' })
  expect(await facts(other.name)).toMatchObject({ version: '6.5.5', previous: null })
  expect(await t.siteNow(other.name)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test('refuses what is no release, what nobody has, and a roll back to nothing', async () => {
  expect(await rejectionOf(t.act(site.name, 'set_core', { version: '../6' }))).toMatchObject({
    code: 'invalid',
    field: 'version',
  })
  expect(await change('5.1')).toMatchObject({ status: 'Failed', error_message: expect.stringMatching(/no version/) })
  const fresh = await t.live('never-changed')
  await facts(fresh.name)
  expect(await rejectionOf(t.act(fresh.name, 'roll_back_wordpress'))).toMatchObject({ code: 'invalid' })
  const html = await t.live('no-core', { site_type: 'html', title: 'Plain', admin_user: null, admin_email: null })
  expect(await rejectionOf(t.act(html.name, 'wordpress_versions'))).toMatchObject({ code: 'unsupported' })
})
