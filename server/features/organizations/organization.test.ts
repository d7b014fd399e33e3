import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { createOrganizations } from './organizations.ts'
import { goodPassword, type Visitor } from '#tests/support/accounts.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let s: OrganizationFixture
let ann: Visitor
beforeEach(async () => {
  s = await createOrganizationFixture()
  await s.person('ann@example.com')
  ann = await s.loggedIn('ann@example.com')
})
afterEach(() => s.close())

const create = (visitor: Visitor, values: Record<string, unknown>) =>
  s.insert<Organization>(visitor, 'Organization', values)

describe('creation', () => {
  test('the creator becomes owner and admin and switches to it', async () => {
    const made = await create(ann, { title: '  Acme \n Inc. ', slug: 'acme' })
    expect(made).toMatchObject({
      name: 'acme',
      title: 'Acme Inc.',
      _owner: 'ann@example.com',
      owner: 'ann@example.com',
      plan: 'Free',
      module_ee: 1,
      module_wpc: 0,
      enabled: 1,
    })
    expect(await s.organization('acme')).toMatchObject({
      members: [{ user: 'ann@example.com', organization_role: 'Organization Admin' }],
    })
    expect((await ann.session())?.organization).toBe('acme')
  })

  test('the first organization of the installation has the local engine, later ones not', async () => {
    await create(ann, { title: 'Acme', slug: 'acme' })
    await create(ann, { title: 'Globex', slug: 'globex' })
    expect([(await s.organization('acme'))?.local_engine, (await s.organization('globex'))?.local_engine]).toEqual([
      1, 0,
    ])
  })

  test('of two concurrent first organizations exactly one gets the local engine', async () => {
    await Promise.all(['acme', 'globex', 'initech'].map((slug) => create(ann, { title: slug, slug })))
    const granted = await s.documents.transaction(s.system, (tx) =>
      tx.count(OrganizationDoctype, [['local_engine', '=', 1]]),
    )
    expect(granted).toBe(1)
  })

  test('plan, members and hidden grants sent by the client are ignored, another owner and visible grants rejected', async () => {
    await s.person('eve@example.com')
    for (const granted of [{ _owner: 'eve@example.com' }, { new_owner: 'eve@example.com' }, { local_engine: 1 }])
      await expect(create(ann, { title: 'Acme', slug: 'acme', ...granted })).rejects.toMatchObject({
        code: 'forbidden',
      })
    await create(ann, {
      title: 'Acme',
      slug: 'acme',
      owner: 'eve@example.com',
      plan: 'Enterprise',
      site_limit_override: '0',
      members: [{ user: 'eve@example.com', organization_role: 'Organization Admin' }],
    })
    expect(await s.organization('acme')).toMatchObject({
      _owner: 'ann@example.com',
      plan: 'Free',
      site_limit_override: null,
      members: [{ user: 'ann@example.com' }],
    })
  })

  test('without a slug the title gives one', async () => {
    expect(await create(ann, { title: 'Żółw & Söhne' })).toMatchObject({
      name: 'zolw-and-sohne',
      slug: 'zolw-and-sohne',
      is_default_slug: 1,
    })
    await expect(create(ann, { title: '株式会社' })).rejects.toMatchObject({ code: 'invalid', field: 'slug' })
  })

  test.each([
    'ab',
    'x'.repeat(33),
    '-acme',
    'acme-',
    'Acme',
    'ac me',
    'ac_me',
    'äcme',
    '../x',
    'create',
    'www',
    'admin',
    'autodiscover',
  ])('slug %j is refused at the field', async (slug) => {
    await expect(create(ann, { title: 'Acme', slug })).rejects.toMatchObject({ code: 'invalid', field: 'slug' })
    expect(await ann.call('is_slug_available', { slug })).toBe(false)
  })

  test('a taken slug is a field error, also for other users', async () => {
    await create(ann, { title: 'Acme', slug: 'acme' })
    await s.person('eve@example.com')
    const eve = await s.loggedIn('eve@example.com')
    expect(await eve.call('is_slug_available', { slug: 'acme' })).toBe(false)
    expect(await eve.call('is_slug_available', { slug: 'acme-2' })).toBe(true)
    await expect(create(eve, { title: 'Acme', slug: 'acme' })).rejects.toMatchObject({
      code: 'conflict',
      field: 'slug',
    })
  })

  test('two concurrent creations with one slug: one wins, the other gets the field error', async () => {
    const tries = await Promise.allSettled([1, 2, 3].map(() => create(ann, { title: 'Acme', slug: 'acme' })))
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    for (const one of tries)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({
          code: 'conflict',
          field: 'slug',
          message: 'Organization acme already exists',
        })
  })

  test('a title is needed; unverified people create nothing', async () => {
    await expect(create(ann, { slug: 'acme' })).rejects.toMatchObject({ code: 'invalid', field: 'title' })
    await s.person('new@example.com', { verified: false })
    const visitor = await s.loggedIn('new@example.com')
    await expect(create(visitor, { title: 'Acme', slug: 'acme' })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(visitor.call('is_slug_available', { slug: 'acme' })).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('the slug stays as it is', async () => {
    await create(ann, { title: 'Acme', slug: 'acme' })
    const session = await ann.session()
    if (!session) throw new Error('logged out')
    await expect(s.documents.save(session, 'Organization', 'acme', { slug: 'other' })).rejects.toMatchObject({
      field: 'slug',
    })
    expect(await s.documents.save(session, 'Organization', 'acme', { title: 'Acme Two' })).toMatchObject({
      title: 'Acme Two',
      slug: 'acme',
    })
  })
})

describe('members', () => {
  const rowOf = async (slug: string, user: string) =>
    s.documents.transaction(s.system, (tx) =>
      tx.find(OrganizationMemberDoctype, [
        ['parent', '=', slug],
        ['user', '=', user],
      ]),
    )
  const setRole = async (visitor: Visitor, user: string, organization_role: string) => {
    const session = await visitor.session()
    const row = await rowOf('acme', user)
    if (!session || !row) throw new Error('nothing to change')
    return s.documents.save(session, 'Organization Member', row.name, { organization_role })
  }
  const remove = async (visitor: Visitor, user: string) => {
    const session = await visitor.session()
    const row = await rowOf('acme', user)
    if (!session || !row) throw new Error('nothing to remove')
    return s.documents.delete(session, 'Organization Member', row.name)
  }

  beforeEach(() => create(ann, { title: 'Acme', slug: 'acme' }))

  test('nobody can remove or downgrade the owner', async () => {
    const admin = await s.member('acme', 'admin@example.com', 'Organization Admin')
    for (const visitor of [admin, ann]) {
      await expect(setRole(visitor, 'ann@example.com', 'Organization User')).rejects.toMatchObject({
        code: 'forbidden',
      })
      await expect(remove(visitor, 'ann@example.com')).rejects.toMatchObject({ code: 'forbidden' })
    }
    const row = await rowOf('acme', 'ann@example.com')
    await expect(
      s.documents.transaction(s.system, (tx) => tx.delete(OrganizationMemberDoctype, row?.name ?? '')),
    ).rejects.toMatchObject({ code: 'forbidden' })
    expect(row).toMatchObject({ organization_role: 'Organization Admin' })
  })

  test('an owner whose row is missing gets it back', async () => {
    await s.database.pool.query('delete from tab_organization_member')
    await s.documents.transaction(s.system, (tx) => tx.update(OrganizationDoctype, 'acme', { title: 'Acme Two' }))
    expect(await rowOf('acme', 'ann@example.com')).toMatchObject({ organization_role: 'Organization Admin' })
  })

  test('the next start puts a lost owner back, and a demoted one', async () => {
    await create(ann, { title: 'Globex', slug: 'globex' })
    await s.database.pool.query("delete from tab_organization_member where parent = 'acme'")
    await s.database.pool.query("update tab_organization_member set organization_role = 'Organization User'")
    const feature = createOrganizations({
      config: { url: 'http://dash.test', productName: 'Easydash' },
      documents: () => s.documents,
      mailer: { send: () => Promise.resolve() },
      rateLimiter: s.rateLimiter,
      pendingEmail: () => Promise.resolve(null),
      confirmInvited: () => Promise.resolve(null),
      signInStatuses: () => Promise.resolve([]),
      forgetSecrets: () => Promise.resolve(),
    })
    await feature.prepare()
    for (const slug of ['acme', 'globex'])
      expect(await rowOf(slug, 'ann@example.com')).toMatchObject({ organization_role: 'Organization Admin' })
  })

  test('admins change roles of others, never their own; managers and members change nothing', async () => {
    const admin = await s.member('acme', 'admin@example.com', 'Organization Admin')
    const manager = await s.member('acme', 'manager@example.com', 'Organization Manager')
    const user = await s.member('acme', 'user@example.com', 'Organization User')
    expect(await setRole(admin, 'user@example.com', 'Organization Manager')).toMatchObject({
      organization_role: 'Organization Manager',
    })
    await expect(setRole(admin, 'admin@example.com', 'Organization User')).rejects.toMatchObject({ code: 'forbidden' })
    for (const visitor of [manager, user]) {
      await expect(setRole(visitor, 'user@example.com', 'Organization Admin')).rejects.toMatchObject({
        code: expect.stringMatching(/forbidden|not_found/) as string,
      })
      await expect(remove(visitor, 'admin@example.com')).rejects.toMatchObject({
        code: expect.stringMatching(/forbidden|not_found/) as string,
      })
    }
  })

  test('a removed member loses the organization immediately and switches to their next one', async () => {
    const eve = await s.owner('eve@example.com', 'globex')
    await s.member('acme', 'eve@example.com', 'Organization Manager')
    await eve.call('switch_organization', { organization: 'acme' })
    expect((await eve.session())?.organization).toBe('acme')
    const listener = vi.fn()
    s.accounts.sessions.onRevoked(listener)
    await remove(ann, 'eve@example.com')
    expect((await eve.session())?.organization).toBe('globex')
    await expect
      .poll(() => listener)
      .toHaveBeenCalledWith({ user: 'eve@example.com', sessionId: null, organization: 'acme' })
    await expect(eve.call('switch_organization', { organization: 'acme' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('deletion', () => {
  const remove = async (visitor: Visitor) => {
    const session = await visitor.session()
    if (!session) throw new Error('logged out')
    return s.documents.delete(session, 'Organization', 'acme')
  }
  beforeEach(() => create(ann, { title: 'Acme', slug: 'acme' }))

  test('takes a fresh password, an empty organization, and the owner', async () => {
    const admin = await s.member('acme', 'admin@example.com', 'Organization Admin')
    await expect(remove(admin)).rejects.toMatchObject({ code: 'forbidden' })
    await s.database.pool.query("update easydash_session set reauth_at = now() - interval '11 minutes'")
    await s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, 'ann@example.com', { first_name: 'Anna' }))
    await expect(remove(ann)).rejects.toMatchObject({ code: 'forbidden', message: 'Confirm your password to go on.' })
    await ann.call('confirm_password', { password: goodPassword })
    const server = await s.documents.transaction(s.system, (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname: 'web1' }),
    )
    await expect(remove(ann)).rejects.toMatchObject({ excType: 'LinkExistsError' })
    await s.documents.transaction(s.system, (tx) => tx.delete(ServerDoctype, server.name))
    const site = await s.documents.transaction(s.system, (tx) =>
      tx.insert(WpcSiteDoctype, { organization: 'acme', domain: 'one.example' }),
    )
    await expect(remove(ann)).rejects.toMatchObject({ excType: 'LinkExistsError', message: 'Acme still has 1 site.' })
    await s.documents.transaction(s.system, (tx) => tx.delete(WpcSiteDoctype, site.name))
    await remove(ann)
    expect(await s.organization('acme')).toBeNull()
    expect((await ann.session())?.organization).toBeNull()
    expect((await admin.session())?.organization).toBeNull()
    expect(await ann.call('get_current_user_organization_metadata')).toMatchObject({
      org_slug: null,
      available_orgs: [],
    })
  })

  test('the server "this machine" goes with it', async () => {
    await s.documents.transaction(s.system, (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname: 'here', engine: 'local' }),
    )
    await remove(ann)
    expect(await s.documents.transaction(s.system, (tx) => tx.count(ServerDoctype, []))).toBe(0)
  })
})
