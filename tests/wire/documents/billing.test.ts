import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let booted: Booted
const people = {} as Record<
  'owner' | 'admin' | 'manager' | 'user' | 'stranger' | 'root' | 'nobody' | 'unverified',
  Browser
>

const status = 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_subscription_status'
const profile = 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_user_profile'
const details = 'easydash.api.payment_subscription.set_customer_details'

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', {
    'admin@acme.example': 'Organization Admin',
    'manager@acme.example': 'Organization Manager',
    'user@acme.example': 'Organization User',
  })
  await booted.organization('globex')
  await booted.person('root@example.com', { platformAdmin: true })
  await booted.person('nobody@example.com')
  await booted.person('unverified@example.com', { verified: false })
  for (const [key, email] of [
    ['owner', 'owner@acme.example'],
    ['admin', 'admin@acme.example'],
    ['manager', 'manager@acme.example'],
    ['user', 'user@acme.example'],
    ['stranger', 'owner@globex.example'],
    ['root', 'root@example.com'],
    ['nobody', 'nobody@example.com'],
    ['unverified', 'unverified@example.com'],
  ] as const)
    people[key] = await booted.signedIn(email)
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})
beforeEach(() =>
  booted.documents.transaction(booted.system, async (tx) => {
    const limits = { site_limit_override: null, server_limit_override: null }
    await tx.update(OrganizationDoctype, 'acme', { title: 'Acme Studio', plan: 'Free', ...limits })
  }),
)

const get = async (browser: Browser, method: string, params = {}) =>
  ((await browser.app.call().get(method, params)) as { message: Record<string, unknown> }).message
const post = async (browser: Browser, method: string, params = {}) =>
  ((await browser.app.call().post(method, params)) as { message: Record<string, unknown> }).message
const errorStatus = async (call: Promise<unknown>) => (await sdkError(call)).httpStatus

describe('get_subscription_status', () => {
  it('is complete, the same for every member, by full and short name, GET and POST', async () => {
    const responses = []
    for (const who of ['owner', 'admin', 'manager', 'user'] as const) {
      responses.push(await get(people[who], status), await get(people[who], 'get_subscription_status'))
      responses.push(await post(people[who], status))
    }
    for (const response of responses) expect(response).toEqual(responses[0])
    expect(responses[0]).toEqual({
      plans_enabled: true,
      organization: 'acme',
      user: 'owner@acme.example',
      plan_name: 'Free',
      payment_provider: null,
      payment: null,
      billed_price: null,
      billed_until: null,
      plan_cost: 0,
      currency: 'EUR',
      is_free_tier: true,
      is_canceled: false,
      cancelation_date: null,
      is_grant_ending: false,
      is_scheduled: false,
      scheduled_plan: null,
      scheduled_date: null,
      features: [],
      usage: { site: 0, server: 0 },
      limits: { site: 3, server: 1 },
      overrides: { site: null, server: null },
      is_site_limit_reached: false,
      is_site_limit_exceeded: false,
      is_server_limit_reached: false,
      is_server_limit_exceeded: false,
      plans: [
        ['Free', 3, 1, 0],
        ['Starter', 10, 2, 12],
        ['Growth', 25, 8, 39],
        ['Pro', 75, 20, 89],
        ['Agency', 200, 60, 179],
        ['Enterprise', 0, 0, null],
      ].map(([name, site, server, plan_cost]) => ({
        name,
        plan_name: name,
        resource_limits: { site, server },
        plan_cost,
        currency: 'EUR',
        features: [],
      })),
    })
  })

  it('is nobody else’s, except the platform admin’s, who names the organization', async () => {
    for (const who of [people.nobody, people.unverified, people.root, booted.browser()])
      expect(await errorStatus(get(who, status))).toBe(403)
    expect(await errorStatus(get(people.stranger, status, { organization: 'acme' }))).toBe(404)
    expect(await errorStatus(get(people.stranger, status, { organization: 'missing' }))).toBe(404)
    expect(await get(people.root, status, { organization: 'acme' })).toMatchObject({ organization: 'acme' })
  })
})

describe('API tokens', () => {
  const tokenWith = async (scope: string) => {
    const made = await post(people.owner, 'easydash.api.tokens.create', { title: scope, scopes: [scope] })
    const headers = { authorization: `token ${String(made['token'])}` }
    return async (method: string, params: object | null = null) => {
      const init = params === null ? {} : { method: 'POST', body: JSON.stringify(params) }
      const response = await booted.browser().fetch(`/api/method/${method}`, {
        ...init,
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      })
      return response.status
    }
  }

  it('read the plan with the scope of the organization; the rest of billing is closed to them', async () => {
    const call = await tokenWith('organization:write')
    expect(await call(status)).toBe(200)
    expect(await call('get_countries_list')).toBe(200)
    expect(await call(profile)).toBe(403)
    for (const method of ['change_plan', 'cancel_plan', 'reactivate_plan', details])
      expect([method, await call(method, { plan: 'Pro', customer_data: {} })]).toEqual([method, 403])
    const run = { dt: 'Subscription Organization', dn: 'acme', method: 'change_plan', args: { plan: 'Pro' } }
    expect(await call('run_doc_method', run)).toBe(403)
    expect(await (await tokenWith('sites:read'))(status)).toBe(403)
    expect(await get(people.owner, status)).toMatchObject({ plan_name: 'Free' })
  })
})

describe('changing the plan', () => {
  it('is the owner’s, by POST', async () => {
    expect(await post(people.owner, 'easydash.api.billing.change_plan', { plan: 'Growth' })).toMatchObject({
      plan_name: 'Growth',
      changed: true,
    })
    for (const method of ['change_plan', 'cancel_plan', 'reactivate_plan']) {
      for (const who of ['admin', 'manager', 'user', 'root', 'nobody', 'unverified'] as const)
        expect([method, who, await errorStatus(post(people[who], method, { plan: 'Pro' }))]).toEqual([method, who, 403])
      expect(await errorStatus(get(people.owner, method, { plan: 'Pro' }))).toBe(403)
      expect(await errorStatus(post(booted.browser(), method, { plan: 'Pro' }))).toBe(403)
    }
    expect(await get(people.owner, status)).toMatchObject({ plan_name: 'Growth' })
  })

  it.each([{}, { plan: 'Gold' }, { plan: ['Pro'] }, { plan: 'Pro', when: 'yesterday' }, { plan: '' }])(
    'refuses %j at the field',
    async (params) => {
      const error = await sdkError(post(people.owner, 'change_plan', params))
      expect(error.httpStatus).toBe(417)
      expect(error['field']).toMatch(/^(plan|when)$/)
    },
  )

  it('cannot be done around the methods', async () => {
    const db = people.owner.app.db()
    await db.updateDoc('Organization', 'acme', { plan: 'Enterprise', site_limit_override: '0' })
    await db.updateDoc('Subscription Organization', 'acme', { scheduled_plan: 'Pro' }).catch(() => undefined)
    expect(await get(people.owner, status)).toMatchObject({ plan_name: 'Free', is_scheduled: false })
  })

  it('eight sites at once on Free: three come through', async () => {
    const server = await booted.documents.transaction(booted.system, (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test', status: 'Healthy' }),
    )
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        people.admin.app.db().createDoc('Site', { domain: `site-${n}`, server: server.name, site_type: 'html' }),
      ),
    )
    expect(tries.filter(({ status: how }) => how === 'fulfilled')).toHaveLength(3)
    for (const one of tries)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ httpStatus: 417, exc_type: 'ValidationError', code: 'limit_reached' })
    expect(await get(people.user, status)).toMatchObject({
      usage: { site: 3, server: 1 },
      is_site_limit_reached: true,
      is_server_limit_reached: true,
      is_site_limit_exceeded: false,
    })
  })
})

describe('the doctype Plan', () => {
  const list = (browser: Browser) =>
    browser.app.db().getDocList('Plan', { fields: ['name', 'site_limit', 'server_limit', 'plan_cost'] })

  it('is read by who is signed in and verified, and by nobody else', async () => {
    for (const who of ['owner', 'user', 'stranger', 'nobody', 'root'] as const) {
      const rows = await list(people[who])
      expect(rows.map(({ name }) => name)).toEqual(['Free', 'Starter', 'Growth', 'Pro', 'Agency', 'Enterprise'])
      expect(rows[1]).toEqual({ name: 'Starter', site_limit: 10, server_limit: 2, plan_cost: 12 })
      expect(await people[who].app.db().getDoc('Plan', 'Pro')).toMatchObject({ site_limit: 75, currency: 'EUR' })
    }
    expect(await errorStatus(list(booted.browser()))).toBe(403)
    expect(await errorStatus(list(people.unverified))).toBe(403)
  })

  it('is written by the platform admin only, and counts at once', async () => {
    for (const who of ['owner', 'admin', 'stranger', 'nobody'] as const) {
      expect(await errorStatus(people[who].app.db().updateDoc('Plan', 'Free', { site_limit: 99 }))).toBe(403)
      expect(await errorStatus(people[who].app.db().deleteDoc('Plan', 'Free'))).toBe(403)
      expect(await errorStatus(people[who].app.db().createDoc('Plan', { plan_name: 'Gold' }))).toBe(403)
    }
    const db = people.root.app.db()
    await db.updateDoc('Plan', 'Free', { site_limit: 4, plan_cost: 1.5, features: 'Backups\n\nUpdates ' })
    const response = await get(people.owner, status)
    expect(response).toMatchObject({ limits: { site: 4, server: 1 }, plan_cost: 1.5, features: ['Backups', 'Updates'] })
    expect((response['plans'] as unknown[])[0]).toMatchObject({ plan_cost: 1.5, resource_limits: { site: 4 } })
    await db.updateDoc('Plan', 'Free', { site_limit: 3, plan_cost: 0, features: '' })
    for (const values of [
      { site_limit: -2 },
      { site_limit: 1.5 },
      { site_limit: 'x' },
      { plan_cost: -1 },
      { currency: 'Euro' },
    ] as Record<string, unknown>[])
      expect([values, await errorStatus(db.updateDoc('Plan', 'Free', values))]).toEqual([values, 417])
    expect(await errorStatus(db.deleteDoc('Plan', 'Free'))).toBe(403)
  })

  it('keeps what the platform admin made of it at the next start', async () => {
    const db = people.root.app.db()
    await db.updateDoc('Plan', 'Pro', { site_limit: 80 })
    const { seedPlans } = await import('#server/features/billing/plans.ts')
    await booted.documents.transaction(booted.system, (tx) => seedPlans(tx))
    expect(await db.getDoc('Plan', 'Pro')).toMatchObject({ site_limit: 80 })
    await db.updateDoc('Plan', 'Pro', { site_limit: 75 })
  })
})

describe('the billing profile', () => {
  const given = {
    billing_name: ' Acme GmbH ',
    address_line_1: 'Main street 1',
    address_line_2: '',
    company_city: 'Berlin',
    company_state: 'Berlin',
    company_country: 'de',
    company_pincode: '10115',
  }
  const shown = {
    user_info: { first_name: 'Test', last_name: 'Person' },
    billing_info: {
      billing_name: 'Acme GmbH',
      ...{ tax_id: '', is_tax_id_refused: false },
      primary_address: {
        address_line1: 'Main street 1',
        address_line2: '',
        city: 'Berlin',
        state: 'Berlin',
        pincode: '10115',
        country: 'Germany',
      },
    },
  }

  it('countries: everybody, guests too', async () => {
    for (const who of [booted.browser(), people.user]) {
      const list = (await get(who, 'get_countries_list')) as unknown as { name: string; code: string }[]
      expect(list).toHaveLength(249)
      expect(list).toContainEqual({ name: 'Afghanistan', code: 'af' })
      expect(await get(who, 'easydash.api.payment_subscription.get_countries_list')).toEqual(list)
    }
  })

  it('is empty at first, then what the owner wrote: as JSON text or object, country by code or name', async () => {
    expect(await get(people.owner, profile)).toEqual({
      user_info: shown.user_info,
      billing_info: {
        billing_name: '',
        ...{ tax_id: '', is_tax_id_refused: false },
        primary_address: { address_line1: '', address_line2: '', city: '', state: '', pincode: '', country: '' },
      },
    })
    for (const customer_data of [
      given,
      JSON.stringify(given),
      { ...given, company_country: 'Germany' },
      { ...given, company_country: 'DE', billing_name: 'Acme GmbH' },
    ]) {
      expect(await post(people.owner, details, { customer_data })).toEqual({ status: true })
      expect(await get(people.owner, 'get_user_profile')).toEqual(shown)
    }
    await post(people.owner, details, {
      customer_data: { ...given, billing_name: undefined, address_line_2: 'c/o Ann' },
    })
    expect(await get(people.owner, profile)).toMatchObject({
      billing_info: { billing_name: '', primary_address: { address_line2: 'c/o Ann' } },
    })
    await post(people.owner, details, { customer_data: given })
  })

  it('is the owner’s; the platform admin reads it', async () => {
    for (const who of ['admin', 'manager', 'user', 'nobody', 'unverified'] as const) {
      expect([who, await errorStatus(get(people[who], profile))]).toEqual([who, 403])
      expect([who, await errorStatus(post(people[who], details, { customer_data: given }))]).toEqual([who, 403])
    }
    for (const who of ['admin', 'manager', 'user'] as const)
      expect(await errorStatus(people[who].app.db().getDoc('Billing Profile', 'acme'))).toBe(403)
    expect(await errorStatus(get(booted.browser(), profile))).toBe(403)
    expect(await errorStatus(post(booted.browser(), details, { customer_data: given }))).toBe(403)
    expect(await errorStatus(get(people.owner, details, { customer_data: given }))).toBe(403)
    expect(await errorStatus(people.stranger.app.db().getDoc('Billing Profile', 'acme'))).toBe(404)
    expect(await errorStatus(get(people.stranger, profile, { organization: 'acme' }))).toBe(404)
    expect(await get(people.root, profile, { organization: 'acme' })).toMatchObject({
      billing_info: shown.billing_info,
    })
    expect(await errorStatus(people.root.app.db().updateDoc('Billing Profile', 'acme', { city: 'Rome' }))).toBe(403)
  })

  it.each([
    ['address_line_1', ''],
    ['address_line_1', '   '],
    ['company_city', null],
    ['company_state', undefined],
    ['company_pincode', ''],
    ['company_country', ''],
    ['company_country', 'Atlantis'],
    ['company_country', '__proto__'],
    ['company_city', 'x'.repeat(141)],
    ['company_pincode', '1'.repeat(21)],
    ['billing_name', { a: 1 }],
    ['billing_name', 7],
    ['billing_name', 'two\nlines'],
    ['address_line_2', ['x']],
    ['billing_name', 'Acme 4111 1111 1111 1111'],
    ['address_line_1', '٤١١١١١١١١١١١١١١١'],
    ['address_line_2', '5555\u20095555\u00A05555-4444'],
    ['company_city', '378282246310005'],
    ['company_state', '3782.822463.10005'],
    ['company_pincode', '4111111111111111'],
  ])('refuses %s = %j and names it', async (field, value) => {
    const error = await sdkError(post(people.owner, details, { customer_data: { ...given, [field]: value } }))
    expect(error).toMatchObject({ httpStatus: 417, exc_type: 'ValidationError', field })
    expect(await get(people.owner, profile)).toEqual(shown)
  })

  it('holds no number of a card by any way, and the refusal does not repeat it', async () => {
    for (const field of ['billing_name', 'address_line1', 'address_line2', 'city', 'state', 'pincode']) {
      const save = people.owner.app.db().updateDoc('Billing Profile', 'acme', { [field]: '4111 1111 1111 1111' })
      const error = await sdkError(save)
      expect(error).toMatchObject({ httpStatus: 417, field })
      expect(JSON.stringify(error)).not.toContain('1111')
    }
    expect(await get(people.owner, profile)).toEqual(shown)
  })

  it('is changed on record, which only those read who read the profile, and without the address', async () => {
    await post(people.owner, details, {
      customer_data: { ...given, company_city: 'Hamburg', address_line_1: 'Elbe 7' },
    })
    const rowsOf = (who: 'owner' | 'admin' | 'root') =>
      people[who].app.db().getDocList('Activity', {
        fields: ['actor', 'reference_title', 'before', 'after'],
        filters: [['action', '=', 'Billing Profile.update']],
        limit: 1,
      })
    const after = { changed: ['address_line1', 'city'] }
    const row = { actor: 'owner@acme.example', reference_title: 'Acme Studio', before: null, after }
    expect(await rowsOf('owner')).toEqual([row])
    expect(await rowsOf('root')).toEqual([row])
    expect(await rowsOf('admin')).toEqual([])
    await post(people.owner, details, { customer_data: given })
    expect(
      JSON.stringify(await people.owner.app.db().getDocList('Activity', { fields: ['before', 'after'], limit: 100 })),
    ).not.toMatch(/Elbe|Hamburg|Main street/)
  })

  it('names every wrong field at once', async () => {
    const error = await sdkError(post(people.owner, details, { customer_data: { billing_name: 'Acme' } }))
    const messages = (JSON.parse(error._server_messages ?? '[]') as string[]).map(
      (text) => (JSON.parse(text) as { message: string }).message,
    )
    expect(messages).toHaveLength(5)
    expect(messages).toContain('City is required.')
  })

  it.each([undefined, '', 'no json', '[]', [], 5, 'null'])('refuses customer_data %j', async (customer_data) => {
    expect(await errorStatus(post(people.owner, details, { customer_data }))).toBe(417)
  })
})
