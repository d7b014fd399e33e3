import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { openSitePeople, type SitePeople } from '#tests/support/site-people.ts'
import { rejectionOf } from '#tests/support/sites.ts'
import { checkWordPressUsers } from './check-users.ts'
import { sitesToCheck, wordpressUsersOf } from './user-table.ts'

let t: SitePeople

beforeAll(async () => {
  t = await openSitePeople()
})
afterAll(() => t?.close())

test('opening the admin signs in as a user of one’s own, who is on record', async () => {
  const site = await t.live('named')
  const zoe = await t.member('Organization Manager', 'Zoë Berg')
  expect(await t.redeem(site, await t.openAdmin(site, zoe))).toBe(true)
  expect(await t.redeem(site, await t.openAdmin(site, zoe))).toBe(true)
  expect(await t.redeem(site, await t.openAdmin(site, t.owner))).toBe(true)
  const [first, second, ...more] = await t.usersIn(site)
  expect(more).toEqual([])
  expect([first, second]).toMatchObject([
    { login: 'zoe-berg', name: 'Zoë Berg', role: 'administrator', key: expect.stringMatching(/^[0-9a-f]{24}$/) },
    { role: 'administrator' },
  ])
  expect(first?.key).not.toBe(second?.key)
  const log = await t.system((tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', '=', 'Site.login_link'],
    ]),
  )
  expect(log).toHaveLength(3)
  expect(log[0]).toMatchObject({
    actor: zoe.user,
    after: { wordpress_user: 'Zoë Berg', wordpress_role: 'administrator' },
  })
  // The site can be hostile: what it knows about a person on one site says nothing about them on another.
  const another = await t.live('named-too')
  await t.redeem(another, await t.openAdmin(another, zoe))
  expect((await t.usersIn(another))[0]?.key).not.toBe(first?.key)
})

test('while a link is made, others write; who loses their rights meanwhile does not get it', async () => {
  const site = await t.live('slow')
  const zoe = await t.member('Organization Manager', 'Zoë Berg')
  const making = vi.spyOn(t.engine, 'loginLink').mockImplementation(async () => {
    await t.act(site.name, 'set_uptime_keyword', { keyword: 'Hello' })
    await t.removeMember(zoe)
    return 'https://slow.example/?link'
  })
  await expect(t.openAdmin(site, zoe)).rejects.toMatchObject({ code: 'not_found' })
  making.mockRestore()
  const [entry] = await t.system((tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', '=', 'Site.login_link'],
    ]),
  )
  expect(entry).toMatchObject({ actor: zoe.user, result: 'Failed' })
})

test('"Log in as" has the rights of "Open admin", and is logged with the user', async () => {
  const site = await t.live('as-another')
  const viewer = await t.member('Organization User')
  await t.act(site.name, 'add_wordpress_user', { login: 'nora', email: 'nora@x.example', role: 'editor' })
  const loginAs = async (login: string, session: Session) =>
    String((await t.act(site.name, 'login_link', { user: login }, session))?.['url'])
  await t.act(site.name, 'share', { user: viewer.user, read: 1 })
  expect(await rejectionOf(loginAs('nora', viewer))).toMatchObject({ code: 'forbidden' })
  await t.act(site.name, 'share', { user: viewer.user, write: 1 })
  const link = await loginAs('nora', viewer)
  expect(await t.redeem(site, link)).toBe(true)
  expect(await t.redeem(site, link)).toBe(false)
  expect(await rejectionOf(loginAs('nobody', viewer))).toMatchObject({ code: 'conflict' })
  expect(await rejectionOf(loginAs(' x', viewer))).toMatchObject({ code: 'invalid', field: 'user' })
  const [entry] = await t.system((tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', '=', 'site.login_as'],
      ['result', '=', 'Done'],
    ]),
  )
  expect(entry).toMatchObject({ actor: viewer.user, detail: 'nora', after: { wordpress_user: 'nora' } })

  const unused = await loginAs('nora', viewer)
  await t.act(site.name, 'unshare', { user: viewer.user })
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.redeem(site, unused)).toBe(false)
})

test('a manager who is removed from the organization loses the user, the session and unused links', async () => {
  const site = await t.live('m-removed')
  const [mara, stays] = [
    await t.member('Organization Manager', 'Mara'),
    await t.member('Organization Manager', 'Stays'),
  ]
  for (const one of [mara, stays]) await t.redeem(site, await t.openAdmin(site, one))
  const unused = await t.openAdmin(site, mara)
  await t.removeMember(mara)
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual(['stays'])
  expect(await t.redeem(site, unused)).toBe(false)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test('a manager whose account is disabled loses access, not the user, who has it again with the account', async () => {
  const site = await t.live('m-disabled')
  const [mara, stays] = [
    await t.member('Organization Manager', 'Mara'),
    await t.member('Organization Manager', 'Stays'),
  ]
  for (const one of [mara, stays]) await t.redeem(site, await t.openAdmin(site, one))
  const unused = await t.openAdmin(site, mara)
  const setEnabled = (enabled: 0 | 1) => t.system((tx) => tx.update(UserDoctype, mara.user, { enabled }))
  const roles = async () => (await t.usersIn(site)).map(({ role }) => String(role)).toSorted()
  await setEnabled(0)
  expect(await t.removals(site)).toEqual(['Done'])
  expect((await t.loginsIn(site)).toSorted()).toEqual(['mara', 'stays'])
  expect(await roles()).toEqual(['administrator', 'null'])
  expect(await t.redeem(site, unused)).toBe(false)
  await setEnabled(1)
  expect(await t.removals(site)).toEqual(['Done', 'Done'])
  expect(await roles()).toEqual(['administrator', 'administrator'])

  await setEnabled(0)
  await t.removals(site)
  await t.removeMember(mara)
  await t.removals(site)
  expect(await t.loginsIn(site)).toEqual(['stays'])
})

test('a member whose share is taken back loses the user', async () => {
  const site = await t.live('shared')
  const mia = await t.member('Organization User')
  await t.act(site.name, 'share', { user: mia.user, write: 1 })
  await t.redeem(site, await t.openAdmin(site, mia))
  // Other rights on the site are none of this.
  await t.act(site.name, 'share', { user: mia.user, share: 1 })
  await t.act(site.name, 'share', { user: mia.user, write: 1 })
  expect(await t.syncJobs(site)).toEqual([])
  await t.act(site.name, 'unshare', { user: mia.user })
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('a role that still may open the admin keeps the user', async () => {
  const site = await t.live('lower')
  const ada = await t.member('Organization Admin')
  await t.redeem(site, await t.openAdmin(site, ada))
  await t.system(async (tx) =>
    tx.update(OrganizationMemberDoctype, await t.memberRow(tx, ada), { organization_role: 'Organization Manager' }),
  )
  expect(await t.syncJobs(site)).toEqual([])
  expect(await t.loginsIn(site)).toEqual(['mia'])
  expect(await t.system((tx) => sitesToCheck(tx, '2999-01-01 00:00:00'))).not.toContain(site.name)
})

test('jobs that wait for the site do not delay the removal', async () => {
  const site = await t.live('busy')
  const mara = await t.member('Organization Manager')
  await t.redeem(site, await t.openAdmin(site, mara))
  const lock = (job: string | null) =>
    t.system((tx) => tx.update(SiteDoctype, site.name, { locked_by_job: job }, { hooks: false, activity: false }))
  const [holder] = await t.system((tx) => tx.list(JobDoctype, [['reference_name', '=', site.name]]))
  await lock(String(holder?.name))
  const waiting = [await t.act(site.name, 'flush_cache_job'), await t.act(site.name, 'flush_cache_job')]
  await t.removeMember(mara)
  expect(await t.syncJobs(site)).toEqual([])
  await lock(null)
  const ended = await Promise.all(waiting.map((one) => t.end(one)))
  expect(ended.map(({ status }) => status)).toEqual(['Done', 'Done'])
  const [removal, ...more] = await t.syncJobs(site)
  expect(more).toEqual([])
  expect(removal).toMatchObject({ status: 'Done' })
  expect(String(removal?.ended) <= String(ended[0]?.started), 'before the first that waited').toBe(true)
  expect(await t.loginsIn(site)).toEqual([])
})

test('a site that a job holds while its organization is disabled follows when that job ends', async () => {
  const site = await t.live('held')
  const mara = await t.member('Organization Manager')
  await t.redeem(site, await t.openAdmin(site, mara))
  const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { change } = t.engine.wordpress
  const flushing = vi.spyOn(t.engine.wordpress, 'change').mockImplementation(async (...args) => {
    begun.resolve()
    await goesOn.promise
    return change(...args)
  })
  const holder = await t.act(site.name, 'flush_cache_job')
  await begun.promise
  await t.system((tx) => tx.update(OrganizationDoctype, 'acme', { enabled: 0 }))
  expect(await t.syncJobs(site)).toEqual([])
  goesOn.resolve()
  await t.end(holder)
  await vi.waitFor(async () => expect(await t.removals(site)).toEqual(['Done']), 60_000)
  expect(await t.usersIn(site)).toMatchObject([{ role: null }])
  flushing.mockRestore()
  await t.system((tx) => tx.update(OrganizationDoctype, 'acme', { enabled: 1 }))
  await t.removals(site)
})

test('a user stays on record until the site confirmed that it is gone', async () => {
  const site = await t.live('silent')
  const mara = await t.member('Organization Manager')
  await t.redeem(site, await t.openAdmin(site, mara))
  const silent = vi.spyOn(t.engine, 'syncUsers').mockResolvedValue({ removed: 1, gone: [] })
  await t.removeMember(mara)
  expect(await t.removals(site)).toEqual(['Failed'])
  silent.mockRestore()
  expect(await t.system((tx) => wordpressUsersOf(tx, site.name))).toMatchObject([{ person: mara.user }])
  t.pass(6 * 3_600_000 + 1000)
  await checkWordPressUsers(t.deps)
  expect((await t.removals(site)).toSorted()).toEqual(['Done', 'Failed'])
  expect(await t.system((tx) => wordpressUsersOf(tx, site.name))).toEqual([])
})

test('an earlier state of a site brings back nobody who lost their rights since', async () => {
  const site = await t.live('earlier')
  const mara = await t.member('Organization Manager', 'Mara')
  for (const one of [mara, t.owner]) await t.redeem(site, await t.openAdmin(site, one))
  const backup = (await t.act(site.name, 'backup')) as { name: string; job: string }
  await t.end(backup)
  const proof = await t.system((tx) => tx.find(JobDoctype, [['reference_name', '=', backup.name]]))
  await t.end({ job: String(proof?.name) })
  await t.removeMember(mara)
  expect(await t.removals(site)).toEqual(['Done'])
  const restored = await t.deps.documents().runAction(t.owner, 'Site Backup', backup.name, 'restore', { what: 'all' })
  expect(await t.end(restored as { job: string })).toMatchObject({ status: 'Done' })
  expect(await t.loginsIn(site)).toHaveLength(2)
  await checkWordPressUsers(t.deps)
  expect(await t.removals(site)).toEqual(['Done', 'Done'])
  expect(await t.usersIn(site)).toMatchObject([{ login: 'owner-acme-example', role: 'administrator' }])
  expect(await t.system((tx) => wordpressUsersOf(tx, site.name))).toMatchObject([{ person: t.owner.user }])
})

test('in a disabled organization nobody has access, and users stay until it is enabled again', async () => {
  const site = await t.live('paused')
  const [mara, stays] = [
    await t.member('Organization Manager', 'Mara'),
    await t.member('Organization Manager', 'Stays'),
  ]
  for (const one of [mara, stays]) await t.redeem(site, await t.openAdmin(site, one))
  const enable = (enabled: 0 | 1) => t.system((tx) => tx.update(OrganizationDoctype, 'acme', { enabled }))
  const unused = await t.openAdmin(site, stays)
  const rolesIn = async () => (await t.usersIn(site)).map(({ login, role }) => [login, role])
  await enable(0)
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.redeem(site, unused)).toBe(false)
  expect(await rolesIn()).toEqual(
    expect.arrayContaining([
      ['mara', null],
      ['stays', null],
    ]),
  )
  await t.removeMember(mara)
  expect(await t.syncJobs(site), 'nothing is left to be done').toHaveLength(1)
  await enable(1)
  expect(await t.removals(site)).toEqual(['Done', 'Done'])
  expect(await rolesIn()).toEqual([['stays', 'administrator']])
})

test('nobody without the right gets a user, and a deleted site keeps no rows', async () => {
  const site = await t.live('rows')
  const mia = await t.member('Organization User')
  await t.act(site.name, 'share', { user: mia.user, read: 1 })
  expect(await rejectionOf(t.openAdmin(site, mia))).toMatchObject({ code: 'forbidden' })
  expect(await t.loginsIn(site)).toEqual([])
  await t.openAdmin(site, t.owner)
  expect(await t.system((tx) => wordpressUsersOf(tx, site.name))).toMatchObject([{ person: t.owner.user }])
  await t.end(await t.act(site.name, 'archive', { confirm_name: 'rows' }))
  await t.end(await t.act(site.name, 'delete_permanently', { confirm_name: 'rows' }))
  expect(await t.system((tx) => wordpressUsersOf(tx, site.name))).toEqual([])
})
