import { afterEach, expect, test } from 'vitest'
import { platformSettingsName } from '#shared/doctypes/platform-settings.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { setPlans } from '#tests/support/plans.ts'
import { hasPlans, seedPlatformSettings } from './platform-settings.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let s: OrganizationFixture
afterEach(() => s.close())

const enabled = () => s.documents.transaction(s.system, hasPlans)

test('without plans nothing is limited, even with a stored plan or limit', async () => {
  s = await createOrganizationFixture({ plans: false })
  const ann = await s.owner('ann@example.com', 'acme')
  await s.documents.transaction(s.system, (tx) => tx.update(OrganizationDoctype, 'acme', { site_limit_override: '1' }))
  const server = await s.insert<{ name: string }>(ann, 'Server', { hostname: 'web1' })
  await s.insert(ann, 'Server', { hostname: 'web2' })
  for (let n = 0; n < 4; n += 1)
    await s.insert(ann, 'Site', { domain: `site-${n}`, server: server.name, site_type: 'html' })
  expect(await ann.call('get_subscription_status')).toMatchObject({
    plans_enabled: false,
    user: 'ann@example.com',
    plan_name: 'Free',
    is_free_tier: true,
    usage: { site: 4, server: 2 },
    limits: { site: 0, server: 0 },
    overrides: { site: null, server: null },
    is_site_limit_reached: false,
    is_site_limit_exceeded: false,
    plans: [],
  })
  for (const method of ['change_plan', 'cancel_plan', 'reactivate_plan'])
    await expect(ann.call(method, { plan: 'Pro' })).rejects.toMatchObject({ code: 'unsupported' })
})

test('switched on, the stored plans and granted limits apply again', async () => {
  s = await createOrganizationFixture({ plans: false })
  const ann = await s.owner('ann@example.com', 'acme')
  await s.insert(ann, 'Server', { hostname: 'web1' })
  await setPlans(s.documents, s.system, true)
  await expect(s.insert(ann, 'Server', { hostname: 'web2' })).rejects.toMatchObject({ code: 'limit_reached' })
  expect(await ann.call('get_subscription_status')).toMatchObject({
    plans_enabled: true,
    limits: { site: 3, server: 1 },
  })
})

test('a later start changes nothing the platform admin decided', async () => {
  s = await createOrganizationFixture()
  for (const decided of [false, true]) {
    await setPlans(s.documents, s.system, decided)
    await s.documents.transaction(s.system, seedPlatformSettings)
    expect(await enabled()).toBe(decided)
  }
})

test('members and owners neither read nor change the settings', async () => {
  s = await createOrganizationFixture()
  const ann = await s.owner('ann@example.com', 'acme')
  const session = await ann.session()
  if (!session) throw new Error('not signed in')
  await expect(s.documents.get(session, 'Platform Settings', platformSettingsName)).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(
    s.documents.save(session, 'Platform Settings', platformSettingsName, { plans_enabled: 0 }),
  ).rejects.toMatchObject({ code: 'not_found' })
})
