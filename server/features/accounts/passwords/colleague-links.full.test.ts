import { afterEach, beforeEach, expect, test } from 'vitest'
import { goodPassword, type Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { UserDoctype, adminProfile } from '#shared/doctypes/user.ts'

const nextPassword = 'Another-Horse-43!'
const [owner, admin, bo] = ['owner@example.com', 'admin@example.com', 'bo@example.com']

let s: OrganizationFixture
let adminHere: Visitor

beforeEach(async () => {
  s = await createOrganizationFixture()
  await s.owner(owner, 'acme')
  adminHere = await s.member('acme', admin, 'Organization Admin')
  await s.member('acme', bo, 'Organization Manager')
})
afterEach(() => s.close())

const rowOf = (user: string) =>
  s.documents.transaction(s.system, async (tx) => {
    const row = await tx.find(OrganizationMemberDoctype, [
      ['parent', '=', 'acme'],
      ['user', '=', user],
    ])
    return row?.name ?? ''
  })
const keyFor = async (user: string, by = adminHere): Promise<string> => {
  const session = await by.session()
  if (!session) throw new Error('logged out')
  const made = await s.documents.runAction(session, 'Organization Member', await rowOf(user), 'password_link', {})
  return new URL((made as { link: string }).link).searchParams.get('key') ?? ''
}
const choose = (key: string) => s.visitor().call('update_password', { key, new_password: nextPassword })
const changed = (user: string, values: Record<string, unknown>) =>
  s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, user, values, { hooks: false }))

test('a link gives one new password and stands in the activity of the organization', async () => {
  const [older, key] = [await keyFor(bo), await keyFor(bo)]
  await expect(choose(older)).rejects.toMatchObject({ code: 'gone' })
  await choose(key)
  await expect(choose(key)).rejects.toMatchObject({ code: 'gone' })
  await expect(s.visitor().call('login', { usr: bo, pwd: nextPassword })).resolves.toBe('Logged In')
  const entries = await s.documents.transaction(s.system, (tx) =>
    tx.list(ActivityDoctype, [['action', 'in', ['Organization Member.password_link', 'account.change_password']]]),
  )
  expect(entries).toContainEqual(
    expect.objectContaining({ organization: 'acme', actor: admin, reference_title: bo, result: 'Done' }),
  )
  expect(entries.find(({ actor }) => actor === bo)?.after).toMatchObject({ link_given_by: admin })
  expect(JSON.stringify(entries)).not.toContain(key)
})

test.each([
  ['the owner', () => Promise.resolve(owner)],
  ['themselves', () => Promise.resolve(admin)],
  ['a platform admin', () => changed(bo, { role_profile_name: adminProfile }).then(() => bo)],
  ['a disabled account', () => changed(bo, { enabled: 0 }).then(() => bo)],
  [
    'a member of another organization',
    () =>
      s
        .owner('o@globex.example', 'globex')
        .then(() => s.member('globex', bo, 'Organization User'))
        .then(() => bo),
  ],
])('an admin makes no link for %s', async (_who, prepare) => {
  await expect(prepare().then((user) => keyFor(user))).rejects.toMatchObject({ code: 'invalid', field: 'user' })
})

test('managers and members make none, nor anybody where emails are sent', async () => {
  const manager = await s.loggedIn(bo)
  await manager.call('confirm_password', { password: goodPassword })
  await expect(keyFor(admin, manager)).rejects.toMatchObject({ code: 'forbidden' })
  await s.close()
  s = await createOrganizationFixture({ smtpUrl: 'smtp://mail.example.com' })
  const here = await s.owner(owner, 'acme')
  await s.member('acme', bo, 'Organization User')
  await expect(keyFor(bo, here)).rejects.toMatchObject({ code: 'invalid' })
})

test.each([
  ['the admin lost the role', () => remove(admin)],
  [
    'the person became the owner',
    () =>
      s.documents.transaction(s.system, (tx) =>
        tx.update(OrganizationDoctype, 'acme', { _owner: bo }, { hooks: false }),
      ),
  ],
  ['the person became a platform admin', () => changed(bo, { role_profile_name: adminProfile })],
  ['the person left', () => remove(bo)],
  [
    'the organization was disabled',
    () =>
      s.documents.transaction(s.system, (tx) =>
        tx.update(OrganizationDoctype, 'acme', { enabled: 0 }, { hooks: false }),
      ),
  ],
  [
    'the person joined another organization',
    () => s.owner('o@globex.example', 'globex').then(() => s.member('globex', bo, 'Organization User')),
  ],
])('a link ends when %s', async (_why, change) => {
  const key = await keyFor(bo)
  const check = () => s.visitor().call('check_password_link', { key })
  await expect(check()).resolves.toBeUndefined()
  await change()
  await expect(check()).rejects.toMatchObject({ code: 'gone' })
  // Before anything about the password itself.
  await expect(s.visitor().call('update_password', { key, new_password: 'weak' })).rejects.toMatchObject({
    code: 'gone',
  })
  await expect(choose(key)).rejects.toMatchObject({ code: 'gone' })
})

async function remove(user: string): Promise<void> {
  const row = await rowOf(user)
  await s.documents.transaction(s.system, (tx) => tx.delete(OrganizationMemberDoctype, row))
}

test('an account with such a password joins no other organization until it has one from elsewhere', async () => {
  await choose(await keyFor(bo))
  await s.owner('o@globex.example', 'globex')
  await expect(s.member('globex', bo, 'Organization User')).rejects.toMatchObject({
    code: 'forbidden',
    excType: 'PermissionError',
  })
  const person = s.visitor()
  await person.call('login', { usr: bo, pwd: nextPassword })
  await expect(s.insert(person, 'Organization', { title: 'Bo', slug: 'bo-alone' })).rejects.toMatchObject({
    code: 'forbidden',
  })
  // Whoever knows the password can change it: that proves nothing.
  await person.call('update_password', { old_password: nextPassword, new_password: goodPassword })
  await expect(s.member('globex', bo, 'Organization User')).rejects.toMatchObject({ code: 'forbidden' })
  await s.visitor().call('reset_password', { user: bo })
  await choose(s.linkToken(bo))
  const membership = { parent: 'globex', parenttype: 'Organization', parentfield: 'members', user: bo }
  await s.documents.transaction(s.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, { ...membership, organization_role: 'Organization User' }),
  )
})
