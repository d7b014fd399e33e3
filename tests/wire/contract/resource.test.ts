/** Section 5 of the wire contract: `/api/resource`. One case for each row and rule; filters have their own file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'

let booted: Acme['booted']
let owner: Browser
let manager: Browser
let stranger: Browser
let server: string
let site: string

beforeAll(async () => {
  ;({ booted, owner, manager, stranger, server } = await bootAcme())
  site = await booted.documents
    .transaction(booted.system, (tx) =>
      tx.insert('Site', { organization: 'acme', server, domain: 'blog.acme.test', site_type: 'html' }),
    )
    .then((doc) => doc.name)
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const query = (params: Record<string, unknown>) =>
  Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&')
const list = (params: Record<string, unknown>, doctype = 'Server') =>
  body(owner, `/api/resource/${doctype}?${query(params)}`)
const rows = async (params: Record<string, unknown>, doctype?: string) => (await list(params, doctype)).body['data']
const names = (count: number) => Array.from({ length: count }, () => ({ name: expect.any(String) as unknown }))
const send = (method: string, path: string, sent?: object, browser = owner) =>
  body(browser, `/api/resource/${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-frappe-csrf-token': browser.csrfToken ?? '' },
    ...(sent ? { body: JSON.stringify(sent) } : {}),
  })

describe('section 5: calls', () => {
  it('GET list: names only by default, 20 of them, the newest first', async () => {
    expect(await rows({})).toEqual(names(3))
    const newest = await rows({ fields: ['hostname', 'creation'] })
    const oldest = await rows({ fields: ['hostname', 'creation'], order_by: 'creation asc' })
    expect(newest).toEqual((oldest as unknown[]).toReversed())
  })

  it('GET list: limit, limit_page_length (which wins), limit_start, as_dict', async () => {
    const order_by = 'hostname asc'
    expect(await rows({ fields: ['hostname'], order_by, limit: 1, limit_start: 1 })).toEqual([
      { hostname: 'three.acme.test' },
    ])
    expect(await rows({ limit: 1, limit_page_length: 2 })).toEqual(names(2))
    expect(await rows({ limit: 0 })).toEqual(names(3))
    expect(await rows({ fields: ['hostname', 'status'], order_by, as_dict: 0, limit: 1 })).toEqual([
      ['one.acme.test', 'Healthy'],
    ])
    expect(await rows({ filters: { hostname: 'none' } })).toEqual([])
  })

  it.each(['-1', 'x', '1.5', '1e3', '[1]', ' ', '99999999999999999999'])('GET list: limit %j is 417', async (limit) => {
    for (const name of ['limit', 'limit_page_length', 'limit_start'])
      expect([name, (await list({ [name]: limit })).status]).toEqual([name, 417])
  })

  it('POST list: makes a document; the path wins over doctype in the body', async () => {
    const made = await send('POST', 'Server', { doctype: 'User', hostname: 'new.acme.test', organization: 'acme' })
    expect(made).toMatchObject({ status: 200, body: { data: { doctype: 'Server', hostname: 'new.acme.test' } } })
    const { name } = made.body['data'] as { name: string }
    expect((await send('DELETE', `Server/${name}`)).status).toBe(202)
  })

  it('GET document: 200, 404 when missing, 403 without permission', async () => {
    expect((await body(owner, `/api/resource/Server/${server}`)).body['data']).toMatchObject({
      hostname: 'one.acme.test',
    })
    expect((await body(owner, '/api/resource/Server/nope')).status).toBe(404)
    expect((await body(booted.browser(), `/api/resource/Server/${server}`)).status).toBe(403)
  })

  it('GET document: expand_links puts linked documents in place of their names, as far as they may be read', async () => {
    const { data } = (await body(owner, `/api/resource/Site/${site}?expand_links=1`)).body as {
      data: Record<string, unknown>
    }
    expect(data['server']).toMatchObject({ doctype: 'Server', name: server, hostname: 'one.acme.test' })
    expect(data['organization']).toMatchObject({ doctype: 'Organization', name: 'acme' })
    expect(data['owner']).toBe('System')
    const plain = (await body(owner, `/api/resource/Site/${site}?expand_links=0`)).body as {
      data: Record<string, unknown>
    }
    expect(plain.data['server']).toBe(server)
    const { members } = (await body(manager, '/api/resource/Organization/acme?expand_links=true')).body['data'] as {
      members: { user: Record<string, unknown> }[]
    }
    const colleague = members.find(({ user }) => user['name'] === 'owner@acme.example')
    expect(colleague?.user).toMatchObject({ full_name: 'Test Person' })
    // A colleague's row shows what a colleague may see.
    expect(colleague?.user).not.toHaveProperty('phone')
  })

  it('GET document: run_method runs nothing that writes', async () => {
    expect((await body(owner, `/api/resource/Server/${server}?run_method=refresh_facts`)).status).toBe(403)
    expect((await body(owner, `/api/resource/Server/${server}?run_method=__proto__`)).status).toBe(403)
  })

  it('PUT document: the given fields; all of the document back; a stale modified is 417', async () => {
    const before = await owner.app.db().getDoc('Server', server)
    const saved = await send('PUT', `Server/${server}`, {
      server_category: 'development',
      modified: before['modified'],
    })
    expect(saved).toMatchObject({
      status: 200,
      body: { data: { server_category: 'development', hostname: 'one.acme.test', modified_by: 'owner@acme.example' } },
    })
    expect((saved.body['data'] as { modified: string }).modified > String(before['modified'])).toBe(true)
    expect(
      await send('PUT', `Server/${server}`, { server_category: 'production', modified: before['modified'] }),
    ).toMatchObject({
      status: 417,
      body: { exc_type: 'TimestampMismatchError' },
    })
    expect((await send('PUT', `Server/${server}`, { server_category: 'production' }, manager)).status).toBe(403)
    expect((await send('PUT', `Server/${server}`, { server_category: 'production' }, stranger)).status).toBe(404)
  })

  it('DELETE document: 202 with data and message', async () => {
    const made = await owner.app.db().createDoc('Server', { hostname: 'gone.acme.test', organization: 'acme' })
    expect(await send('DELETE', `Server/${made.name}`)).toMatchObject({
      status: 202,
      body: { data: 'ok', message: 'ok' },
    })
    expect((await send('DELETE', `Server/${made.name}`)).status).toBe(404)
    expect(await send('DELETE', `Server/${server}`)).toMatchObject({
      status: 417,
      body: { exc_type: 'LinkExistsError' },
    })
  })

  it('POST document: run_method runs a declared action', async () => {
    expect(await send('POST', `Server/${server}`, { run_method: 'refresh_facts' })).toMatchObject({
      status: 200,
      body: { data: { ran: 'refresh_facts', on: server } },
    })
    expect((await send('POST', `Server/${server}`, { run_method: 'delete' })).status).toBe(403)
    expect((await send('POST', `Server/${server}`, {})).body['field']).toBe('run_method')
  })

  it('another organization: exactly as missing, and never in a list', async () => {
    expect(await stranger.app.db().getDocList('Server')).toEqual([])
    expect(await stranger.app.db().getCount('Server')).toBe(0)
    for (const [method, sent] of [
      ['GET'],
      ['PUT', { processor: 'x' }],
      ['DELETE'],
      ['POST', { run_method: 'refresh_facts' }],
    ] as const) {
      const [foreign, missing] = [
        await send(method, `Server/${server}`, sent, stranger),
        await send(method, 'Server/zzzzzzzzzz', sent, stranger),
      ]
      expect(foreign.status).toBe(404)
      expect(JSON.stringify(foreign.body).replaceAll(server, 'X')).toBe(
        JSON.stringify(missing.body).replaceAll('zzzzzzzzzz', 'X'),
      )
    }
  })
})

describe('section 5: fields', () => {
  const first = async (fields: unknown, more: Record<string, unknown> = {}, doctype?: string) =>
    ((await rows({ fields, filters: { name: doctype === 'Site' ? site : server }, ...more }, doctype)) as unknown[])[0]

  it('name, alias, backticks, link.field', async () => {
    expect(await first(['hostname as host'])).toEqual({ host: 'one.acme.test' })
    expect(await first(['hostname AS `host`'])).toEqual({ host: 'one.acme.test' })
    expect(await first(['`tabServer`.`hostname`', '`name`', 'tabServer.status'])).toEqual({
      hostname: 'one.acme.test',
      name: server,
      status: 'Healthy',
    })
    expect(await first(['domain', 'server.hostname', 'server.status as state'], {}, 'Site')).toEqual({
      domain: expect.any(String) as unknown,
      hostname: 'one.acme.test',
      state: 'Healthy',
    })
    expect(await rows({ fields: 'hostname', filters: { name: server } })).toEqual([{ hostname: 'one.acme.test' }])
  })

  it('*: all that may be read, no secrets', async () => {
    const all = (await rows({ fields: ['*'] }, 'Organization')) as Record<string, unknown>[]
    expect(all[0]).toMatchObject({ name: 'acme', title: 'acme', enabled: 1 })
    for (const field of ['hcloud_token', 'members', 'access_token_sha256_hash'])
      expect(all[0]).not.toHaveProperty(field)
  })

  it('aggregates: count, sum, avg, min, max, with group_by, as text and as an object', async () => {
    expect(await rows({ fields: ['count(name) as n'] })).toEqual([{ n: 3 }])
    expect(await rows({ fields: ['count(*)'] })).toEqual([{ 'count(*)': 3 }])
    expect(await rows({ fields: [{ COUNT: 'name', as: 'n' }] })).toEqual([{ n: 3 }])
    expect(await rows({ fields: [{ COUNT: '*', as: 'n' }] })).toEqual([{ n: 3 }])
    const grouped = { fields: ['status', 'count(name) as n'], group_by: 'status', order_by: 'n desc' }
    expect(await rows(grouped)).toEqual([
      { status: 'Degraded', n: 2 },
      { status: 'Healthy', n: 1 },
    ])
    expect(
      await rows({ ...grouped, fields: ['status', { COUNT: 'name', as: 'n' }], group_by: '`tabServer`.`status`' }),
    ).toEqual([
      { status: 'Degraded', n: 2 },
      { status: 'Healthy', n: 1 },
    ])
    expect(
      await rows({ fields: ['sum(docstatus) as s', 'avg(idx) as a', 'min(hostname) as lo', 'max(hostname) as hi'] }),
    ).toEqual([{ s: 0, a: 0, lo: 'one.acme.test', hi: 'two.acme.test' }])
  })

  it('what the caller may not read is left out silently', async () => {
    expect(
      await body(manager, `/api/resource/Organization?${query({ fields: ['title', 'client_id'] })}`),
    ).toMatchObject({
      status: 200,
      body: { data: [{ title: 'acme' }] },
    })
  })

  it.each([
    'nope',
    'name as __proto__',
    'name as "x"',
    'name;drop table tab_server',
    'name, hostname',
    '(select 1)',
    'name -- x',
    'name /* x */',
    "'x'",
    '"x"',
    '@@version',
    'version()',
    'sleep(5)',
    'pg_sleep(5)',
    'user()',
    'database()',
    'if(1,name,name)',
    'ifnull(name,1)',
    'concat(name,hostname)',
    'count(distinct name)',
    'count(name) + 1',
    'sum(hostname)',
    'count(nope)',
    '`tabUser`.`name`',
    'server.hostname',
    'organization.hcloud_token',
    'constructor',
    '__proto__',
    'hostname\u0000',
  ])('unknown field %j is 417 DataError', async (field) => {
    const answer = await list({ fields: [field] })
    expect(answer.status).toBe(417)
    if (!field.includes('\0')) expect(answer.body).toMatchObject({ exc_type: 'DataError', field: 'fields' })
  })

  it.each([
    [{ SLEEP: '5' }],
    [{ COUNT: '(select 1)' }],
    [{ COUNT: 'name', as: 'a b' }],
    [{}],
    [{ COUNT: 'name', SUM: 'idx' }],
    [5],
    [null],
    [['name']],
  ])('field %j is 417', async (field) => {
    expect((await list({ fields: [field] })).status).toBe(417)
  })
})

describe('section 5: order, group, standard fields', () => {
  it('order: several, directions, backticks, empty', async () => {
    const order = async (order_by: string) =>
      ((await rows({ fields: ['hostname'], order_by })) as { hostname: string }[]).map(
        (row) => row.hostname.split('.')[0],
      )
    expect(await order('status desc, hostname asc')).toEqual(['one', 'three', 'two'])
    expect(await order('`tabServer`.`status` asc, `hostname` DESC')).toEqual(['two', 'three', 'one'])
    expect(await order('')).toHaveLength(3)
  })

  it.each([
    'nope',
    'hostname; drop',
    'sleep(1)',
    '(select 1)',
    'rand()',
    'hostname asc desc',
    '1',
    'if(1,name,hostname)',
    "'a'",
  ])('order and group by %j is 417 DataError', async (text) => {
    for (const name of ['order_by', 'group_by'])
      expect(await list({ [name]: text })).toMatchObject({ status: 417, body: { exc_type: 'DataError', field: name } })
  })

  it('filter and order by what cannot be read or is secret: exactly as unknown', async () => {
    const answer = async (field: string, parameter: 'filters' | 'order_by', browser: Browser) => {
      const value = parameter === 'filters' ? [[field, 'like', 'a%']] : `${field} asc`
      const { status, body: said } = await body(browser, `/api/resource/Organization?${query({ [parameter]: value })}`)
      return [status, JSON.stringify(said).replaceAll(field, 'X')]
    }
    for (const parameter of ['filters', 'order_by'] as const) {
      const unknown = await answer('nope', parameter, owner)
      expect(unknown[0]).toBe(417)
      expect(await answer('hcloud_token', parameter, owner)).toEqual(unknown)
      expect(await answer('access_token_sha256_hash', parameter, owner)).toEqual(unknown)
      expect(await answer('client_id', parameter, manager)).toEqual(unknown)
    }
  })

  it('standard fields: the server sets them at insert, ignores them at update', async () => {
    const forged = {
      owner: 'evil@example.com',
      creation: '2001-01-01 00:00:00.000000',
      modified_by: 'evil@example.com',
      docstatus: 2,
      idx: 7,
      flags: { ignore_permissions: true },
      no_such_field: 1,
      status: 'Healthy',
    }
    const made = await owner.app
      .db()
      .createDoc('Server', { ...forged, name: 'chosen', hostname: 'std.acme.test', organization: 'acme' })
    expect(made).toMatchObject({ owner: 'owner@acme.example', modified_by: 'owner@acme.example', docstatus: 0, idx: 0 })
    expect([made.name === 'chosen', made['creation'] === made['modified'], 'flags' in made]).toEqual([
      false,
      true,
      false,
    ])
    const saved = await owner.app.db().updateDoc('Server', made.name, { ...forged, server_category: 'production' })
    expect(saved).toMatchObject({
      owner: 'owner@acme.example',
      docstatus: 0,
      creation: made['creation'],
      status: made['status'],
    })
    const same = await owner.app.db().updateDoc('Server', made.name, { ...saved } as never)
    expect(same['modified']).toBe(saved['modified'])
    for (const name of ['owner', 'modified', 'docstatus', 'parent'])
      expect(await sdkError(owner.app.db().setValue('Server', made.name, name, 'x'))).toMatchObject({
        httpStatus: 417,
        exception: 'frappe.exceptions.ValidationError: Cannot edit standard fields',
      })
  })

  it('organization: accepted at insert with the right to create there, never changed later', async () => {
    expect(await send('POST', 'Server', { hostname: 'x.acme.test', organization: 'acme' }, stranger)).toMatchObject({
      status: 403,
    })
    expect(await send('PUT', `Server/${server}`, { organization: 'globex' })).toMatchObject({
      status: 417,
      body: { exc_type: 'CannotChangeConstantError', field: 'organization' },
    })
    expect((await send('PUT', `Server/${server}`, { organization: 'acme' })).status).toBe(200)
  })
})
