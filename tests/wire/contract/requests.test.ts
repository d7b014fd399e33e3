/** Section 1 of the wire contract: how requests are parsed. One case per row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'
import { ask } from '../raw.ts'

let booted: Acme['booted']
let owner: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, server } = await bootAcme())
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const unsafe = () => ({ 'x-frappe-csrf-token': owner.csrfToken ?? '', accept: 'application/json' })
const message = async (path: string, init?: RequestInit) => (await body(owner, path, init)).body['message']
const text = (value: unknown) => encodeURIComponent(JSON.stringify(value))

describe('section 1: request parsing', () => {
  it('Routes: method, resource list and document, the same under /api/v1, with and without a slash at the end', async () => {
    for (const base of ['/api', '/api/v1']) {
      for (const end of ['', '/']) {
        expect((await body(owner, `${base}/method/ping${end}`)).body).toEqual({ message: 'pong' })
        expect((await body(owner, `${base}/resource/Server${end}`)).body['data']).toHaveLength(3)
        expect((await body(owner, `${base}/resource/Server/${server}${end}`)).body['data']).toMatchObject({
          name: server,
        })
      }
    }
  })

  it('Routes: doctype and name are percent-decoded; a name may hold @ and /', async () => {
    expect((await body(owner, '/api/resource/User%20Meta')).body['data']).toEqual([{ name: 'owner@acme.example' }])
    for (const name of ['owner@acme.example', 'owner%40acme.example'])
      expect((await body(owner, `/api/resource/User/${name}`)).body['data']).toMatchObject({
        name: 'owner@acme.example',
      })
    const { status, body: missing } = await body(owner, '/api/resource/Server/a/b%2Fc')
    expect([status, missing['exception']]).toEqual([404, 'frappe.exceptions.DoesNotExistError: Server a/b/c not found'])
  })

  it('Routes: an address means what it says as it was sent', async () => {
    const get = async (path: string) => {
      const headers = { cookie: owner.cookieHeader(), accept: 'application/json' }
      const response = await ask(booted.port, { path, headers })
      return [response.status, (JSON.parse(response.body) as { exception?: string }).exception]
    }
    const missing = (name: string) => [404, `frappe.exceptions.DoesNotExistError: Server ${name} not found`]
    // No fragment, no double decoding, and only trailing slashes are dropped from a name.
    expect(await get(`/api/resource/Server/${server}#x`)).toEqual(missing(`${server}#x`))
    expect(await get('/api/resource/Server/%2523')).toEqual(missing('%23'))
    expect(await get('/api/resource/Server/a//b//')).toEqual(missing('a//b'))
    expect(await get('/api/resource/Server/a%2F/')).toEqual(missing('a/'))
    expect(await get('/api/resource/Server/a%3Fb')).toEqual(missing('a?b'))
    const nothing = [404, 'frappe.exceptions.PageDoesNotExistError: There is nothing at this address.']
    for (const path of ['/%61pi/method/ping', '/API/method/ping', '/api//method/ping', '/api/method/', '/%68ealthz'])
      expect([path, ...(await get(path))]).toEqual([path, ...nothing])
    const invalid = [417, 'frappe.exceptions.ValidationError: The request is not valid.']
    for (const path of ['/api/method/%', '/api/resource/Server/%ff', '/web/%zz'])
      expect([path, ...(await get(path))]).toEqual([path, ...invalid])
    expect((await get('/api/resource/Server/%00'))[0]).toBe(417)
    // Names of any length reach the method's own rule.
    expect((await get(`/api/method/${'m'.repeat(20_000)}`))[0]).toBe(403)
  })

  it('cmd: a call of that method at any address, by query, form or JSON', async () => {
    expect(await message('/?cmd=ping')).toBe('pong')
    expect(await message('/web/anything?cmd=ping')).toBe('pong')
    expect(await message('/healthz?cmd=ping')).toBe('pong')
    expect(await message('/api/resource/Server?cmd=ping')).toBe('pong')
    const posted = { method: 'POST', headers: { ...unsafe(), ...json } }
    expect(await message('/', { ...posted, body: '{"cmd":"ping"}' })).toBe('pong')
    expect(await message('/', { method: 'POST', headers: { ...unsafe(), ...form }, body: 'cmd=ping' })).toBe('pong')
    expect((await body(owner, '/', { ...posted, body: '{"cmd":"no.such"}' })).status).toBe(403)
  })

  it('cmd: does not reach a writing method by GET, nor around the CSRF token', async () => {
    const path = `/?cmd=frappe.client.delete&doctype=Server&name=${server}`
    expect((await body(owner, path, { headers: unsafe() })).status).toBe(403)
    expect((await body(owner, path, { method: 'POST', headers: { accept: 'application/json' } })).status).toBe(400)
  })

  it('Parameters: form over query, JSON instead of both, a list as data, no _, unknown ones ignored', async () => {
    const count = '/api/method/frappe.client.get_count'
    const degraded = `filters=${text([['status', '=', 'Degraded']])}`
    const posted = (headers: Record<string, string>, sent: string) => ({
      method: 'POST',
      headers: { ...unsafe(), ...headers },
      body: sent,
    })
    expect(await message(`${count}?doctype=Server&${degraded}`)).toBe(2)
    expect(await message(`${count}?doctype=User&${degraded}`, posted(form, 'doctype=Server'))).toBe(2)
    expect(await message(`${count}?doctype=User&${degraded}`, posted(json, '{"doctype":"Server"}'))).toBe(3)
    expect((await body(owner, `${count}?doctype=Server`, posted(json, '[{"doctype":"Server"}]'))).body['field']).toBe(
      'doctype',
    )
    expect(await message(`${count}?doctype=Server&_=1700000000&nonsense=1&debug=true&cache=0`)).toBe(3)
  })

  it('JSON-or-native: every structured parameter in both forms', async () => {
    const call = owner.app.call()
    const both = async (method: string, params: Record<string, unknown>, names: readonly string[]) => {
      const asText = Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, names.includes(name) ? JSON.stringify(value) : value]),
      )
      return [await call.post(method, params), await call.post(method, asText)]
    }
    const list = { doctype: 'Server', fields: ['hostname'], order_by: 'hostname' }
    for (const filters of [{ status: 'Degraded' }, [['status', '=', 'Degraded']], [{ status: 'Degraded' }]]) {
      const params = { ...list, filters, or_filters: [['hostname', 'like', 'two%']] }
      const [native, asText] = await both('frappe.client.get_list', params, ['fields', 'filters', 'or_filters'])
      expect(native).toEqual({ message: [{ hostname: 'two.acme.test' }] })
      expect(asText).toEqual(native)
    }
    const value = { doctype: 'Server', fieldname: ['hostname', 'status'], filters: { name: server } }
    const [native, asText] = await both('frappe.client.get_value', value, ['fieldname', 'filters'])
    expect(native).toEqual({ message: { hostname: 'one.acme.test', status: 'Healthy' } })
    expect(asText).toEqual(native)
    const action = { docs: { doctype: 'Server', name: server }, method: 'refresh_facts', args: {} }
    for (const response of await both('run_doc_method', action, ['docs', 'args']))
      expect(response).toMatchObject({ docs: [{ name: server }] })
    const doc = { doctype: 'Server', name: server, processor: 'x' }
    for (const response of await both('frappe.client.save', { doc }, ['doc']))
      expect(response).toMatchObject({ message: { name: server } })
  })

  it('Booleans and numbers: as text, number or JSON', async () => {
    const rows = (query: string) => body(owner, `/api/resource/Server?fields=["hostname"]&limit=1&${query}`)
    for (const no of ['0', 'false']) {
      expect((await rows(`as_dict=${no}`)).body['data']).toEqual([[expect.any(String)]])
    }
    for (const yes of ['1', 'true', '']) {
      expect((await rows(`as_dict=${yes}`)).body['data']).toEqual([{ hostname: expect.any(String) as unknown }])
    }
    const native = await owner.app
      .call()
      .post('frappe.client.get_list', { doctype: 'Server', as_dict: false, limit_page_length: 1 })
    expect(native).toEqual({ message: [[expect.any(String)]] })
    expect((await rows('as_dict=maybe')).status).toBe(417)
  })

  it('Verbs: reading methods take every verb, writing ones POST and PUT, deletion DELETE and POST', async () => {
    const status = async (method: string, path: string, sent?: object) =>
      (
        await owner.fetch(`/api/method/${path}`, {
          method,
          headers: { ...unsafe(), ...(sent ? json : {}) },
          ...(sent ? { body: JSON.stringify(sent) } : {}),
        })
      ).status
    const count = 'frappe.client.get_count?doctype=Server'
    for (const verb of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) expect(await status(verb, count)).toBe(200)
    expect(await status('PATCH', count)).toBe(403)
    const set = { doctype: 'Server', name: server, fieldname: 'processor', value: 'y' }
    for (const verb of ['POST', 'PUT']) expect(await status(verb, 'frappe.client.set_value', set)).toBe(200)
    for (const verb of ['GET', 'HEAD', 'DELETE'])
      expect(
        await status(verb, `frappe.client.set_value?doctype=Server&name=${server}&fieldname=processor&value=z`),
      ).toBe(403)
    for (const verb of ['GET', 'PUT'])
      expect(await status(verb, `frappe.client.delete?doctype=Server&name=${server}`)).toBe(403)
    expect(await status('DELETE', 'frappe.client.delete?doctype=Server&name=nope')).toBe(404)
    for (const name of ['reset_password', 'update_password'])
      expect(await status('PUT', `frappe.core.doctype.user.user.${name}`, { user: 'x' })).toBe(403)
  })

  it('Verbs: a wrong one on a resource is 405, OPTIONS is 200 and empty, HEAD is GET without its body', async () => {
    for (const [verb, path] of [
      ['PUT', '/api/resource/Server'],
      ['PATCH', `/api/resource/Server/${server}`],
    ] as const) {
      const response = await body(owner, path, { method: verb, headers: unsafe() })
      expect([response.status, response.body['exc_type']]).toEqual([405, 'MethodNotAllowed'])
      expect(response.headers.get('allow')).toContain('GET, POST')
    }
    for (const path of ['/', '/api/resource/Server', '/api/method/no.such', '/web']) {
      const response = await ask(booted.port, { path, method: 'OPTIONS' })
      expect([response.status, response.body]).toEqual([200, ''])
    }
    const head = await owner.fetch(`/api/resource/Server/${server}`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await owner.fetch('/api/resource/Server/nope', { method: 'HEAD' })).status).toBe(404)
  })

  it('State change on GET: no writing method, no document method that writes', async () => {
    const before = (await body(owner, `/api/resource/Server/${server}`)).body['data'] as { modified: string }
    for (const path of [
      `/api/method/frappe.client.set_value?doctype=Server&name=${server}&fieldname=hostname&value=x.acme.test`,
      `/api/method/run_doc_method?dt=Server&dn=${server}&method=refresh_facts`,
      `/api/resource/Server/${server}?run_method=refresh_facts`,
      '/api/method/switch_organization?organization=acme',
      '/api/method/logout',
    ]) {
      expect([path, (await body(owner, path)).status]).toEqual([path, 403])
    }
    const after = (await body(owner, `/api/resource/Server/${server}`)).body['data'] as { modified: string }
    expect(after.modified).toBe(before.modified)
  })

  it('Site header: accepted, and means nothing', async () => {
    for (const name of ['localhost', 'globex.example', '']) {
      const response = await body(owner, '/api/resource/Server', { headers: { 'x-frappe-site-name': name } })
      expect(response.body['data']).toHaveLength(3)
    }
  })

  it('Accept: JSON for clients, a page with the same status for readers', async () => {
    const type = async (path: string, headers: Record<string, string>) => {
      const response = await ask(booted.port, { path, headers })
      return [response.status, response.headers['content-type']?.split(';')[0]]
    }
    const path = '/api/resource/Nothing/x'
    expect(await type(path, { accept: 'application/json' })).toEqual([403, 'application/json'])
    expect(await type(path, {})).toEqual([403, 'application/json'])
    expect(await type(path, { accept: '*/*' })).toEqual([403, 'application/json'])
    expect(await type(path, { accept: 'text/html' })).toEqual([403, 'text/html'])
    expect(await type(path, { accept: 'text/html', 'x-requested-with': 'XMLHttpRequest' })).toEqual([
      403,
      'application/json',
    ])
    expect(await type('/nothing', {})).toEqual([404, 'text/html'])
    expect(await type('/nothing', { accept: 'application/json' })).toEqual([404, 'application/json'])
    const page = await ask(booted.port, { path: '/api/nothing', headers: { accept: 'text/html' } })
    expect(page.body).toContain('<h1>')
    expect(page.body).not.toMatch(/exc_type|at .+\.ts/)
  })

  it('Body limit: more than 25 MB is 413, others are served on time', async () => {
    const large = Buffer.alloc(26 * 1024 * 1024, ' ')
    const sent = body(owner, '/api/method/frappe.client.get_count', {
      method: 'POST',
      headers: { ...unsafe(), ...json },
      body: large,
    })
    expect((await body(owner, '/api/method/ping')).status).toBe(200)
    expect(await sent).toMatchObject({ status: 413, body: { code: 'too_large' } })
  })

  it('SDK: list calls send order_by empty, and errors carry status and text', async () => {
    expect(await owner.app.db().getDocList('Server', { fields: ['name'], limit: 1, asDict: true })).toHaveLength(1)
    const raw = await body(owner, '/api/resource/Server?fields=["name"]&order_by=&group_by=&filters=&or_filters=')
    expect(raw.body['data']).toHaveLength(3)
    expect(
      await sdkError(owner.app.call().delete('frappe.client.delete', { doctype: 'Server', name: 'no' })),
    ).toMatchObject({ httpStatus: 404, exc_type: 'DoesNotExistError', message: 'There was an error.' })
    // axios' delete sends lists in a query as `a[]=x`.
    const listed = await body(
      owner,
      '/api/method/frappe.client.get_value?doctype=Server&fieldname[]=hostname&fieldname[]=status',
    )
    expect(Object.keys(listed.body['message'] as object)).toEqual(['hostname', 'status'])
  })
})
