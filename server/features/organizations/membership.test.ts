import { afterEach, beforeEach, expect, test } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import type { Visitor } from '#tests/support/accounts.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let s: OrganizationFixture
let ann: Visitor
beforeEach(async () => {
  s = await createOrganizationFixture()
  ann = await s.owner('ann@example.com', 'acme')
  await s.owner('eve@example.com', 'globex')
})
afterEach(() => s.close())

test('metadata: chosen organization, role there, all to choose from', async () => {
  await s.member('globex', 'ann@example.com', 'Organization Manager')
  expect(await ann.call('get_current_user_organization_metadata')).toEqual({
    org_slug: 'acme',
    org_title: 'acme',
    org_role: 'Organization Admin',
    org_owner: 'ann@example.com',
    is_owner: true,
    available_orgs: [
      { name: 'acme', title: 'acme', role: 'Organization Admin' },
      { name: 'globex', title: 'globex', role: 'Organization Manager' },
    ],
    is_ed_admin: false,
    is_ed_org_admin: true,
    has_ed_org_level_role: true,
    is_vip_enabled: false,
    pending_email: null,
  })
  expect(await ann.call('switch_organization', { organization: 'globex' })).toEqual({ organization: 'globex' })
  expect((await ann.session())?.organization).toBe('globex')
  expect(await ann.call('get_current_user_organization_metadata')).toMatchObject({
    org_slug: 'globex',
    org_role: 'Organization Manager',
    is_owner: false,
    is_ed_org_admin: false,
  })
})

test('people without an organization or verification get empty answers, no error', async () => {
  await s.person('nobody@example.com')
  await s.person('new@example.com', { verified: false })
  for (const email of ['nobody@example.com', 'new@example.com']) {
    const visitor = await s.loggedIn(email)
    expect(await visitor.call('get_current_user_organization_metadata')).toMatchObject({
      org_slug: null,
      org_role: null,
      available_orgs: [],
      has_ed_org_level_role: false,
    })
    expect(await visitor.call('enabled_modules')).toEqual({ ee: false, wpc: false })
    await expect(visitor.call('get_subscription_status')).rejects.toMatchObject({ code: 'forbidden' })
  }
  const unverified = await s.loggedIn('new@example.com')
  await unverified.call('change_unverified_email', { email: 'right@example.com' })
  expect(await unverified.call('get_current_user_organization_metadata')).toMatchObject({
    pending_email: 'right@example.com',
  })
  await expect(s.visitor().call('get_current_user_organization_metadata')).rejects.toMatchObject({ code: 'forbidden' })
})

test('a foreign organization answers like a missing one', async () => {
  const messages: string[] = []
  for (const organization of ['globex', 'nowhere']) {
    const error = await ann
      .call('switch_organization', { organization })
      .catch((caught: unknown) => caught as Error & { code: string })
    messages.push(`${(error as { code: string }).code} ${(error as Error).message.replace(organization, 'X')}`)
  }
  expect(new Set(messages)).toEqual(new Set(['not_found Organization X not found']))
  expect((await ann.session())?.organization).toBe('acme')
})

test('switching to the current organization returns a message', async () => {
  await ann.call('switch_organization', { organization: 'acme' })
  expect(ann.notices).toEqual(['Already In The Selected Organization'])
})

test('switches and creations are on record in the organization', async () => {
  await s.member('globex', 'ann@example.com', 'Organization User')
  await ann.call('switch_organization', { organization: 'globex' })
  const entries = await s.documents.transaction(s.system, (tx) =>
    tx.list(ActivityDoctype, [['actor', '=', 'ann@example.com']]),
  )
  const actions = entries.map(({ action, organization, result }) => [action, organization, result])
  expect(actions).toContainEqual(['Organization.insert', 'acme', 'Done'])
  expect(actions).toContainEqual(['organization.switch', 'globex', 'Done'])
})

test('modules of the chosen organization', async () => {
  expect(await ann.call('enabled_modules')).toEqual({ ee: true, wpc: false })
  await s.documents.transaction(s.system, (tx) =>
    tx.update(OrganizationDoctype, 'acme', { module_wpc: 1, module_ee: 0 }),
  )
  expect(await ann.call('enabled_modules')).toEqual({ ee: false, wpc: true })
})

test('a disabled organization is not offered', async () => {
  await s.documents.transaction(s.system, (tx) => tx.update(OrganizationDoctype, 'acme', { enabled: 0 }))
  const again = await s.loggedIn('ann@example.com')
  expect((await again.session())?.organization).toBeNull()
  expect(await again.call('get_current_user_organization_metadata')).toMatchObject({
    org_slug: null,
    available_orgs: [],
  })
})

test('an admin’s link for a new password reaches nothing beyond the organization', async () => {
  await s.member('acme', 'bo@example.com', 'Organization User')
  const name = await s.documents.transaction(s.system, async (tx) => {
    const [row] = await tx.list(OrganizationMemberDoctype, [['user', '=', 'bo@example.com']])
    if (!row) throw new Error('bo is no member')
    return row.name
  })
  const admin = await ann.session()
  if (!admin) throw new Error('logged out')
  const make = () => s.documents.runAction(admin, 'Organization Member', name, 'password_link', {})
  const key = new URL(((await make()) as { link: string }).link).searchParams.get('key')
  await s.visitor().call('update_password', { key, new_password: 'Another-Horse-43!' })
  await expect(s.member('globex', 'bo@example.com', 'Organization User')).rejects.toMatchObject({ code: 'forbidden' })
})
