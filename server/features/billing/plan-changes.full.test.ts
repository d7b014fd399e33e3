import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import type { PlanChange } from './plan-answer.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import type { Visitor } from '#tests/support/accounts.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

const day = 86_400_000
let s: OrganizationFixture
let ann: Visitor
beforeEach(async () => {
  s = await createOrganizationFixture()
  ann = await s.owner('ann@example.com', 'acme')
})
afterEach(() => s.close())

const change = (plan: string, when: 'now' | 'period_end' = 'now', who = ann) =>
  who.call<PlanChange>('change_plan', { plan, when })
const status = () => ann.call('get_subscription_status')
const due = () => s.runScheduled('billing.due_plans')
const activities = (filters: [string, '=', unknown][] = []) =>
  s.documents.transaction(s.system, (tx) =>
    tx.list(ActivityDoctype, [['organization', '=', 'acme'], ...filters], { order_by: 'creation' }),
  )
const addSites = async (n: number) => {
  const server = await s.documents.transaction(s.system, (tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname: 'web1' }),
  )
  for (let i = 0; i < n; i += 1)
    await s.insert(ann, 'Site', { domain: `site-${i}`, server: server.name, site_type: 'html' })
}

describe('immediate changes', () => {
  test('the owner switches to any plan that has a price, with immediate effect', async () => {
    for (const plan of ['Pro', 'Agency', 'Starter']) {
      expect(await change(plan)).toMatchObject({ plan_name: plan, changed: true, exceeded: { site: 0, server: 0 } })
      expect(await status()).toMatchObject({ plan_name: plan, is_scheduled: false, is_canceled: false })
    }
    expect(await status()).toMatchObject({ limits: { site: 10, server: 2 }, plan_cost: 12 })
  })

  test('a plan on request is refused to its owner, kept by who has it, and given by a platform admin', async () => {
    for (const when of ['now', 'period_end'] as const)
      await expect(change('Enterprise', when)).rejects.toMatchObject({
        code: 'invalid',
        field: 'plan',
        message: 'Enterprise is on request.',
      })
    expect(await status()).toMatchObject({ plan_name: 'Free', is_scheduled: false })
    await s.person('root@example.com', { platformAdmin: true })
    const session = await (await s.loggedIn('root@example.com')).session()
    const given = { plan: 'Enterprise', when: 'now', grant: 1 }
    await s.documents.runAction(session!, 'Subscription Organization', 'acme', 'change_plan', given)
    await change('Pro', 'period_end')
    expect(await change('Enterprise')).toMatchObject({ changed: true, plan_name: 'Enterprise', is_scheduled: false })
    await s.documents.transaction(s.system, (tx) => tx.update('Plan', 'Free', { plan_cost: null }))
    expect(await change('Free')).toMatchObject({ changed: true, plan_name: 'Free' })
  })

  test('the change is in the activity log with both plans and the owner', async () => {
    await change('Pro')
    const [entry] = await activities([['action', '=', 'Organization.update']])
    expect(entry).toMatchObject({
      actor: 'ann@example.com',
      on_behalf_of: null,
      before: { plan: 'Free' },
      after: { plan: 'Pro' },
    })
  })

  test('the same plan again changes nothing', async () => {
    await change('Pro')
    expect(await change('Pro')).toMatchObject({ changed: false, plan_name: 'Pro' })
    expect(await activities([['action', '=', 'Organization.update']])).toHaveLength(1)
  })

  test('a plan too small for what is in use is taken, says how much is too many, and lets nothing new in', async () => {
    await change('Starter')
    await addSites(5)
    const response = await change('Free')
    expect(response).toMatchObject({ changed: true, plan_name: 'Free', exceeded: { site: 2, server: 0 } })
    expect(response.message).toContain('2 sites more than Free has room for')
    expect(await status()).toMatchObject({
      is_site_limit_exceeded: true,
      is_site_limit_reached: false,
      usage: { site: 5, server: 1 },
    })
    await expect(addSites(1)).rejects.toMatchObject({ code: 'limit_reached' })
    expect(await s.documents.transaction(s.system, (tx) => tx.count(SiteDoctype, []))).toBe(5)
  })
})

describe('at the end of the period', () => {
  test('is announced and applied once, on its date', async () => {
    await change('Pro')
    const response = await change('Starter', 'period_end')
    expect(response).toMatchObject({ changed: true, plan_name: 'Pro', is_scheduled: true, scheduled_plan: 'Starter' })
    expect(response.scheduled_date).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/)
    await due()
    expect(await status()).toMatchObject({ plan_name: 'Pro', is_scheduled: true, scheduled_plan: 'Starter' })

    s.pass(32 * day)
    await Promise.all([due(), due()])
    await due()
    expect(await status()).toMatchObject({
      plan_name: 'Starter',
      is_scheduled: false,
      scheduled_plan: null,
      scheduled_date: null,
    })
    const applied = await activities([['action', '=', 'subscription.scheduled_plan']])
    expect(applied).toHaveLength(1)
    expect(applied[0]).toMatchObject({
      actor: 'System',
      on_behalf_of: 'ann@example.com',
      via: 'schedule',
      before: { plan: 'Pro' },
      after: { plan: 'Starter' },
    })
  })

  test('another choice replaces it; choosing the current plan cancels it', async () => {
    await change('Pro')
    await change('Starter', 'period_end')
    expect(await change('Growth', 'period_end')).toMatchObject({ scheduled_plan: 'Growth' })
    expect(await change('Pro', 'period_end')).toMatchObject({ changed: true, is_scheduled: false, plan_name: 'Pro' })
    s.pass(40 * day)
    await due()
    expect(await status()).toMatchObject({ plan_name: 'Pro' })
  })

  test('an immediate change cancels it', async () => {
    await change('Pro')
    await change('Starter', 'period_end')
    expect(await change('Agency')).toMatchObject({ plan_name: 'Agency', is_scheduled: false, scheduled_plan: null })
    s.pass(40 * day)
    await due()
    expect(await status()).toMatchObject({ plan_name: 'Agency' })
  })

  test('one organization whose change fails does not hold up the others', async () => {
    await s.owner('eve@example.com', 'globex')
    const eve = await s.loggedIn('eve@example.com')
    await change('Pro')
    await change('Starter', 'period_end')
    await change('Pro', 'now', eve)
    await change('Growth', 'period_end', eve)
    await s.database.pool.query("update tab_organization set title = '' where name = 'acme'")
    s.pass(32 * day)
    await due()
    expect((await s.organization('globex'))?.plan).toBe('Growth')
    expect((await s.organization('acme'))?.plan).toBe('Pro')
  })
})

describe('canceling', () => {
  test('the plan stays to the date, then it is Free', async () => {
    await change('Pro')
    const response = await ann.call<PlanChange>('cancel_plan')
    expect(response).toMatchObject({ changed: true, plan_name: 'Pro', is_canceled: true, is_scheduled: false })
    expect(await status()).toMatchObject({
      plan_name: 'Pro',
      is_canceled: true,
      is_free_tier: false,
      cancelation_date: response.cancelation_date,
      limits: { site: 75, server: 20 },
    })
    s.pass(32 * day)
    await due()
    expect(await status()).toMatchObject({
      plan_name: 'Free',
      is_canceled: false,
      cancelation_date: null,
      is_free_tier: true,
    })
    expect(await activities([['action', '=', 'subscription.canceled']])).toMatchObject([
      { on_behalf_of: 'ann@example.com', before: { plan: 'Pro' }, after: { plan: 'Free' } },
    ])
  })

  test('twice is once: the date stays', async () => {
    await change('Pro')
    const first = await ann.call<PlanChange>('cancel_plan')
    s.pass(3 * day)
    expect(await ann.call('cancel_plan')).toMatchObject({ changed: false, cancelation_date: first.cancelation_date })
  })

  test('continues if reactivated in time; without a cancellation there is nothing to reactivate', async () => {
    await change('Pro')
    await ann.call('cancel_plan')
    expect(await ann.call('reactivate_plan')).toMatchObject({ is_canceled: false, plan_name: 'Pro' })
    s.pass(40 * day)
    await due()
    expect(await status()).toMatchObject({ plan_name: 'Pro' })
    await expect(ann.call('reactivate_plan')).rejects.toMatchObject({ code: 'invalid' })
  })

  test('it replaces a scheduled change and is replaced by one', async () => {
    await change('Pro')
    await change('Starter', 'period_end')
    expect(await ann.call('cancel_plan')).toMatchObject({ is_canceled: true, is_scheduled: false })
    expect(await change('Growth', 'period_end')).toMatchObject({ is_canceled: false, scheduled_plan: 'Growth' })
  })

  test('Free cannot be canceled', async () => {
    await expect(ann.call('cancel_plan')).rejects.toMatchObject({ code: 'invalid', field: 'plan' })
  })
})

describe('permissions', () => {
  test.each(['Organization Admin', 'Organization Manager', 'Organization User'] as const)(
    '%s changes nothing and that is on record',
    async (role) => {
      const other = await s.member('acme', 'other@example.com', role)
      await change('Pro')
      for (const call of [
        () => change('Enterprise', 'now', other),
        () => other.call('cancel_plan'),
        () => other.call('reactivate_plan'),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'forbidden' })
      expect(await other.call('get_subscription_status')).toMatchObject({ plan_name: 'Pro', is_canceled: false })
      expect(await activities([['result', '=', 'Denied']])).not.toHaveLength(0)
    },
  )

  test('the plan of another organization cannot even be named', async () => {
    const eve = await s.owner('eve@example.com', 'globex')
    await change('Pro')
    await expect(eve.call('get_subscription_status', { organization: 'acme' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await change('Starter', 'now', eve)
    expect((await s.organization('acme'))?.plan).toBe('Pro')
  })
})

describe('the plan chosen at sign-up', () => {
  const choosePlan = (user: string, org_sku: string) =>
    s.documents.transaction(s.system, (tx) => tx.update('User', user, { org_sku }))

  test('is not one that is on request', async () => {
    await s.person('eve@example.com')
    await choosePlan('eve@example.com', 'Enterprise')
    await s.insert(await s.loggedIn('eve@example.com'), 'Organization', { title: 'Globex', slug: 'globex' })
    expect((await s.organization('globex'))?.plan).toBe('Free')
  })

  test('is the plan of the first organization only', async () => {
    await s.person('eve@example.com')
    await choosePlan('eve@example.com', 'Growth')
    const eve = await s.loggedIn('eve@example.com')
    await s.insert(eve, 'Organization', { title: 'Globex', slug: 'globex' })
    await s.insert(eve, 'Organization', { title: 'Initech', slug: 'initech' })
    expect([(await s.organization('globex'))?.plan, (await s.organization('initech'))?.plan]).toEqual([
      'Growth',
      'Free',
    ])
  })
})
