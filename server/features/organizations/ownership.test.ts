import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { DocShareDoctype, type DocShare } from '#shared/doctypes/doc-share.ts'
import { OrganizationMemberDoctype, type OrganizationMember } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { goodPassword, type Visitor } from '#tests/support/accounts.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { MemberInviteDoctype } from '#shared/doctypes/member-invite.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let s: OrganizationFixture
let ann: Visitor
let admin: Visitor
beforeEach(async () => {
  s = await createOrganizationFixture()
  ann = await s.owner('ann@example.com', 'acme')
  admin = await s.member('acme', 'admin@example.com', 'Organization Admin')
})
afterEach(() => s.close())

const act = async (visitor: Visitor, action: string, args: Record<string, unknown> = {}, organization = 'acme') => {
  const session = await visitor.session()
  if (!session) throw new Error('logged out')
  return s.documents.runAction(session, 'Organization', organization, action, args)
}
const system = <T>(fn: Parameters<OrganizationFixture['documents']['transaction']>[1]) =>
  s.documents.transaction(s.system, fn) as Promise<T>
const rowOf = (user: string) =>
  system<OrganizationMember | null>((tx) =>
    tx.find(OrganizationMemberDoctype, [
      ['parent', '=', 'acme'],
      ['user', '=', user],
    ]),
  )
const actions = async () =>
  (await system<Activity[]>((tx) => tx.list(ActivityDoctype, [['organization', '=', 'acme']]))).map(
    ({ action, result }) => `${action} ${result}`,
  )
const agePassword = () =>
  s.database.pool
    .query("update easydash_session set reauth_at = now() - interval '11 minutes'")
    .then(() =>
      s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, 'ann@example.com', { first_name: 'Anna' })),
    )

describe('transfer of ownership', () => {
  test('to an admin who has joined, with a fresh password; both get a mail, the old owner stays an admin', async () => {
    await s.member('acme', 'manager@example.com', 'Organization Manager')
    expect(await act(ann, 'candidates_for_change_owner')).toEqual([
      { user: 'admin@example.com', full_name: 'Test Person' },
    ])
    await agePassword()
    await expect(act(ann, 'transfer_ownership', { new_owner: 'admin@example.com' })).rejects.toMatchObject({
      code: 'forbidden',
      field: 'password',
    })
    await ann.call('confirm_password', { password: goodPassword })
    for (const new_owner of ['manager@example.com', 'nobody@example.com', 'ann@example.com', ''])
      await expect(act(ann, 'transfer_ownership', { new_owner })).rejects.toMatchObject({
        code: 'invalid',
        field: 'new_owner',
      })
    s.mails.length = 0
    expect(await act(ann, 'transfer_ownership', { new_owner: 'admin@example.com' })).toEqual({
      owner: 'admin@example.com',
    })
    expect(s.mails.map(({ to }) => to).toSorted()).toEqual(['admin@example.com', 'ann@example.com'])
    expect(await s.organization('acme')).toMatchObject({ _owner: 'admin@example.com', new_owner: null })
    expect(await rowOf('ann@example.com')).toMatchObject({ organization_role: 'Organization Admin' })
    expect(await ann.call('get_current_user_organization_metadata')).toMatchObject({ is_owner: false })
    expect(await admin.call('get_current_user_organization_metadata')).toMatchObject({ is_owner: true })
    const [entry] = await system<Activity[]>((tx) =>
      tx.list(ActivityDoctype, [['action', '=', 'Organization.transfer_ownership']]),
    )
    expect(entry).toMatchObject({ before: { owner: 'ann@example.com' }, after: { owner: 'admin@example.com' } })
    expect((await actions()).filter((one) => one.startsWith('Organization.transfer'))).toHaveLength(1)
  })

  test('by the owner only', async () => {
    await expect(act(admin, 'transfer_ownership', { new_owner: 'admin@example.com' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(act(admin, 'candidates_for_change_owner')).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('of a server: to an admin, by an admin', async () => {
    await s.member('acme', 'manager@example.com', 'Organization Manager')
    const values = { organization: 'acme', hostname: 'web-1.example.com', _owner: 'ann@example.com' }
    const server = await system<Server>((tx) => tx.insert(ServerDoctype, values))
    const change = async (new_owner: string) => {
      const session = await admin.session()
      if (!session) throw new Error('logged out')
      return s.documents.runAction(session, 'Server', server.name, 'change_owner', { new_owner })
    }
    for (const wrong of ['manager@example.com', 'ann@example.com'])
      await expect(change(wrong)).rejects.toMatchObject({ code: 'invalid', field: 'new_owner' })
    expect(await change('admin@example.com')).toEqual({ owner: 'admin@example.com' })
    const [entry] = await system<Activity[]>((tx) => tx.list(ActivityDoctype, [['action', '=', 'Server.change_owner']]))
    expect(entry).toMatchObject({ before: { _owner: 'ann@example.com' }, after: { _owner: 'admin@example.com' } })
    expect(await change('ann@example.com')).toEqual({ owner: 'ann@example.com' })
  })

  test('one of two concurrent transfers wins', async () => {
    await s.member('acme', 'second@example.com', 'Organization Admin')
    const tries = await Promise.allSettled(
      ['admin@example.com', 'second@example.com'].map((new_owner) => act(ann, 'transfer_ownership', { new_owner })),
    )
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await s.organization('acme'))?._owner).not.toBe('ann@example.com')
  })

  test('against the removal of the new owner: the owner is always a member', async () => {
    const session = await ann.session()
    const row = await rowOf('admin@example.com')
    if (!session || !row) throw new Error('nothing to do')
    await Promise.allSettled([
      act(ann, 'transfer_ownership', { new_owner: 'admin@example.com' }),
      s.documents.delete(session, 'Organization Member', row.name),
    ])
    const owner = (await s.organization('acme'))?._owner ?? ''
    expect(await rowOf(owner)).toMatchObject({ organization_role: 'Organization Admin' })
  })
})

describe('leaving', () => {
  test('ends rights, shares and the current organization; the owner must transfer ownership first', async () => {
    const member = await s.member('acme', 'mem@example.com', 'Organization User')
    await system((tx) =>
      tx.insert(DocShareDoctype, {
        organization: 'acme',
        share_doctype: 'Site',
        share_name: 'site000001',
        user: 'mem@example.com',
        write: 1,
      }),
    )
    const listener = vi.fn()
    s.accounts.sessions.onRevoked(listener)
    await act(member, 'leave')
    expect((await member.session())?.organization).toBeNull()
    expect(await rowOf('mem@example.com')).toBeNull()
    expect(await system<DocShare[]>((tx) => tx.list(DocShareDoctype, []))).toEqual([])
    await expect
      .poll(() => listener)
      .toHaveBeenCalledWith({ user: 'mem@example.com', sessionId: null, organization: 'acme' })
    await act(admin, 'leave')
    await expect(act(ann, 'leave')).rejects.toMatchObject({ code: 'forbidden', message: /hand.*over first/i })
    await expect(act(member, 'leave')).rejects.toMatchObject({ code: 'not_found' })
    expect(await actions()).toContain('Organization.leave Done')
  })

  test('a changed role is announced to every process immediately', async () => {
    const member = await s.member('acme', 'mem@example.com', 'Organization Manager')
    expect((await member.session())?.organization).toBe('acme')
    const listener = vi.fn()
    s.accounts.sessions.onRevoked(listener)
    const session = await ann.session()
    const row = await rowOf('mem@example.com')
    if (!session || !row) throw new Error('nothing to do')
    await s.documents.save(session, 'Organization Member', row.name, { organization_role: 'Organization User' })
    await expect
      .poll(() => listener)
      .toHaveBeenCalledWith({ user: 'mem@example.com', sessionId: null, organization: 'acme' })
  })
})

describe('the end of an organization', () => {
  test('takes the slug, the owner and a fresh password, and nothing that runs', async () => {
    for (const confirm_name of [undefined, 'Acme', 'globex'])
      await expect(act(ann, 'delete_organization', { confirm_name })).rejects.toMatchObject({
        code: 'invalid',
        field: 'confirm_name',
      })
    await expect(act(admin, 'delete_organization', { confirm_name: 'acme' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await agePassword()
    await expect(act(ann, 'delete_organization', { confirm_name: 'acme' })).rejects.toMatchObject({
      field: 'password',
    })
    await ann.call('confirm_password', { password: goodPassword })
    const job = await system<{ name: string }>((tx) =>
      tx.insert(JobDoctype, { organization: 'acme', job_type: 'test', status: 'Running' }),
    )
    await expect(act(ann, 'delete_organization', { confirm_name: 'acme' })).rejects.toMatchObject({
      excType: 'LinkExistsError',
      message: 'acme still has 1 running job.',
    })
    await system((tx) => tx.update(JobDoctype, job.name, { status: 'Done' }, { hooks: false }))
    await ann.call('invite_members', { users: ['new@example.com'] })
    for (const organization of ['acme', null])
      await system((tx) =>
        tx.insert(FileDoctype, { organization, file_name: 'a.txt', file_url: '/private/files/a.txt', is_private: 1 }),
      )
    await act(ann, 'delete_organization', { confirm_name: 'acme' })
    expect(await system((tx) => tx.count(FileDoctype, []))).toBe(1)
    expect(await s.organization('acme')).toBeNull()
    for (const doctype of ['Organization Member', 'Member Invite', 'Job', 'DocShare'])
      expect(await system((tx) => tx.count(doctype, []))).toBe(0)
    expect((await admin.session())?.organization).toBeNull()
    const log = await actions()
    expect(log).toContain('Organization.delete Done')
    expect(log.length).toBeGreaterThan(5)
  })

  test('its name is never reused, so the log stays with its authors', async () => {
    await act(ann, 'delete_organization', { confirm_name: 'acme' })
    await s.person('eve@example.com')
    const eve = await s.loggedIn('eve@example.com')
    expect(await eve.call('is_slug_available', { slug: 'acme' })).toBe(false)
    await expect(s.insert(eve, 'Organization', { title: 'Acme', slug: 'acme' })).rejects.toMatchObject({
      code: 'conflict',
      field: 'slug',
    })
  })

  test('against a server that is being added: either both are refused in the right order, or nothing is left over', async () => {
    const add = () => s.insert<Server>(ann, 'Server', { hostname: 'web1' })
    const end = () => act(ann, 'delete_organization', { confirm_name: 'acme' })
    const [added, ended] = await Promise.allSettled([add(), end()])
    expect([added.status, ended.status].toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await system((tx) => tx.count(ServerDoctype, []))).toBe(added.status === 'fulfilled' ? 1 : 0)
    expect((await s.organization('acme')) === null).toBe(ended.status === 'fulfilled')
  })
})

describe('settings', () => {
  test('modules are switched by the owner and the platform admin, one by one', async () => {
    expect(await act(ann, 'set_modules', { wpc: 1 })).toEqual({ ee: true, wpc: true })
    expect(await act(ann, 'set_modules', { ee: false })).toEqual({ ee: false, wpc: true })
    expect(await ann.call('enabled_modules')).toEqual({ ee: false, wpc: true })
    await expect(act(admin, 'set_modules', { ee: 1 })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(act(ann, 'set_modules', { ee: 2 })).rejects.toMatchObject({ code: 'invalid', field: 'ee' })
    await s.person('root@example.com', { platformAdmin: true })
    const root = await s.loggedIn('root@example.com')
    expect(await act(root, 'set_modules', { ee: 1 })).toEqual({ ee: true, wpc: true })
    const entries = await system<Activity[]>((tx) => tx.list(ActivityDoctype, [['actor', '=', 'root@example.com']]))
    expect(entries.map(({ organization }) => organization)).toContain('acme')
  })

  test('the access token is shown once and kept as its SHA-256', async () => {
    const made = (await act(admin, 'make_server_access_token')) as { server_access_token: string }
    const hash = createHash('sha256').update(made.server_access_token).digest('hex')
    expect(await s.organization('acme')).toMatchObject({
      access_token_sha256_hash: hash,
      server_access_token: null,
      server_access_token_made: expect.any(String) as string,
    })
    const session = await ann.session()
    if (!session) throw new Error('logged out')
    const shown = JSON.stringify(await s.documents.get(session, 'Organization', 'acme'))
    const log = JSON.stringify(await system<Activity[]>((tx) => tx.list(ActivityDoctype, [])))
    for (const secret of [made.server_access_token, hash]) {
      expect(shown).not.toContain(secret)
      expect(log).not.toContain(secret)
    }
    const again = (await act(ann, 'make_server_access_token')) as { server_access_token: string }
    expect(again.server_access_token).not.toBe(made.server_access_token)
    await act(ann, 'revoke_server_access_token')
    expect(await s.organization('acme')).toMatchObject({
      access_token_sha256_hash: null,
      server_access_token_made: null,
    })
    const manager = await s.member('acme', 'manager@example.com', 'Organization Manager')
    for (const action of ['make_server_access_token', 'revoke_server_access_token'])
      await expect(act(manager, action)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('flags of the session follow the template switch', async () => {
    await system((tx) => tx.update(OrganizationDoctype, 'acme', { enable_vip_template: 1 }))
    expect(await ann.call('get_current_user_organization_metadata')).toMatchObject({ is_vip_enabled: true })
  })
})

test('a member who is being removed and writes at the same moment: afterwards nothing works', async () => {
  const manager = await s.member('acme', 'manager@example.com', 'Organization Manager')
  const session = await ann.session()
  const row = await rowOf('manager@example.com')
  if (!session || !row) throw new Error('nothing to do')
  await Promise.allSettled([
    s.documents.delete(session, 'Organization Member', row.name),
    ...[1, 2, 3].map((n) => manager.call('invite_members', { users: [`p${n}@example.com`] })),
  ])
  await expect(manager.call('invite_members', { users: ['late@example.com'] })).rejects.toMatchObject({
    code: 'forbidden',
  })
  const left = await system<{ status: string }[]>((tx) => tx.list(MemberInviteDoctype, [['status', '=', 'pending']]))
  expect(left).toEqual([])
})
