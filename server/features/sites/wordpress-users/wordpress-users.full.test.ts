import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { EngineError } from '#server/engines/engine.ts'
import { renameUser } from '#server/features/accounts/rename-user.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { msg } from '#shared/localized-message.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { openSitePeople, type SitePeople } from '#tests/support/site-people.ts'
import { checkWordPressUsers } from './check-users.ts'
import { requestUserChecks } from './user-table.ts'

let t: SitePeople

beforeAll(async () => {
  t = await openSitePeople()
})
afterAll(() => t?.close())

test.each<[string, (person: Session) => Promise<unknown>]>([
  [
    'becomes a plain member',
    (one) =>
      t.system(async (tx) =>
        tx.update(OrganizationMemberDoctype, await t.memberRow(tx, one), { organization_role: 'Organization User' }),
      ),
  ],
  ['is no longer verified', (one) => t.system((tx) => tx.update(UserDoctype, one.user, { roles: [] }))],
  [
    'is deleted',
    async (one) => {
      await t.removeMember(one)
      await t.system((tx) => tx.delete(UserDoctype, one.user))
    },
  ],
])('a manager who %s loses the user, the session and unused links', async (what, lose) => {
  const site = await t.live(`m-${what.slice(-9).replaceAll(/[^a-z]+/g, '-')}x`)
  const [mara, stays] = [
    await t.member('Organization Manager', 'Mara'),
    await t.member('Organization Manager', 'Stays'),
  ]
  for (const one of [mara, stays]) await t.redeem(site, await t.openAdmin(site, one))
  const unused = await t.openAdmin(site, mara)
  await lose(mara)
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual(['stays'])
  expect(await t.redeem(site, unused)).toBe(false)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test('a member whose share lets only view loses the user', async () => {
  const site = await t.live('viewed')
  const mia = await t.member('Organization User')
  await t.act(site.name, 'share', { user: mia.user, write: 1 })
  await t.redeem(site, await t.openAdmin(site, mia))
  // Other rights on the site are none of this.
  await t.act(site.name, 'share', { user: mia.user, share: 1 })
  await t.act(site.name, 'share', { user: mia.user, write: 1 })
  expect(await t.syncJobs(site)).toEqual([])
  await t.act(site.name, 'share', { user: mia.user, read: 1, write: 0, share: 0 })
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('a member who hands the site over loses the user', async () => {
  const site = await t.live('handed')
  const mia = await t.member('Organization User')
  await t.act(site.name, 'set_owner', { new_owner: mia.user })
  await t.redeem(site, await t.openAdmin(site, mia))
  await t.act(site.name, 'set_owner', { new_owner: t.owner.user })
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('an archived site is cleaned up once it is restored', async () => {
  const site = await t.live('packed')
  const mara = await t.member('Organization Manager')
  await t.redeem(site, await t.openAdmin(site, mara))
  await t.end(await t.act(site.name, 'archive', { confirm_name: 'packed' }))
  await t.removeMember(mara)
  await checkWordPressUsers(t.deps)
  expect(await t.syncJobs(site)).toEqual([])
  await t.end(await t.act(site.name, 'restore_archive'))
  await checkWordPressUsers(t.deps)
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('a site that prevents it fails the job, and is tried again later', async () => {
  const site = await t.live('broken')
  const mara = await t.member('Organization Manager')
  await t.redeem(site, await t.openAdmin(site, mara))
  const { syncUsers } = t.engine
  t.engine.syncUsers = () =>
    Promise.reject(new EngineError('unavailable', msg`It does not start.`, { nextAction: msg`Look at the log.` }))
  await t.removeMember(mara)
  expect(await t.removals(site)).toEqual(['Failed'])
  t.engine.syncUsers = syncUsers
  await checkWordPressUsers(t.deps)
  expect(await t.syncJobs(site)).toHaveLength(1)
  t.pass(6 * 3_600_000 + 1000)
  await checkWordPressUsers(t.deps)
  expect((await t.removals(site)).toSorted()).toEqual(['Done', 'Failed'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('what an interruption left is made up for: after lost rights, and after a link that raced with their end', async () => {
  const site = await t.live('killed')
  const mia = await t.member('Organization User')
  const share = () => t.act(site.name, 'share', { user: mia.user, write: 1 })
  const withoutHooks = (tx: Tx) => tx.deleteWhere(DocShareDoctype, [['user', '=', mia.user]])
  await share()
  await t.redeem(site, await t.openAdmin(site, mia))
  await t.system(async (tx) => {
    await withoutHooks(tx)
    await requestUserChecks(tx, mia.user, formatTimestamp(t.deps.clock?.now() ?? 0))
  })
  await checkWordPressUsers(t.deps)
  expect(await t.removals(site)).toEqual(['Done'])

  await share()
  await t.redeem(site, await t.openAdmin(site, mia))
  await t.system(withoutHooks)
  await checkWordPressUsers(t.deps)
  expect(await t.loginsIn(site)).toEqual(['mia'])
  t.pass(61_000)
  await checkWordPressUsers(t.deps)
  expect(await t.removals(site)).toEqual(['Done', 'Done'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('a person named like the first administrator gets another login name', async () => {
  const site = await t.live('namesake')
  const admin = (await t.siteNow(site.name))?.admin_user
  const namesake = await t.member('Organization Manager', String(admin))
  await t.redeem(site, await t.openAdmin(site, namesake))
  expect(await t.loginsIn(site)).toEqual([`${String(admin)}-2`])
  await t.removeMember(namesake)
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual([])
})

test('who lacks the two-factor authentication that the organization requires loses the user', async () => {
  const site = await t.live('second-factor')
  const [mara, stays] = [
    await t.member('Organization Manager', 'Mara'),
    await t.member('Organization Manager', 'Stays'),
  ]
  for (const one of [mara, stays]) await t.redeem(site, await t.openAdmin(site, one))
  await t.system((tx) => tx.update(UserDoctype, stays.user, { two_factor: 1 }, { hooks: false }))
  const requireIt = (require_two_factor: 0 | 1) =>
    t.system((tx) => tx.update(OrganizationDoctype, 'acme', { require_two_factor }))
  await requireIt(1)
  expect(await t.removals(site)).toEqual(['Done'])
  expect(await t.loginsIn(site)).toEqual(['stays'])
  await requireIt(0)
})

test('a person keeps the user with a new address', async () => {
  const site = await t.live('moved')
  const mara = await t.member('Organization Manager')
  await t.redeem(site, await t.openAdmin(site, mara))
  await t.system((tx) => renameUser(tx, mara.user, 'new@acme.example'))
  await t.redeem(site, await t.openAdmin(site, sessionOf('new@acme.example', 'acme', { fullName: 'Mia' })))
  expect(await t.loginsIn(site)).toEqual(['mia'])
})
