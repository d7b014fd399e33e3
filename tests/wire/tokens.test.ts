import { io, type Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { boot, type Booted } from './booted.ts'
import { sdkError, type Browser } from './browser.ts'

interface Made {
  name: string
  api_key: string
  api_secret: string
  token: string
}

let booted: Booted
let owner: Browser
let member: Browser
let server: string
let site: string
const open = new Set<Socket>()

beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme', {
    'admin@acme.example': 'Organization Admin',
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
  })
  await booted.organization('globex', {})
  await inSystem((tx) =>
    tx.insert('Organization Member', {
      parent: 'globex',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'owner@acme.example',
      organization_role: 'Organization Admin',
    }),
  )
  owner = await booted.signedIn('owner@acme.example')
  member = await booted.signedIn('member@acme.example')
  await inSystem((tx) => tx.update('Organization', 'acme', { plan: 'Enterprise' }))
  server = (await inSystem((tx) => tx.insert('Server', { organization: 'acme', hostname: 'one.acme.test' }))).name
  site = (
    await inSystem((tx) =>
      tx.insert('Site', { organization: 'acme', server, domain: 'blog', site_type: 'html', status: 'Live' }),
    )
  ).name
})
afterEach(() => {
  for (const socket of open) socket.close()
  open.clear()
})
afterAll(() => booted.close())

const inSystem = <T>(fn: Parameters<typeof booted.documents.transaction<T>>[1]) =>
  booted.documents.transaction(booted.system, fn)

async function make(browser: Browser, values: Record<string, unknown>): Promise<Made> {
  const answer = await browser.app
    .call()
    .post<{ message: Made }>('easydash.api.tokens.create', { title: 'Test', organization: 'acme', ...values })
  return answer.message
}

interface Answer {
  status: number
  body: Record<string, unknown> & { data?: unknown; message?: unknown }
}

async function call(authorization: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(new URL(path, booted.url), {
    ...init,
    headers: { authorization, 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

const post = (authorization: string, method: string, body: object = {}) =>
  call(authorization, `/api/method/${method}`, { method: 'POST', body: JSON.stringify(body) })

describe('credentials', () => {
  it('come in three forms, need no CSRF token, and put the cookie aside', async () => {
    const { token, api_key, api_secret } = await make(owner, { scopes: ['sites:read'] })
    expect(token).toBe(`${api_key}:${api_secret}`)
    const forms = [
      `token ${token}`,
      `Bearer ${token}`,
      `Basic ${Buffer.from(token).toString('base64')}`,
      `TOKEN ${token}`,
    ]
    for (const form of forms) {
      expect(await post(form, 'frappe.auth.get_logged_user')).toMatchObject({
        status: 200,
        body: { message: 'owner@acme.example' },
      })
    }
    const both = await fetch(new URL('/api/method/frappe.auth.get_logged_user', booted.url), {
      method: 'POST',
      headers: { authorization: `token ${token}`, cookie: member.cookieHeader(), origin: 'https://elsewhere.example' },
    })
    expect(await both.json()).toMatchObject({ message: 'owner@acme.example' })
    expect(both.headers.getSetCookie().some((line) => /^sid=[^;]/.test(line))).toBe(false)
  })

  it('are refused when they are wrong, for guest calls too', async () => {
    const { api_key, api_secret } = await make(owner, { scopes: ['sites:read'] })
    const other = await make(owner, { scopes: ['sites:read'] })
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
      const { status, body } = await call(wrong, '/api/method/ping')
      expect([wrong, status, body['exc_type']]).toEqual([wrong, 401, 'AuthenticationError'])
    }
    expect(await call(`token ${api_key}:${api_secret}`, '/api/method/ping')).toMatchObject({ status: 200 })
  })

  it('are shown once: neither lists nor documents nor the log hold the secret', async () => {
    const { name, api_secret, api_key } = await make(owner, { scopes: ['sites:read'], title: 'Backup script' })
    const doc = await owner.app.db().getDoc<Record<string, unknown>>('API Token', name)
    expect(doc).toMatchObject({ title: 'Backup script', api_key, scopes: ['sites:read'], user: 'owner@acme.example' })
    const rows = await owner.app.db().getDocList('API Token', { fields: ['*'], limit: 100 })
    const activities = await owner.app.db().getDocList('Activity', { fields: ['*'], limit: 500 })
    const all = JSON.stringify([doc, rows, activities])
    expect(all).not.toContain(api_secret)
    expect(all).not.toContain('secret_hash')
    expect(activities.some((one) => one['action'] === 'API Token.insert' && one['reference_name'] === name)).toBe(true)
    const guess = await sdkError(
      owner.app.db().getDocList('API Token', { fields: ['name'], filters: [['secret_hash', 'like', 'a%']] as never }),
    )
    expect(guess.httpStatus).toBe(417)
  })
})

describe('scopes', () => {
  it('open exactly their areas, on every road', async () => {
    const { token } = await make(owner, { scopes: ['sites:read'] })
    const auth = `token ${token}`
    expect((await call(auth, '/api/resource/Site')).body.data).toEqual([{ name: site }])
    expect((await call(auth, `/api/resource/Site/${site}`)).status).toBe(200)
    const list = { doctype: 'Server', fields: ['name'], txt: '', docname: server, name: server, fieldname: 'hostname' }
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
      expect([method, (await post(auth, method, list)).status]).toEqual([method, 403])
      expect([
        method,
        (await post(auth, method, { ...list, doctype: 'Site', docname: site, name: site, fieldname: 'domain' })).status,
      ]).toEqual([method, 200])
    }
    const denied = await call(auth, `/api/resource/Server/${server}`)
    expect(denied).toMatchObject({ status: 403, body: { exc_type: 'PermissionError' } })
    expect(JSON.stringify(denied.body)).toContain('servers:read')
    // A linked document of a closed area says nothing either.
    const linked = await call(auth, `/api/resource/Site?fields=${encodeURIComponent('["name","server.hostname"]')}`)
    expect(JSON.stringify(linked.body)).not.toContain('one.acme.test')
    const write = await call(auth, `/api/resource/Site/${site}`, { method: 'PUT', body: '{"php_version":"8.3"}' })
    expect(write.status).toBe(403)
    expect((await post(auth, 'frappe.client.delete', { doctype: 'Site', name: site })).status).toBe(403)
    expect((await post(auth, 'run_doc_method', { dt: 'Site', dn: site, method: 'clear_cache' })).status).toBe(403)
    expect((await post(auth, 'get_subscription_status')).status).toBe(403)
    expect((await post(auth, 'enabled_modules')).status).toBe(403)
  })

  it('of writing include reading', async () => {
    const { token } = await make(owner, { scopes: ['servers:write', 'organization:read'] })
    const auth = `token ${token}`
    const { modified } = (await call(auth, `/api/resource/Server/${server}`)).body.data as { modified: string }
    const saved = await call(auth, `/api/resource/Server/${server}`, {
      method: 'PUT',
      body: JSON.stringify({ modified }),
    })
    expect(saved.status).toBe(200)
    expect((await post(auth, 'enabled_modules')).status).toBe(200)
    const organization = (await call(auth, '/api/resource/Organization/acme')).body.data as Record<string, unknown>
    expect(organization['title']).toBe('acme')
    // People are an area of their own.
    expect(organization['members']).toBeUndefined()
  })

  it('never open what belongs to the person, to tokens or to the platform', async () => {
    await booted.person('root@platform.example', { platformAdmin: true })
    await inSystem((tx) =>
      tx.insert('Organization Member', {
        parent: 'acme',
        parenttype: 'Organization',
        parentfield: 'members',
        user: 'root@platform.example',
        organization_role: 'Organization Admin',
      }),
    )
    const root = await booted.signedIn('root@platform.example')
    const everything = [
      'sites:write',
      'servers:write',
      'members:write',
      'organization:write',
      'activity:read',
      'jobs:write',
    ]
    for (const browser of [owner, root]) {
      const { token, name } = await make(browser, { scopes: everything })
      const auth = `token ${token}`
      expect((await call(auth, '/api/resource/API Token')).status).toBe(403)
      expect((await call(auth, `/api/resource/API Token/${name}`, { method: 'DELETE' })).status).toBe(403)
      expect((await call(auth, '/api/resource/User Meta')).status).toBe(403)
      expect((await call(auth, '/api/resource/Organization/globex')).status).toBe(404)
      expect((await call(auth, '/api/resource/Organization')).body.data).toEqual([{ name: 'acme' }])
      const created = await call(auth, '/api/resource/Organization', {
        method: 'POST',
        body: '{"title":"X","slug":"xyz"}',
      })
      expect(created.status).toBe(403)
      expect((await call(auth, '/api/resource/Organization/acme', { method: 'DELETE' })).status).toBe(403)
      const me = browser === owner ? 'owner@acme.example' : 'root@platform.example'
      const renamed = await call(auth, `/api/resource/User/${me}`, { method: 'PUT', body: '{"first_name":"Evil"}' })
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
        const answer = await post(auth, method, {
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
        expect([method, answer.status]).toEqual([method, 403])
      }
    }
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
      expect([values, (await sdkError(make(owner, values))).httpStatus]).toEqual([values, 417])
    }
    expect(await make(owner, { scopes: '["sites:read"]' })).toHaveProperty('api_secret')
  })
})

describe('the role of a token', () => {
  it("is at most its maker's, when it is made and when it is used", async () => {
    const above = await sdkError(make(member, { scopes: ['sites:read'], role: 'Organization Manager' }))
    expect(above).toMatchObject({ httpStatus: 403, exc_type: 'PermissionError' })
    const foreign = await sdkError(make(member, { scopes: ['sites:read'], organization: 'globex' }))
    expect(foreign.httpStatus).toBe(404)

    const admin = await booted.signedIn('admin@acme.example')
    const { token } = await make(admin, { scopes: ['sites:read', 'activity:read'] })
    const auth = `token ${token}`
    expect((await call(auth, '/api/resource/Activity')).status).toBe(200)
    await setRole('admin@acme.example', 'Organization User')
    // The Site is nobody's he knows: as a member he sees own and shared ones only.
    expect((await call(auth, '/api/resource/Site')).body.data).toEqual([])
    expect((await call(auth, `/api/resource/Site/${site}`)).status).toBe(403)
    await setRole('admin@acme.example', 'Organization Admin')
    expect((await call(auth, `/api/resource/Site/${site}`)).status).toBe(200)

    const low = await make(owner, { scopes: ['sites:write'], role: 'Organization User' })
    expect((await call(`token ${low.token}`, '/api/resource/Site')).body.data).toEqual([])
  })

  async function setRole(user: string, organization_role: string): Promise<void> {
    await inSystem(async (tx) => {
      const row = await tx.find('Organization Member', [['user', '=', user]])
      await tx.update('Organization Member', String(row?.name), { organization_role })
    })
  }
})

describe('the end of a token', () => {
  it('is seen and made by its maker and by admins only', async () => {
    const own = await make(member, { scopes: ['sites:read'] })
    const theirs = await make(owner, { scopes: ['sites:read'] })
    const names = async (browser: Browser) =>
      (await browser.app.db().getDocList('API Token', { limit: 200 })).map((row) => row['name'])
    expect(await names(member)).toEqual([own.name])
    expect(await names(owner)).toEqual(expect.arrayContaining([own.name, theirs.name]))
    const revoke = (browser: Browser, name: string) => browser.app.call().post('easydash.api.tokens.revoke', { name })
    expect((await sdkError(revoke(member, theirs.name))).httpStatus).toBe(403)
    const stranger = await booted.signedIn('owner@globex.example')
    expect((await sdkError(revoke(stranger, theirs.name))).httpStatus).toBe(404)
    await revoke(owner, own.name)
    expect((await call(`token ${own.token}`, '/api/method/ping')).status).toBe(401)
    await owner.app.db().deleteDoc('API Token', theirs.name)
    expect((await call(`token ${theirs.token}`, '/api/method/ping')).status).toBe(401)
  })

  it('comes when the maker leaves, and stays when he comes back', async () => {
    const manager = await booted.signedIn('manager@acme.example')
    const { token } = await make(manager, { scopes: ['sites:read'] })
    expect((await call(`token ${token}`, '/api/method/ping')).status).toBe(200)
    await inSystem(async (tx) => {
      const row = await tx.find('Organization Member', [['user', '=', 'manager@acme.example']])
      await tx.delete('Organization Member', String(row?.name))
    })
    expect((await call(`token ${token}`, '/api/method/ping')).status).toBe(401)
    await inSystem((tx) =>
      tx.insert('Organization Member', {
        parent: 'acme',
        parenttype: 'Organization',
        parentfield: 'members',
        user: 'manager@acme.example',
        organization_role: 'Organization Manager',
      }),
    )
    expect((await call(`token ${token}`, '/api/method/ping')).status).toBe(401)
  })

  it('closes its sockets, here and in another process, and no others', async () => {
    const another = await booted.another()
    try {
      const { token, name } = await make(owner, { scopes: ['sites:read'] })
      const { token: kept } = await make(owner, { scopes: ['sites:read'] })
      const here = await dial(`token ${token}`, booted.port)
      const there = await dial(`Bearer ${token}`, another.port)
      const stays = await dial(`token ${kept}`, booted.port)
      const ended = [here, there].map((socket) => new Promise((resolve) => socket.once('disconnect', resolve)))
      await owner.app.call().post('easydash.api.tokens.revoke', { name })
      await Promise.all(ended)
      expect(stays.connected).toBe(true)
      await expect(dial(`token ${token}`, booted.port)).rejects.toThrow('Unauthorized')
    } finally {
      await another.wire.close()
    }
  })

  it('subscribes by scope', async () => {
    const { token } = await make(owner, { scopes: ['sites:read'] })
    const socket = await dial(`token ${token}`, booted.port)
    const seen: string[] = []
    socket.on('doc_update', ({ doctype }: { doctype: string }) => seen.push(doctype))
    socket.emit('doc_subscribe', 'Server', server)
    socket.emit('doc_subscribe', 'Site', site)
    await new Promise((resolve) => socket.emit('ping', resolve) && socket.once('pong', resolve))
    // The answer to a subscription is silence: change both until the one arrives.
    while (!seen.includes('Site')) {
      await inSystem((tx) => tx.update('Server', server, { hostname: `h${Math.random()}.acme.test`.replace('0.', '') }))
      await inSystem((tx) => tx.update('Site', site, { disk_used: Math.random() }))
    }
    expect(seen).not.toContain('Server')
  })
})

function dial(authorization: string, port: number): Promise<Socket> {
  const socket = io(`http://localhost:${port}/localhost`, {
    extraHeaders: { authorization },
    forceNew: true,
    reconnection: false,
  })
  open.add(socket)
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket))
    socket.once('connect_error', reject)
  })
}
