import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { password, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import {
  bootPlatform,
  planStatus,
  platformCalls,
  errorStatus,
  type PlatformFixture,
} from '../documents/platform-fixture.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let fixture: PlatformFixture
let booted: Booted
let root: Browser
let owner: Browser

beforeAll(async () => {
  fixture = await bootPlatform()
  ;({ booted, root, owner } = fixture)
  await booted.person('second@example.com', { platformAdmin: true })
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const { get, post, activity } = platformCalls(() => fixture)

it('lists all with rights, sign-in and number of organizations', async () => {
  const { users, total } = await get<{ users: Record<string, unknown>[]; total: number }>('users', { limit: 0 })
  expect(total).toBe(6)
  expect(users.find((one) => one['email'] === 'admin@acme.example')).toEqual({
    email: 'admin@acme.example',
    full_name: 'Test Person',
    enabled: 1,
    verified: 1,
    platform_user: 1,
    platform_admin: 0,
    last_sign_in: expect.stringMatching(/^\d{4}-/) as string,
    organizations: 1,
    creation: expect.stringMatching(/^\d{4}-/) as string,
  })
  expect(users.find((one) => one['email'] === 'second@example.com')).toMatchObject({
    platform_admin: 1,
    last_sign_in: null,
    organizations: 0,
  })
  expect(JSON.stringify(users)).not.toMatch(/password|hash|secret/i)
  expect(await get('users', { txt: 'globex' })).toMatchObject({ total: 1 })
  expect(await get('users', { enabled: 0 })).toMatchObject({ total: 0 })
})

it('in an organization, a platform admin lists the people of it, outside of organizations all accounts', async () => {
  expect(await root.app.db().getCount('User')).toBe(6)
  const second = await booted.signedIn('second@example.com')
  await second.app.db().createDoc('Organization', { title: 'Initech', slug: 'initech' })
  expect(await second.app.db().getDocList('User', { fields: ['name'] })).toEqual([{ name: 'second@example.com' }])
  expect(await second.app.db().getCount('User')).toBe(1)
  expect(await second.app.db().getDoc('User', 'owner@acme.example')).toMatchObject({ email: 'owner@acme.example' })
})

it('disabled: the session ends, signing in fails, the organizations see it; enabled again it works', async () => {
  const browser = await booted.signedIn('admin@acme.example')
  expect(await post('set_user_enabled', { user: 'Admin@acme.example ', enabled: 0 })).toMatchObject({ enabled: 0 })
  await expect.poll(() => errorStatus(planStatus(browser))).toBe(403)
  const login = () =>
    booted.browser().app.auth().loginWithUsernamePassword({ username: 'admin@acme.example', password })
  expect(await sdkError(login())).toMatchObject({ httpStatus: 401, message: 'Invalid login credentials' })
  expect((await activity('acme', 'platform.user_rights'))[0]).toMatchObject({
    actor: 'root@example.com',
    on_behalf_of: 'owner@acme.example',
    reference_name: 'admin@acme.example',
    before: { enabled: 1 },
    after: { enabled: 0 },
  })
  expect(await activity('globex', 'platform.user_rights')).toEqual([])
  await post('set_user_enabled', { user: 'admin@acme.example', enabled: 1 })
  await login()
})

it('without the role a person has only the own rows', async () => {
  const browser = await booted.signedIn('owner@globex.example')
  await planStatus(browser)
  const revoked = vi.fn()
  const off = booted.accounts.sessions.onRevoked(revoked)
  await post('set_user_roles', { user: 'owner@globex.example', platform_user: 0, platform_admin: 0 })
  // Sockets close as well, and reconnect with the remaining permissions.
  await expect.poll(() => revoked).toHaveBeenCalledWith(expect.objectContaining({ user: 'owner@globex.example' }))
  off()
  await expect.poll(() => errorStatus(planStatus(browser))).toBe(403)
  expect(await browser.app.auth().getLoggedInUser()).toBe('owner@globex.example')
  await post('set_user_roles', { user: 'owner@globex.example', platform_user: 1, platform_admin: 0 })
  await expect.poll(() => planStatus(browser)).toMatchObject({ organization: 'globex' })
})

it('users cannot change their own rights, and only the platform admin those of others', async () => {
  for (const params of [{ enabled: 0 }, { role_profile_name: '' }, { roles: [] }] as Record<string, unknown>[])
    expect([params, await errorStatus(root.app.db().updateDoc('User', 'root@example.com', params))]).toEqual([
      params,
      403,
    ])
  expect(await errorStatus(post('set_user_enabled', { user: 'root@example.com', enabled: 0 }))).toBe(403)
  const rights: Record<string, unknown>[] = [{ enabled: 0 }, { role_profile_name: 'Easydash Admin' }, { roles: [] }]
  for (const params of rights) {
    // Ignored when sent with the user's own profile, like every server-owned field.
    const own = await owner.app.db().updateDoc('User', 'owner@acme.example', params)
    expect(own).toMatchObject({ enabled: 1, roles: ['Easydash User'] })
    expect(own).not.toHaveProperty('role_profile_name')
    expect(await errorStatus(owner.app.db().updateDoc('User', 'admin@acme.example', params))).toBe(403)
    expect(await errorStatus(owner.app.db().updateDoc('User', 'owner@globex.example', params))).toBe(404)
  }
})

it('the platform admin writes rights only, and only such as there are', async () => {
  const db = root.app.db()
  expect(await errorStatus(db.updateDoc('User', 'owner@acme.example', { first_name: 'Mallory' }))).toBe(403)
  expect(await errorStatus(db.updateDoc('User', 'owner@acme.example', { roles: ['Owner of everything'] }))).toBe(417)
  expect(await errorStatus(db.updateDoc('User', 'owner@acme.example', { role_profile_name: 'Root' }))).toBe(417)
  expect(await db.updateDoc('User', 'root@example.com', { first_name: 'Robin' })).toMatchObject({
    first_name: 'Robin',
  })
  expect(await db.updateDoc('User', 'nobody@example.com', { enabled: 0 })).toMatchObject({ enabled: 0 })
  expect(await db.updateDoc('User', 'nobody@example.com', { enabled: 1 })).toMatchObject({ enabled: 1 })
})

it('of two platform admins who disable one another at once one stays', async () => {
  const second = await booted.signedIn('second@example.com')
  const tries = await Promise.allSettled([
    post('set_user_enabled', { user: 'second@example.com', enabled: 0 }),
    post('set_user_enabled', { user: 'root@example.com', enabled: 0 }, second),
  ])
  expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  const { rows } = await booted.documents.transaction(booted.system, async (tx) => ({
    rows: await tx.list(UserDoctype, [['role_profile_name', '=', 'Easydash Admin']]),
  }))
  expect(rows.filter((row) => row.enabled === 1)).toHaveLength(1)
  await booted.documents.transaction(booted.system, async (tx) => {
    for (const user of ['root@example.com', 'second@example.com']) await tx.update(UserDoctype, user, { enabled: 1 })
  })
  root = await booted.signedIn('root@example.com')
})

it('the last platform admin stays, whoever asks', async () => {
  await post('set_user_roles', { user: 'second@example.com', platform_user: 1, platform_admin: 0 })
  for (const values of [{ enabled: 0 }, { role_profile_name: null }, { roles: [] }])
    await expect(
      booted.documents.transaction(booted.system, (tx) => tx.update('User', 'root@example.com', values)),
    ).rejects.toMatchObject({ code: 'forbidden', message: 'This is the last platform admin.' })
  expect(await post('set_user_roles', { user: 'second@example.com', platform_user: 1, platform_admin: 1 })).toEqual({
    user: 'second@example.com',
    enabled: 1,
    platform_user: 1,
    platform_admin: 1,
  })
})
