/** An organization that requires two-factor authentication gives nobody without it a role. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { earlyCode } from '#tests/support/totp.ts'
import { boot, password, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'

let booted: Booted
let owner: Browser
let member: Browser
/** A request with an API token of the member. */
let withToken: (path: string) => Promise<Response>
const metadata = 'easydash.easydash.doctype.user_meta.user_meta.get_current_user_organization_metadata'
const modules = 'easydash.api.modules.enabled_modules'
const acme = expect.any(String) as string

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', { 'member@acme.example': 'Organization Manager' })
  await booted.organization('globex')
  await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, {
      parent: 'globex',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'member@acme.example',
      organization_role: 'Organization User',
    }),
  )
  owner = await booted.signedIn('owner@acme.example')
  member = await booted.signedIn('member@acme.example')
  await call(member, metadata.replace('get_current_user_organization_metadata', 'switch_organization'), {
    organization: 'acme',
  })
  await call(member, 'easydash.api.account.confirm_password', { password })
  const { token } = await call<{ token: string }>(member, 'easydash.api.tokens.create', {
    title: 'deploys',
    organization: 'acme',
    role: 'Organization Manager',
    scopes: ['sites:read'],
  })
  withToken = (path) => fetch(booted.url + path, { headers: { authorization: `token ${token}` } })
  expect((await withToken('/api/resource/Site')).status).toBe(200)
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const call = async <T = unknown>(who: Browser, method: string, params: object = {}): Promise<T> =>
  (await who.app.call().post<{ message: T }>(method, params)).message
const require = (required: 0 | 1, who = owner) =>
  call(who, 'run_doc_method', { dt: 'Organization', dn: 'acme', method: 'require_two_factor', args: { required } })
const sites = (who: Browser) => who.fetch('/api/resource/Site').then(({ status }) => status)
const organizations = async (who: Browser) => {
  const { available_orgs: found } = await call<{ available_orgs: { name: string; two_factor_needed?: boolean }[] }>(
    who,
    metadata,
  )
  return Object.fromEntries(found.map(({ name, two_factor_needed: needed = false }) => [name, needed]))
}
async function setUp(who: Browser): Promise<void> {
  await call(who, 'easydash.api.account.confirm_password', { password })
  const { secret } = await call<{ secret: string }>(who, 'easydash.api.two_factor.begin')
  await call(who, 'easydash.api.two_factor.confirm', { otp: earlyCode(secret) })
}

it('nobody can lock themselves out by requiring it', async () => {
  await expect(require(1)).rejects.toMatchObject({ httpStatus: 417 })
  await setUp(owner)
  await require(1)
  expect(await sites(owner)).toBe(200)
})

it('a member without it has no access there until they set it up, and is told why', async () => {
  const refused = {
    httpStatus: 403,
    exception: expect.stringContaining('requires two-factor authentication') as string,
  }
  expect(await sites(member)).toBe(403)
  await expect(call(member, 'frappe.client.get_list', { doctype: 'Site' })).rejects.toMatchObject(refused)
  await expect(call(member, 'frappe.client.insert', { doc: { doctype: 'Server' } })).rejects.toMatchObject(refused)
  await expect(call(member, 'easydash.api.organization.invite_members', { emails: [] })).rejects.toMatchObject(refused)
  expect((await withToken('/api/resource/Site')).status).toBe(403)
  expect(await (await withToken('/api/method/frappe.client.get_list?doctype=Site')).json()).toMatchObject({
    exception: refused.exception,
  })
  expect((await member.fetch('/api/resource/Organization/acme')).status).toBe(404)
  expect(await organizations(member)).toEqual({ acme: true, globex: false })
  expect(await organizations(owner)).toEqual({ acme: false })
  expect(await call(member, metadata)).toMatchObject({ org_title: acme, org_owner: null, is_vip_enabled: false })
  expect(await call(member, modules)).toEqual({ ee: false, wpc: false })
  await setUp(member)
  expect(await call(member, metadata)).toMatchObject({ org_owner: 'owner@acme.example' })
  expect(await call(member, modules)).toEqual({ ee: true, wpc: false })
  expect(await sites(member)).toBe(200)
  expect((await withToken('/api/resource/Site')).status).toBe(200)
  expect(await organizations(member)).toEqual({ acme: false, globex: false })
})

it('cannot be turned off while an organization requires it', async () => {
  await call(member, 'easydash.api.account.confirm_password', { password })
  await expect(call(member, 'easydash.api.two_factor.disable')).rejects.toMatchObject({
    httpStatus: 403,
    exception: expect.stringContaining('acme') as string,
  })
  await require(0)
  expect(await call(member, 'easydash.api.two_factor.disable')).toEqual({ enabled: false })
  expect(await sites(member)).toBe(200)
})

it('a member without it can leave, and the owner cannot', async () => {
  const leave = (who: Browser, organization: string) =>
    call(who, 'easydash.api.account.leave_organization', { organization })
  await require(1)
  expect(await sites(member)).toBe(403)
  await expect(leave(owner, 'acme')).rejects.toMatchObject({ httpStatus: 403 })
  await expect(leave(member, 'unknown')).rejects.toMatchObject({ httpStatus: 404 })
  await leave(member, 'acme')
  expect(await organizations(member)).toEqual({ globex: false })
  expect(await sites(member)).toBe(200)
  await expect(leave(member, 'acme')).rejects.toMatchObject({ httpStatus: 404 })
  await require(0)
  const left = await booted.documents.transaction(booted.system, (tx) =>
    tx.list(ActivityDoctype, [
      ['actor', '=', 'member@acme.example'],
      ['organization', '=', 'acme'],
    ]),
  )
  expect(left.map(({ action }) => action).filter((action) => /leave|Organization Member/.test(action ?? ''))).toEqual([
    'Organization.leave',
  ])
})

it('the change is one entry of the activity, with who and what', async () => {
  const entries = await booted.documents.transaction(booted.system, (tx) =>
    tx.list(ActivityDoctype, [
      ['reference_doctype', '=', 'Organization'],
      ['reference_name', '=', 'acme'],
      ['actor', '=', 'owner@acme.example'],
    ]),
  )
  expect(entries.filter(({ action }) => action === 'Organization.update')).toEqual([])
  expect(
    entries
      .filter(({ action }) => action === 'Organization.require_two_factor')
      .map(({ before, after }) => [before, after]),
  ).toEqual([
    [{ require_two_factor: 0 }, { require_two_factor: 1 }],
    [{ require_two_factor: 1 }, { require_two_factor: 0 }],
    [{ require_two_factor: 0 }, { require_two_factor: 1 }],
    [{ require_two_factor: 1 }, { require_two_factor: 0 }],
  ])
})
