/** All methods that clients rely on, by full and short name. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'

let booted: Acme['booted']
let owner: Browser
let manager: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, manager, server } = await bootAcme())
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const userMeta = 'easydash.easydash.doctype.user_meta.user_meta'
const subscription = 'easydash.easydash.doctype.subscription_organization.subscription_organization'
const payment = 'easydash.api.payment_subscription'
const metadata = 'easydash.easydash.doctype.server.server.get_cloud_provider_metadata'

/** Methods of features this test does not start (engines, jobs) have their own tests. */
const reading: [name: string, params: object, message: unknown][] = [
  ['easydash.api.modules.enabled_modules', {}, { ee: true, wpc: false }],
  [`${userMeta}.get_current_user_organization_metadata`, {}, { org_slug: 'acme', org_role: 'Organization Admin' }],
  ['easydash.api.user.is_verified', { email: 'owner@acme.example' }, true],
  [metadata, {}, { Hetzner: expect.any(Object) as unknown }],
  [`${subscription}.get_subscription_status`, {}, { usage: { server: 3 } }],
  [`${subscription}.get_user_profile`, {}, { user_info: { first_name: 'Test' } }],
  [`${payment}.get_countries_list`, {}, expect.arrayContaining([{ name: 'Germany', code: 'de' }]) as unknown],
  ['frappe.auth.get_logged_user', {}, 'owner@acme.example'],
]

test('candidatesForChangeOwner of an organization and of a server', async () => {
  await booted.person('admin@acme.example')
  await booted.documents.transaction(booted.system, (tx) =>
    tx.insert('Organization Member', {
      ...{ parent: 'acme', parentfield: 'members', parenttype: 'Organization' },
      ...{ user: 'admin@acme.example', organization_role: 'Organization Admin' },
    }),
  )
  const of = (browser: Browser, dt: string, dn: string) =>
    browser.app.call().post<{ message: unknown }>('run_doc_method', { dt, dn, method: 'candidatesForChangeOwner' })
  const expected = [expect.objectContaining({ user: 'admin@acme.example' })]
  expect((await of(owner, 'Organization', 'acme')).message).toEqual(expected)
  // A server without an owner can get any admin, the owner of the organization included.
  const all = [expect.objectContaining({ user: 'owner@acme.example' }), ...expected]
  expect((await of(owner, 'Server', server)).message).toEqual(all)
  expect((await sdkError(of(manager, 'Server', server))).httpStatus).toBe(403)
})

describe('section 9: names', () => {
  it.each(reading)('%s, and its last segment', async (name, params, message) => {
    const short = name.slice(name.lastIndexOf('.') + 1)
    for (const called of [name, short]) {
      const response = await owner.app.call().post<{ message: unknown }>(called, params)
      if (typeof message === 'object') expect(response.message).toMatchObject(message as object)
      else expect(response.message).toBe(message)
    }
  })

  it('writing methods exist, too, and check their parameters', async () => {
    for (const name of [`${userMeta}.switch_organization`, `${payment}.set_customer_details`]) {
      for (const called of [name, name.slice(name.lastIndexOf('.') + 1)])
        expect([called, (await sdkError(owner.app.call().post(called, {}))).httpStatus]).toEqual([called, 417])
    }
    for (const name of ['sign_up', 'verify_email', 'resend_verification'])
      expect([
        name,
        (await sdkError(booted.browser().app.call().post(`easydash.api.account.${name}`, {}))).exc_type,
      ]).not.toEqual([name, 'PageDoesNotExistError'])
  })
})

describe('section 9: get_cloud_provider_metadata', () => {
  it('provider to countries with regions, for who may create servers', async () => {
    const { message } = await owner.app.call().post<{
      message: Record<string, { countries: { code: string; name: string; regions: object[] }[]; images: string[] }>
    }>(metadata, {})
    expect(Object.keys(message)).toEqual(['Hetzner', 'DigitalOcean', 'AWS', 'Custom'])
    expect(message['Hetzner']?.countries.find(({ code }) => code === 'DE')).toEqual({
      code: 'DE',
      name: 'Germany',
      regions: [
        { regionCode: 'fsn1', regionDescription: 'Falkenstein DC Park 1' },
        { regionCode: 'nbg1', regionDescription: 'Nuremberg DC Park 1' },
      ],
    })
    expect(message['Custom']).toEqual({ countries: [], regions: {}, images: ['Ubuntu 24.04 LTS'] })
  })

  it('403 for managers, guests and people without an organization', async () => {
    await booted.person('nobody@example.com')
    for (const browser of [manager, booted.browser(), await booted.signedIn('nobody@example.com')])
      expect((await sdkError(browser.app.call().post(metadata, {}))).httpStatus).toBe(403)
  })
})

describe('section 9: the registry is an allow-list', () => {
  it.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'frappe',
    'frappe.client',
    'os.system',
    'a..b',
    '..%2f..',
    'frappe.client.get_list.call',
    'get_list()',
  ])('%s is answered like every unknown method', async (name) => {
    const response = await body(owner, `/api/method/${name}`)
    expect(response.status).toBe(403)
    expect(response.body['exc_type']).toBe('PermissionError')
  })
})
