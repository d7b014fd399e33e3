import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { assertWithinLimit } from './limits.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import type { Visitor } from '#tests/support/accounts.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let s: OrganizationFixture
let ann: Visitor
let server: Server
beforeEach(async () => {
  s = await createOrganizationFixture()
  ann = await s.owner('ann@example.com', 'acme')
  server = await s.insert<Server>(ann, 'Server', { hostname: 'web1' })
})
afterEach(() => s.close())

const addSite = (n: number | string) =>
  s.insert<Site>(ann, 'Site', { domain: `site-${n}`, server: server.name, site_type: 'html' })
const grant = (values: Record<string, unknown>) =>
  s.documents.transaction(s.system, (tx) => tx.update(OrganizationDoctype, 'acme', values))
const archive = (name: string, status: string) =>
  s.documents.transaction(s.system, (tx) => tx.update('Site', name, { status }))

test('a fourth site on Free is refused, nothing is written', async () => {
  for (const n of [1, 2, 3]) await addSite(n)
  await expect(addSite(4)).rejects.toMatchObject({
    code: 'limit_reached',
    message: 'The Free plan has room for 3 sites, and 3 are in use.',
    // Ann is the owner: nobody is told to ask themselves.
    nextAction: { text: 'Archive a site you do not need, or choose a larger plan.' },
  })
  expect(await s.documents.transaction(s.system, (tx) => tx.count(SiteDoctype, []))).toBe(3)
})

test('at a granted limit everyone is sent to the platform admin, no plan changes it', async () => {
  await grant({ site_limit_override: '1' })
  await addSite(1)
  await expect(addSite(2)).rejects.toMatchObject({
    message: 'This organization has room for 1 site, and 1 is in use.',
    nextAction: { text: 'Archive a site you do not need, or ask the platform admin for a higher limit.' },
  })
})

test('of many concurrent creations exactly as many as allowed succeed', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => addSite(n)))
  expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(3)
  for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'limit_reached' })
})

test('archived sites make room; bringing one back counts again', async () => {
  const first = await addSite(1)
  for (const n of [2, 3]) await addSite(n)
  await archive(first.name, 'Archived')
  await addSite(4)
  await expect(archive(first.name, 'Live')).rejects.toMatchObject({ code: 'limit_reached' })
  await grant({ plan: 'Starter' })
  await archive(first.name, 'Live')
})

test('servers: one on Free, this machine included', async () => {
  await expect(s.insert(ann, 'Server', { hostname: 'web2' })).rejects.toMatchObject({
    code: 'limit_reached',
    message: 'The Free plan has room for 1 server, and 1 is in use.',
  })
  await s.documents.transaction(s.system, (tx) => tx.update(ServerDoctype, server.name, { status: 'Decommissioned' }))
  await s.insert(ann, 'Server', { hostname: 'web2' })
})

test.each(['0', '-1'])('a limit of %s is none', async (limit) => {
  await grant({ site_limit_override: limit })
  for (const n of [1, 2, 3, 4]) await addSite(n)
  await s.documents.transaction(s.system, (tx) => assertWithinLimit(tx, 'acme', 'site', 'ann@example.com'))
})

test("one organization's sites do not count for another", async () => {
  for (const n of [1, 2, 3]) await addSite(n)
  await s.owner('eve@example.com', 'globex')
  await s.documents.transaction(s.system, (tx) => assertWithinLimit(tx, 'globex', 'site', 'ann@example.com'))
})

test('subscription status: the whole shape', async () => {
  for (const n of [1, 2, 3]) await addSite(n)
  const status = await ann.call('get_subscription_status')
  expect(status).toMatchObject({
    organization: 'acme',
    user: 'ann@example.com',
    plan_name: 'Free',
    plan_cost: 0,
    currency: 'EUR',
    is_free_tier: true,
    is_canceled: false,
    cancelation_date: null,
    is_scheduled: false,
    scheduled_plan: null,
    scheduled_date: null,
    features: [],
    usage: { site: 3, server: 1 },
    limits: { site: 3, server: 1 },
    is_site_limit_reached: true,
    is_site_limit_exceeded: false,
    is_server_limit_reached: true,
    is_server_limit_exceeded: false,
  })
  expect(
    (status['plans'] as { name: string; resource_limits: unknown }[]).map(({ name, resource_limits }) => [
      name,
      resource_limits,
    ]),
  ).toContainEqual(['Starter', { site: 10, server: 2 }])
  await grant({ plan: 'Starter', site_limit_override: '2' })
  expect(await ann.call('get_subscription_status')).toMatchObject({
    plan_name: 'Starter',
    is_free_tier: false,
    limits: { site: 2, server: 2 },
    is_site_limit_reached: false,
    is_site_limit_exceeded: true,
    is_server_limit_reached: false,
  })
})
