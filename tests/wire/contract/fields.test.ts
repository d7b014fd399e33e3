/** Section 5 of the wire contract: fields, sorting, grouping, and ownership of the standard fields. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, makeSite, query, resourceCalls, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'

let booted: Acme['booted']
let owner: Browser
let manager: Browser
let stranger: Browser
let server: string
let site: string

beforeAll(async () => {
  const acme = await bootAcme()
  ;({ booted, owner, manager, stranger, server } = acme)
  site = await makeSite(acme)
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const { list, rows, send } = resourceCalls(() => owner)

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

  it('grouped by name: each row is its own group and shows all its fields, in the usual order', async () => {
    const plain = await rows({ fields: ['name', 'hostname', 'status'] })
    expect(await rows({ fields: ['name', 'hostname', 'status'], group_by: 'name' })).toEqual(plain)
    expect(
      await rows({ fields: ['hostname', 'count(name) as n'], group_by: 'name', order_by: 'hostname asc', limit: 1 }),
    ).toEqual([{ hostname: 'one.acme.test', n: 1 }])
    const linked = (await rows({ fields: ['server.hostname'], group_by: '`tabSite`.`name`' }, 'Site')) as object[]
    expect(linked[0]).toEqual({ hostname: 'one.acme.test' })
    expect((await list({ fields: ['name', 'status'], group_by: 'status' })).status).toBe(417)
  })

  it('the filters of the lists', async () => {
    for (const [doctype, over] of [
      ['Site', 'Archived'],
      ['Server', 'Decommissioned'],
    ] as const) {
      const filters = { favorite: 0, status: ['!=', over] }
      const found = (await rows({ fields: ['name', 'favorite'], filters }, doctype)) as { favorite: number }[]
      expect(found.length).toBeGreaterThan(0)
      expect(found.every(({ favorite }) => favorite === 0)).toBe(true)
    }
  })

  it('secrets are left out for everybody, and only there: what is hidden does not exist', async () => {
    expect(await rows({ fields: ['title', 'hcloud_token', 'hcloud_token as t'] }, 'Organization')).toEqual([
      { title: 'acme' },
    ])
    expect(await rows({ fields: ['domain', 'organization.hcloud_token'] }, 'Site')).toContainEqual({
      domain: expect.any(String) as unknown,
    })
    expect((await list({ fields: ['max(hcloud_token)'] }, 'Organization')).status).toBe(417)
    expect((await list({ fields: ['admin_password'] }, 'Site')).status).toBe(417)
  })

  it('fields the caller cannot read are omitted silently', async () => {
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
    'constructor',
    '__proto__',
    'hostname\u0000',
  ])('unknown field %j is 417 DataError', async (field) => {
    const response = await list({ fields: [field] })
    expect(response.status).toBe(417)
    if (!field.includes('\0')) expect(response.body).toMatchObject({ exc_type: 'DataError', field: 'fields' })
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
    const response = async (field: string, parameter: 'filters' | 'order_by', browser: Browser) => {
      const value = parameter === 'filters' ? [[field, 'like', 'a%']] : `${field} asc`
      const { status, body: text } = await body(browser, `/api/resource/Organization?${query({ [parameter]: value })}`)
      return [status, JSON.stringify(text).replaceAll(field, 'X')]
    }
    for (const parameter of ['filters', 'order_by'] as const) {
      const unknown = await response('nope', parameter, owner)
      expect(unknown[0]).toBe(417)
      expect(await response('hcloud_token', parameter, owner)).toEqual(unknown)
      expect(await response('access_token_sha256_hash', parameter, owner)).toEqual(unknown)
      expect(await response('client_id', parameter, manager)).toEqual(unknown)
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
