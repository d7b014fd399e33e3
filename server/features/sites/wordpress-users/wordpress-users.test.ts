import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { EngineError } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import type { FakeSite } from '#server/engines/fake/fake-site.ts'
import { renameUser } from '#server/features/accounts/rename-user.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { msg } from '#shared/localized-message.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addMember, untilEnded } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { siteRef } from '../engine-of.ts'
import { checkWordPressUsers } from './check-users.ts'
import { requestUserChecks, sitesToCheck, wordpressUsersOf } from './user-table.ts'

let t: TestSites

beforeAll(async () => {
  t = await openTestSites()
})
afterAll(() => t?.close())

const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => t.running.documents.transaction(systemSession(), work)

let people = 0
async function member(role: OrganizationRole, firstName = 'Mia'): Promise<Session> {
  people += 1
  const email = `person${people}@acme.example`
  await system(async (tx) => {
    await addMember(tx, 'acme', { email: email, name: firstName, role: role })
  })
  return sessionOf(email, 'acme', { fullName: firstName })
}

const memberRow = async (tx: Tx, { user }: Session): Promise<string> =>
  String((await tx.find(OrganizationMemberDoctype, [['user', '=', user]]))?.name)

/** Opens the admin as a person does; returns the link. */
const openAdmin = async (site: Site, session: Session): Promise<string> =>
  String((await t.act(site.name, 'login_link', {}, session))?.['url'])

/** Uses a link; returns whether it signed somebody in. */
async function redeem(site: Site, link: string): Promise<boolean> {
  const { pathname, search } = new URL(link)
  const response = await t.engine.request(siteRef(site, thisMachine), pathname + search)
  return response.headers['set-cookie'] !== undefined
}

const usersIn = async (site: Site): Promise<NonNullable<FakeSite['users']>> => {
  const stored = JSON.parse(await readFile(join(t.folder, `${site.name}.json`), 'utf8')) as FakeSite
  return stored.users ?? []
}
const loginsIn = async (site: Site): Promise<string[]> => (await usersIn(site)).map(({ login }) => login)

const syncJobs = (site: Site): Promise<Job[]> =>
  system((tx) =>
    tx.list(JobDoctype, [
      ['reference_name', '=', site.name],
      ['job_type', '=', 'site.sync_users'],
    ]),
  )
/** Waits until every removal that was started has ended; returns the outcomes. */
async function removals(site: Site): Promise<string[]> {
  const ended = await Promise.all((await syncJobs(site)).map(({ name }) => untilEnded(t.running.documents, name)))
  return ended.map(({ status }) => String(status))
}

test('opening the admin signs in as a user of one’s own, who is on record', async () => {
  const site = await t.live('named')
  const zoe = await member('Organization Manager', 'Zoë Berg')
  expect(await redeem(site, await openAdmin(site, zoe))).toBe(true)
  expect(await redeem(site, await openAdmin(site, zoe))).toBe(true)
  expect(await redeem(site, await openAdmin(site, t.owner))).toBe(true)
  const [first, second, ...more] = await usersIn(site)
  expect(more).toEqual([])
  expect([first, second]).toMatchObject([
    { login: 'zoe-berg', name: 'Zoë Berg', role: 'administrator', key: expect.stringMatching(/^[0-9a-f]{24}$/) },
    { role: 'administrator' },
  ])
  expect(first?.key).not.toBe(second?.key)
  const log = await system((tx) =>
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
  await redeem(another, await openAdmin(another, zoe))
  expect((await usersIn(another))[0]?.key).not.toBe(first?.key)
})

test('while a link is made, others write; who loses their rights meanwhile does not get it', async () => {
  const site = await t.live('slow')
  const zoe = await member('Organization Manager', 'Zoë Berg')
  const making = vi.spyOn(t.engine, 'loginLink').mockImplementation(async () => {
    await t.act(site.name, 'set_uptime_keyword', { keyword: 'Hello' })
    await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, zoe)))
    return 'https://slow.example/?link'
  })
  await expect(openAdmin(site, zoe)).rejects.toMatchObject({ code: 'not_found' })
  making.mockRestore()
  const [entry] = await system((tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', '=', 'Site.login_link'],
    ]),
  )
  expect(entry).toMatchObject({ actor: zoe.user, result: 'Failed' })
})

test('"Log in as" has the rights of "Open admin", and is logged with the user', async () => {
  const site = await t.live('as-another')
  const viewer = await member('Organization User')
  await t.act(site.name, 'add_wordpress_user', { login: 'nora', email: 'nora@x.example', role: 'editor' })
  const loginAs = async (login: string, session: Session) =>
    String((await t.act(site.name, 'login_link', { user: login }, session))?.['url'])
  await t.act(site.name, 'share', { user: viewer.user, read: 1 })
  expect(await rejectionOf(loginAs('nora', viewer))).toMatchObject({ code: 'forbidden' })
  await t.act(site.name, 'share', { user: viewer.user, write: 1 })
  const link = await loginAs('nora', viewer)
  expect(await redeem(site, link)).toBe(true)
  expect(await redeem(site, link)).toBe(false)
  expect(await rejectionOf(loginAs('nobody', viewer))).toMatchObject({ code: 'conflict' })
  expect(await rejectionOf(loginAs(' x', viewer))).toMatchObject({ code: 'invalid', field: 'user' })
  const [entry] = await system((tx) =>
    tx.list(ActivityDoctype, [
      ['reference_name', '=', site.name],
      ['action', '=', 'site.login_as'],
      ['result', '=', 'Done'],
    ]),
  )
  expect(entry).toMatchObject({ actor: viewer.user, detail: 'nora', after: { wordpress_user: 'nora' } })

  const unused = await loginAs('nora', viewer)
  await t.act(site.name, 'unshare', { user: viewer.user })
  expect(await removals(site)).toEqual(['Done'])
  expect(await redeem(site, unused)).toBe(false)
})

test.each<[string, (person: Session, site: Site) => Promise<unknown>]>([
  [
    'is removed from the organization',
    (one) => system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, one))),
  ],
  [
    'becomes a plain member',
    (one) =>
      system(async (tx) =>
        tx.update(OrganizationMemberDoctype, await memberRow(tx, one), { organization_role: 'Organization User' }),
      ),
  ],
  ['is disabled', (one) => system((tx) => tx.update(UserDoctype, one.user, { enabled: 0 }))],
  ['is no longer verified', (one) => system((tx) => tx.update(UserDoctype, one.user, { roles: [] }))],
  [
    'is deleted',
    (one) =>
      system(async (tx) => {
        await tx.delete(OrganizationMemberDoctype, await memberRow(tx, one))
        await tx.delete(UserDoctype, one.user)
      }),
  ],
])('a manager who %s loses the user, the session and unused links', async (what, lose) => {
  const site = await t.live(`m-${what.slice(-9).replaceAll(/[^a-z]+/g, '-')}x`)
  const [mara, stays] = [await member('Organization Manager', 'Mara'), await member('Organization Manager', 'Stays')]
  for (const one of [mara, stays]) await redeem(site, await openAdmin(site, one))
  const unused = await openAdmin(site, mara)
  await lose(mara, site)
  expect(await removals(site)).toEqual(['Done'])
  expect(await loginsIn(site)).toEqual(['stays'])
  expect(await redeem(site, unused)).toBe(false)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test.each<[string, (person: Session, site: Site) => Promise<unknown>]>([
  ['is taken back', (one, site) => t.act(site.name, 'unshare', { user: one.user })],
  ['lets only view', (one, site) => t.act(site.name, 'share', { user: one.user, read: 1, write: 0, share: 0 })],
])('a member whose share %s loses the user', async (what, lose) => {
  const site = await t.live(`s-${what.replaceAll(' ', '-')}`)
  const mia = await member('Organization User')
  await t.act(site.name, 'share', { user: mia.user, write: 1 })
  await redeem(site, await openAdmin(site, mia))
  // Other rights on the site are none of this.
  await t.act(site.name, 'share', { user: mia.user, share: 1 })
  await t.act(site.name, 'share', { user: mia.user, write: 1 })
  expect(await syncJobs(site)).toEqual([])
  await lose(mia, site)
  expect(await removals(site)).toEqual(['Done'])
  expect(await loginsIn(site)).toEqual([])
})

test('a member who hands the site over loses the user', async () => {
  const site = await t.live('handed')
  const mia = await member('Organization User')
  await t.act(site.name, 'set_owner', { new_owner: mia.user })
  await redeem(site, await openAdmin(site, mia))
  await t.act(site.name, 'set_owner', { new_owner: t.owner.user })
  expect(await removals(site)).toEqual(['Done'])
  expect(await loginsIn(site)).toEqual([])
})

test('a role that still may open the admin keeps the user', async () => {
  const site = await t.live('lower')
  const ada = await member('Organization Admin')
  await redeem(site, await openAdmin(site, ada))
  await system(async (tx) =>
    tx.update(OrganizationMemberDoctype, await memberRow(tx, ada), { organization_role: 'Organization Manager' }),
  )
  expect(await syncJobs(site)).toEqual([])
  expect(await loginsIn(site)).toEqual(['mia'])
  expect(await system((tx) => sitesToCheck(tx, '2999-01-01 00:00:00'))).not.toContain(site.name)
})

test('an archived site is cleaned up once it is restored', async () => {
  const site = await t.live('packed')
  const mara = await member('Organization Manager')
  await redeem(site, await openAdmin(site, mara))
  await t.end(await t.act(site.name, 'archive', { confirm_name: 'packed' }))
  await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, mara)))
  await checkWordPressUsers(t.deps)
  expect(await syncJobs(site)).toEqual([])
  await t.end(await t.act(site.name, 'restore_archive'))
  await checkWordPressUsers(t.deps)
  expect(await removals(site)).toEqual(['Done'])
  expect(await loginsIn(site)).toEqual([])
})

test('jobs that wait for the site do not delay the removal', async () => {
  const site = await t.live('busy')
  const mara = await member('Organization Manager')
  await redeem(site, await openAdmin(site, mara))
  const lock = (job: string | null) =>
    system((tx) => tx.update(SiteDoctype, site.name, { locked_by_job: job }, { hooks: false, activity: false }))
  const [holder] = await system((tx) => tx.list(JobDoctype, [['reference_name', '=', site.name]]))
  await lock(String(holder?.name))
  const waiting = [await t.act(site.name, 'flush_cache_job'), await t.act(site.name, 'flush_cache_job')]
  await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, mara)))
  expect(await syncJobs(site)).toEqual([])
  await lock(null)
  const ended = await Promise.all(waiting.map((one) => t.end(one)))
  expect(ended.map(({ status }) => status)).toEqual(['Done', 'Done'])
  const [removal, ...more] = await syncJobs(site)
  expect(more).toEqual([])
  expect(removal).toMatchObject({ status: 'Done' })
  expect(String(removal?.ended) <= String(ended[0]?.started), 'before the first that waited').toBe(true)
  expect(await loginsIn(site)).toEqual([])
})

test('a site that prevents it fails the job, and is tried again later', async () => {
  const site = await t.live('broken')
  const mara = await member('Organization Manager')
  await redeem(site, await openAdmin(site, mara))
  const { syncUsers } = t.engine
  t.engine.syncUsers = () =>
    Promise.reject(new EngineError('unavailable', msg`It does not start.`, { nextAction: msg`Look at the log.` }))
  await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, mara)))
  expect(await removals(site)).toEqual(['Failed'])
  t.engine.syncUsers = syncUsers
  await checkWordPressUsers(t.deps)
  expect(await syncJobs(site)).toHaveLength(1)
  t.pass(6 * 3_600_000 + 1000)
  await checkWordPressUsers(t.deps)
  expect((await removals(site)).toSorted()).toEqual(['Done', 'Failed'])
  expect(await loginsIn(site)).toEqual([])
})

test('what an interruption left is made up for: after lost rights, and after a link that raced with their end', async () => {
  const site = await t.live('killed')
  const mia = await member('Organization User')
  const share = () => t.act(site.name, 'share', { user: mia.user, write: 1 })
  const withoutHooks = (tx: Tx) => tx.deleteWhere(DocShareDoctype, [['user', '=', mia.user]])
  await share()
  await redeem(site, await openAdmin(site, mia))
  await system(async (tx) => {
    await withoutHooks(tx)
    await requestUserChecks(tx, mia.user, formatTimestamp(t.deps.clock?.now() ?? 0))
  })
  await checkWordPressUsers(t.deps)
  expect(await removals(site)).toEqual(['Done'])

  await share()
  await redeem(site, await openAdmin(site, mia))
  await system(withoutHooks)
  await checkWordPressUsers(t.deps)
  expect(await loginsIn(site)).toEqual(['mia'])
  t.pass(61_000)
  await checkWordPressUsers(t.deps)
  expect(await removals(site)).toEqual(['Done', 'Done'])
  expect(await loginsIn(site)).toEqual([])
})

test('a user stays on record until the site confirmed that it is gone', async () => {
  const site = await t.live('silent')
  const mara = await member('Organization Manager')
  await redeem(site, await openAdmin(site, mara))
  const silent = vi.spyOn(t.engine, 'syncUsers').mockResolvedValue({ removed: 1, gone: [] })
  await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, mara)))
  expect(await removals(site)).toEqual(['Failed'])
  silent.mockRestore()
  expect(await system((tx) => wordpressUsersOf(tx, site.name))).toMatchObject([{ person: mara.user }])
  t.pass(6 * 3_600_000 + 1000)
  await checkWordPressUsers(t.deps)
  expect((await removals(site)).toSorted()).toEqual(['Done', 'Failed'])
  expect(await system((tx) => wordpressUsersOf(tx, site.name))).toEqual([])
})

test('a person named like the first administrator gets another login name', async () => {
  const site = await t.live('namesake')
  const admin = (await t.siteNow(site.name))?.admin_user
  const namesake = await member('Organization Manager', String(admin))
  await redeem(site, await openAdmin(site, namesake))
  expect(await loginsIn(site)).toEqual([`${String(admin)}-2`])
  await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, namesake)))
  expect(await removals(site)).toEqual(['Done'])
  expect(await loginsIn(site)).toEqual([])
})

test('in a disabled organization nobody has access, and users stay until it is enabled again', async () => {
  const site = await t.live('paused')
  const [mara, stays] = [await member('Organization Manager', 'Mara'), await member('Organization Manager', 'Stays')]
  for (const one of [mara, stays]) await redeem(site, await openAdmin(site, one))
  const enable = (enabled: 0 | 1) => system((tx) => tx.update(OrganizationDoctype, 'acme', { enabled }))
  const unused = await openAdmin(site, stays)
  const rolesIn = async () => (await usersIn(site)).map(({ login, role }) => [login, role])
  await enable(0)
  expect(await removals(site)).toEqual(['Done'])
  expect(await redeem(site, unused)).toBe(false)
  expect(await rolesIn()).toEqual(
    expect.arrayContaining([
      ['mara', null],
      ['stays', null],
    ]),
  )
  await system(async (tx) => tx.delete(OrganizationMemberDoctype, await memberRow(tx, mara)))
  expect(await syncJobs(site), 'nothing is left to be done').toHaveLength(1)
  await enable(1)
  expect(await removals(site)).toEqual(['Done', 'Done'])
  expect(await rolesIn()).toEqual([['stays', 'administrator']])
})

test('who lacks the two-factor authentication that the organization requires loses the user', async () => {
  const site = await t.live('second-factor')
  const [mara, stays] = [await member('Organization Manager', 'Mara'), await member('Organization Manager', 'Stays')]
  for (const one of [mara, stays]) await redeem(site, await openAdmin(site, one))
  await system((tx) => tx.update(UserDoctype, stays.user, { two_factor: 1 }, { hooks: false }))
  const requireIt = (require_two_factor: 0 | 1) =>
    system((tx) => tx.update(OrganizationDoctype, 'acme', { require_two_factor }))
  await requireIt(1)
  expect(await removals(site)).toEqual(['Done'])
  expect(await loginsIn(site)).toEqual(['stays'])
  await requireIt(0)
})

test('a person keeps the user with a new address', async () => {
  const site = await t.live('moved')
  const mara = await member('Organization Manager')
  await redeem(site, await openAdmin(site, mara))
  await system((tx) => renameUser(tx, mara.user, 'new@acme.example'))
  await redeem(site, await openAdmin(site, sessionOf('new@acme.example', 'acme', { fullName: 'Mia' })))
  expect(await loginsIn(site)).toEqual(['mia'])
})

test('nobody without the right gets a user, and a deleted site keeps no rows', async () => {
  const site = await t.live('rows')
  const mia = await member('Organization User')
  await t.act(site.name, 'share', { user: mia.user, read: 1 })
  expect(await rejectionOf(openAdmin(site, mia))).toMatchObject({ code: 'forbidden' })
  expect(await loginsIn(site)).toEqual([])
  await openAdmin(site, t.owner)
  expect(await system((tx) => wordpressUsersOf(tx, site.name))).toMatchObject([{ person: t.owner.user }])
  await t.end(await t.act(site.name, 'archive', { confirm_name: 'rows' }))
  await t.end(await t.act(site.name, 'delete_permanently', { confirm_name: 'rows' }))
  expect(await system((tx) => wordpressUsersOf(tx, site.name))).toEqual([])
})
