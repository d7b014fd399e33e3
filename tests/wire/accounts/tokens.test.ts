import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sdkError } from '../browser.ts'
import { openTokenFixture, type TokenFixture } from './token-fixture.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let t: TokenFixture
beforeAll(async () => {
  t = await openTokenFixture()
})
afterAll(() => t.booted.close())

describe('credentials', () => {
  it('come in three forms, need no CSRF token, and put the cookie aside', async () => {
    const { token, api_key, api_secret } = await t.make(t.owner, { scopes: ['sites:read'] })
    expect(token).toBe(`${api_key}:${api_secret}`)
    const forms = [
      `token ${token}`,
      `Bearer ${token}`,
      `Basic ${Buffer.from(token).toString('base64')}`,
      `TOKEN ${token}`,
    ]
    for (const form of forms) {
      expect(await t.post(form, 'frappe.auth.get_logged_user')).toMatchObject({
        status: 200,
        body: { message: 'owner@acme.example' },
      })
    }
    const both = await fetch(new URL('/api/method/frappe.auth.get_logged_user', t.booted.url), {
      method: 'POST',
      headers: {
        authorization: `token ${token}`,
        cookie: t.member.cookieHeader(),
        origin: 'https://elsewhere.example',
      },
    })
    expect(await both.json()).toMatchObject({ message: 'owner@acme.example' })
    expect(both.headers.getSetCookie().some((line) => /^sid=[^;]/.test(line))).toBe(false)
  })

  it('are refused when they are wrong, for guest calls too', async () => {
    const { api_key, api_secret } = await t.make(t.owner, { scopes: ['sites:read'] })
    const other = await t.make(t.owner, { scopes: ['sites:read'] })
    for (const wrong of [
      `token ${api_key}:${other.api_secret}`,
      `token ${api_key}:`,
      `token ${api_key}`,
      `token :${api_secret}`,
      `token ${api_key}:${api_secret}x`,
      `Digest ${api_key}:${api_secret}`,
      `Basic ${api_key}:${api_secret}`,
      `Bearer ${api_secret}`,
      '',
    ]) {
      const { status, body } = await t.call(wrong, '/api/method/ping')
      expect([wrong, status, body['exc_type']]).toEqual([wrong, 401, 'AuthenticationError'])
    }
    expect(await t.call(`token ${api_key}:${api_secret}`, '/api/method/ping')).toMatchObject({ status: 200 })
  })

  it('are shown once: neither lists nor documents nor the log hold the secret', async () => {
    const { name, api_secret, api_key } = await t.make(t.owner, { scopes: ['sites:read'], title: 'Backup script' })
    const doc = await t.owner.app.db().getDoc<Record<string, unknown>>('API Token', name)
    expect(doc).toMatchObject({ title: 'Backup script', api_key, scopes: ['sites:read'], user: 'owner@acme.example' })
    const rows = await t.owner.app.db().getDocList('API Token', { fields: ['*'], limit: 100 })
    const activities = await t.owner.app.db().getDocList('Activity', { fields: ['*'], limit: 500 })
    const all = JSON.stringify([doc, rows, activities])
    expect(all).not.toContain(api_secret)
    expect(all).not.toContain('secret_hash')
    expect(activities.some((one) => one['action'] === 'API Token.insert' && one['reference_name'] === name)).toBe(true)
    const guess = await sdkError(
      t.owner.app.db().getDocList('API Token', { fields: ['name'], filters: [['secret_hash', 'like', 'a%']] as never }),
    )
    expect(guess.httpStatus).toBe(417)
  })
})

describe('the record', () => {
  it('says when and from where a token was used, and what it did', async () => {
    const { token, name } = await t.make(t.owner, { scopes: ['servers:write'] })
    const stored = () => t.owner.app.db().getDoc<Record<string, unknown>>('API Token', name)
    const before = await stored()
    expect([before['last_used'], before['last_ip']]).toEqual([undefined, undefined])
    const auth = `token ${token}`
    const body = JSON.stringify({ hostname: 'renamed.acme.test' })
    const denied = await t.call(auth, `/api/resource/Site/${t.site}`, { method: 'DELETE' })
    const saved = await t.call(auth, `/api/resource/Server/${t.server}`, { method: 'PUT', body })
    expect([denied.status, saved.status]).toEqual([403, 200])
    const after = await stored()
    expect(after['last_used']).toMatch(/^\d{4}-/)
    expect(after['last_ip']).toMatch(/127\.0\.0\.1|::1/)
    await t.call(auth, '/api/resource/Server')
    // At most once a minute.
    expect((await stored())['last_used']).toBe(after['last_used'])
    const acts = await t.owner.app.db().getDocList('Activity', {
      fields: ['action', 'actor', 'via', 'token'],
      filters: [['token', '=', name]],
      limit: 10,
    })
    expect(acts).toEqual([{ action: 'Server.update', actor: 'owner@acme.example', via: 'api', token: name }])
  })
})

describe('scopes', () => {
  it('open exactly their areas, on every road', async () => {
    const { token } = await t.make(t.owner, { scopes: ['sites:read'] })
    const auth = `token ${token}`
    expect((await t.call(auth, '/api/resource/Site')).body.data).toEqual([{ name: t.site }])
    expect((await t.call(auth, `/api/resource/Site/${t.site}`)).status).toBe(200)
    const list = {
      doctype: 'Server',
      fields: ['name'],
      txt: '',
      docname: t.server,
      name: t.server,
      fieldname: 'hostname',
    }
    for (const method of [
      'frappe.client.get_list',
      'frappe.client.get_count',
      'frappe.client.get',
      'frappe.client.get_value',
      'frappe.client.validate_link',
      'frappe.desk.reportview.get',
      'frappe.desk.reportview.get_list',
      'frappe.desk.reportview.get_count',
      'frappe.desk.search.search_link',
    ]) {
      expect([method, (await t.post(auth, method, list)).status]).toEqual([method, 403])
      expect([
        method,
        (await t.post(auth, method, { ...list, doctype: 'Site', docname: t.site, name: t.site, fieldname: 'domain' }))
          .status,
      ]).toEqual([method, 200])
    }
    const denied = await t.call(auth, `/api/resource/Server/${t.server}`)
    expect(denied).toMatchObject({ status: 403, body: { exc_type: 'PermissionError' } })
    expect(JSON.stringify(denied.body)).toContain('servers:read')
    // A linked document of an area without scope is not revealed either.
    const linked = await t.call(auth, `/api/resource/Site?fields=${encodeURIComponent('["name","t.server.hostname"]')}`)
    expect(JSON.stringify(linked.body)).not.toContain('one.acme.test')
    const write = await t.call(auth, `/api/resource/Site/${t.site}`, { method: 'PUT', body: '{"php_version":"8.3"}' })
    expect(write.status).toBe(403)
    expect((await t.post(auth, 'frappe.client.delete', { doctype: 'Site', name: t.site })).status).toBe(403)
    expect((await t.post(auth, 'run_doc_method', { dt: 'Site', dn: t.site, method: 'clear_cache' })).status).toBe(403)
    expect((await t.post(auth, 'get_subscription_status')).status).toBe(403)
    expect((await t.post(auth, 'enabled_modules')).status).toBe(403)
  })

  it('of writing include reading', async () => {
    const { token } = await t.make(t.owner, { scopes: ['servers:write', 'organization:read'] })
    const auth = `token ${token}`
    const { modified } = (await t.call(auth, `/api/resource/Server/${t.server}`)).body.data as { modified: string }
    const saved = await t.call(auth, `/api/resource/Server/${t.server}`, {
      method: 'PUT',
      body: JSON.stringify({ modified }),
    })
    expect(saved.status).toBe(200)
    expect((await t.post(auth, 'enabled_modules')).status).toBe(200)
    const organization = (await t.call(auth, '/api/resource/Organization/acme')).body.data as Record<string, unknown>
    expect(organization['title']).toBe('acme')
    // People have a scope of their own.
    expect(organization['members']).toBeUndefined()
  })

  it('never open what belongs to the person, to tokens or to the platform', async () => {
    await t.booted.person('root@platform.example', { platformAdmin: true })
    await t.join('acme', 'root@platform.example', 'Organization Admin')
    const root = await t.booted.signedIn('root@platform.example')
    const everything = [
      'sites:write',
      'servers:write',
      'members:write',
      'organization:write',
      'activity:read',
      'jobs:write',
    ]
    for (const browser of [t.owner, root]) {
      const { token, name } = await t.make(browser, { scopes: everything })
      const auth = `token ${token}`
      expect((await t.call(auth, '/api/resource/API Token')).status).toBe(403)
      expect((await t.call(auth, `/api/resource/API Token/${name}`, { method: 'DELETE' })).status).toBe(403)
      expect((await t.call(auth, '/api/resource/User Meta')).status).toBe(403)
      expect((await t.call(auth, '/api/resource/Organization/globex')).status).toBe(404)
      expect((await t.call(auth, '/api/resource/Organization')).body.data).toEqual([{ name: 'acme' }])
      const created = await t.call(auth, '/api/resource/Organization', {
        method: 'POST',
        body: '{"title":"X","slug":"xyz"}',
      })
      expect(created.status).toBe(403)
      expect((await t.call(auth, '/api/resource/Organization/acme', { method: 'DELETE' })).status).toBe(403)
      const me = browser === t.owner ? 'owner@acme.example' : 'root@platform.example'
      const renamed = await t.call(auth, `/api/resource/User/${me}`, { method: 'PUT', body: '{"first_name":"Evil"}' })
      expect(renamed.status).toBe(403)
      for (const method of [
        'easydash.api.tokens.create',
        'easydash.api.tokens.revoke',
        'easydash.api.account.confirm_password',
        'frappe.core.doctype.user.user.update_password',
        'frappe.core.doctype.user.user.reset_password',
        'switch_organization',
        'get_current_user_organization_metadata',
        'login',
        'logout',
        'easydash.api.session.boot',
      ]) {
        const response = await t.post(auth, method, {
          title: 'More',
          scopes: ['sites:read'],
          name,
          password: 'Correct-Horse-42!',
          old_password: 'Correct-Horse-42!',
          new_password: 'Another-Horse-42!',
          usr: me,
          pwd: 'Correct-Horse-42!',
          user: me,
          organization: 'globex',
        })
        expect([method, response.status]).toEqual([method, 403])
      }
    }
  })

  it('do not open actions that need the person', async () => {
    const { token } = await t.make(t.owner, { scopes: ['organization:write', 'members:write', 'sites:write'] })
    for (const method of [
      'leave',
      'transfer_ownership',
      'delete_organization',
      'make_server_access_token',
      'set_modules',
    ]) {
      const args = { new_owner: 'admin@acme.example', ee: 0 }
      const response = await t.post(`token ${token}`, 'run_doc_method', {
        dt: 'Organization',
        dn: 'acme',
        method,
        args,
        confirm_name: 'acme',
      })
      expect([method, response.status]).toEqual([method, 403])
      expect(JSON.stringify(response.body)).not.toContain('Confirm your password')
    }
    const listed = { dt: 'Organization', dn: 'acme', method: 'list_invitations' }
    expect((await t.post(`token ${token}`, 'run_doc_method', listed)).status).toBe(200)
    const without = await t.make(t.owner, { scopes: ['organization:write'] })
    expect((await t.post(`token ${without.token}`, 'run_doc_method', listed)).status).toBe(403)
  })

  it('must be known, and the title set', async () => {
    for (const values of [
      { scopes: [] },
      { scopes: ['sites'] },
      { scopes: ['__proto__'] },
      { scopes: 'sites:read' },
      { scopes: { 0: 'sites:read' } },
      {},
      { scopes: ['sites:read'], title: ' ' },
      { scopes: ['sites:read'], expires: '2001-01-01 00:00:00' },
      { scopes: ['sites:read'], expires: 'soon' },
      { scopes: ['sites:read'], role: 'Owner' },
    ]) {
      expect([values, (await sdkError(t.make(t.owner, values))).httpStatus]).toEqual([values, 417])
    }
    expect(await t.make(t.owner, { scopes: '["sites:read"]' })).toHaveProperty('api_secret')
  })
})

describe('the role of a token', () => {
  it("is at most its maker's, when it is made and when it is used", async () => {
    const above = await sdkError(t.make(t.member, { scopes: ['sites:read'], role: 'Organization Manager' }))
    expect(above).toMatchObject({ httpStatus: 403, exc_type: 'PermissionError' })
    const foreign = await sdkError(t.make(t.member, { scopes: ['sites:read'], organization: 'globex' }))
    expect(foreign.httpStatus).toBe(404)

    const admin = await t.booted.signedIn('admin@acme.example')
    const { token } = await t.make(admin, { scopes: ['sites:read', 'activity:read'] })
    const auth = `token ${token}`
    expect((await t.call(auth, '/api/resource/Activity')).status).toBe(200)
    await setRole('admin@acme.example', 'Organization User')
    // As a member they see only their own and shared sites, and this is neither.
    expect((await t.call(auth, '/api/resource/Site')).body.data).toEqual([])
    expect((await t.call(auth, `/api/resource/Site/${t.site}`)).status).toBe(403)
    await setRole('admin@acme.example', 'Organization Admin')
    expect((await t.call(auth, `/api/resource/Site/${t.site}`)).status).toBe(200)

    const low = await t.make(t.owner, { scopes: ['sites:write'], role: 'Organization User' })
    expect((await t.call(`token ${low.token}`, '/api/resource/Site')).body.data).toEqual([])
  })

  async function setRole(user: string, organization_role: string): Promise<void> {
    await t.inSystem(async (tx) => {
      const row = await tx.find(OrganizationMemberDoctype, [['user', '=', user]])
      await tx.update('Organization Member', String(row?.name), { organization_role })
    })
  }
})
