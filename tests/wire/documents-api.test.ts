import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type Booted } from './booted.ts'
import { sdkError, type Browser } from './browser.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let stranger: Browser
let server: string

const insertServer = async (organization: string, values: Record<string, unknown>) =>
  booted.documents.transaction(
    booted.system,
    async (tx) => (await tx.insert('Server', { organization, ...values })).name,
  )

beforeAll(async () => {
  booted = await boot({
    env: {},
    controllers: [
      {
        doctype: 'Site',
        delete_request: async () => Promise.resolve({ job: 'job0000001' }),
      },
    ],
  })
  await booted.organization('acme', { 'manager@acme.example': 'Organization Manager' })
  await booted.organization('globex')
  owner = await booted.signedIn('owner@acme.example')
  manager = await booted.signedIn('manager@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
  await raisePlan('acme')
  server = await insertServer('acme', { hostname: 'one.acme.test', status: 'Healthy', server_category: 'production' })
  for (const hostname of ['two.acme.test', 'three.acme.test'])
    await insertServer('acme', { hostname, status: 'Degraded' })
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const raisePlan = (organization: string) =>
  booted.documents.transaction(booted.system, (tx) => tx.update('Organization', organization, { plan: 'Enterprise' }))

const body = async (browser: Browser, path: string, init?: RequestInit) => {
  const response = await browser.fetch(path, init)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

describe('lists', () => {
  it('gives names by default, fields on request, totals by count', async () => {
    const db = owner.app.db()
    expect(await db.getDocList('Server')).toHaveLength(3)
    const rows = await db.getDocList('Server', {
      fields: ['name', 'hostname'],
      filters: [['status', '=', 'Degraded']],
      orderBy: { field: 'hostname', order: 'asc' },
      limit: 1,
      limit_start: 1,
    })
    expect(rows).toEqual([{ name: expect.any(String) as unknown, hostname: 'two.acme.test' }])
    expect(await db.getCount('Server', [['status', '=', 'Degraded']])).toBe(2)
    expect(await db.getCount('Server')).toBe(3)
    expect(
      await db.getDocList('Server', { fields: ['hostname'], filters: [['hostname', 'like', 'nothing%']] }),
    ).toEqual([])
  })

  it('gives lists of values without as_dict', async () => {
    expect(
      (await body(owner, '/api/resource/Server?fields=["hostname","status"]&as_dict=0&order_by=hostname')).body,
    ).toEqual({
      data: [
        ['one.acme.test', 'Healthy'],
        ['three.acme.test', 'Degraded'],
        ['two.acme.test', 'Degraded'],
      ],
    })
  })

  it('takes filters as JSON text and as native JSON', async () => {
    const filters = { status: ['in', ['Healthy']] }
    const get = await body(
      owner,
      `/api/method/frappe.client.get_list?doctype=Server&filters=${encodeURIComponent(JSON.stringify(filters))}`,
    )
    const { message } = (await owner.app.call().post('frappe.client.get_list', { doctype: 'Server', filters })) as {
      message: unknown
    }
    expect(get.body['message']).toEqual([{ name: server }])
    expect(message).toEqual([{ name: server }])
  })

  it('lets limit_page_length win over limit and refuses nonsense', async () => {
    expect((await body(owner, '/api/resource/Server?limit=1&limit_page_length=2')).body['data']).toHaveLength(2)
    for (const query of [
      'limit=-1',
      'limit=x',
      'limit_start=-1',
      'filters={',
      'fields=["nope"]',
      'filters=[["nope","=",1]]',
      'order_by=sleep(1)',
    ]) {
      expect(await body(owner, `/api/resource/Server?${query}`)).toMatchObject({
        status: 417,
        body: { code: 'invalid' },
      })
    }
  })

  it('ends each tenant at its organization', async () => {
    expect(await stranger.app.db().getDocList('Server')).toEqual([])
    const foreign = await sdkError(stranger.app.db().getDoc('Server', server))
    const missing = await sdkError(stranger.app.db().getDoc('Server', 'zzzzzzzzzz'))
    expect(foreign.httpStatus).toBe(404)
    expect(foreign.exc_type).toBe('DoesNotExistError')
    expect(JSON.stringify(foreign).replaceAll(server, 'X')).toBe(JSON.stringify(missing).replaceAll('zzzzzzzzzz', 'X'))
  })

  it('gives reports as keys and values, also without rows', async () => {
    const call = (filters: unknown) =>
      owner.app.call().post('frappe.desk.reportview.get', {
        doctype: 'Server',
        fields: ['`tabServer`.`name`', 'status'],
        filters,
        page_length: 8,
        order_by: '`tabServer`.`hostname` asc',
        view: 'List',
      })
    expect(await call([['Server', 'status', '=', 'Healthy']])).toEqual({
      message: { keys: ['name', 'status'], values: [[server, 'Healthy']], user_info: {} },
    })
    expect(await call([['Server', 'status', '=', 'Failed']])).toEqual({
      message: { keys: [], values: [], user_info: {} },
    })
    expect((await body(owner, '/api/method/frappe.desk.reportview.get_count?doctype=Server')).body).toEqual({
      message: 3,
    })
    const grouped = (await owner.app.call().post('frappe.desk.reportview.get', {
      doctype: 'Server',
      fields: ['status'],
      group_by: 'status',
      aggregate_function: 'count',
      order_by: 'status',
    })) as { message: { keys: string[]; values: unknown[] } }
    expect(grouped.message).toMatchObject({
      keys: ['status', '_aggregate_column'],
      values: [
        ['Degraded', 2],
        ['Healthy', 1],
      ],
    })
  })

  it('searches for links', async () => {
    const search = (params: object) =>
      owner.app.call().post('frappe.desk.search.search_link', { doctype: 'Server', ...params })
    const { message } = (await search({
      txt: ' ONE ',
      page_length: 5,
      filters: { status: 'Healthy' },
      ignore_user_permissions: 1,
      reference_doctype: 'Site',
    })) as { message: { value: string }[] }
    expect(message.map((row) => row.value)).toEqual([server])
    expect((await sdkError(search({}))).httpStatus).toBe(417)
    expect(await sdkError(search({ txt: 'x', searchfield: 'name; drop' }))).toMatchObject({
      httpStatus: 417,
      exc_type: 'DataError',
    })
  })
})

describe('documents', () => {
  it('makes, reads, changes and deletes with the SDK', async () => {
    const db = owner.app.db()
    const made = await db.createDoc('Server', {
      hostname: 'new.acme.test',
      organization: 'acme',
      server_category: 'development',
    })
    expect(made).toMatchObject({
      doctype: 'Server',
      owner: 'owner@acme.example',
      docstatus: 0,
      hostname: 'new.acme.test',
    })
    expect(made.modified).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/)
    const read = await db.getDoc('Server', made.name)
    expect(Object.values(read)).not.toContain(null)
    const changed = await db.updateDoc('Server', made.name, { hostname: 'newer.acme.test', modified: read.modified })
    expect(changed).toMatchObject({ hostname: 'newer.acme.test', modified_by: 'owner@acme.example' })
    expect(
      await sdkError(db.updateDoc('Server', made.name, { hostname: 'again.acme.test', modified: read.modified })),
    ).toMatchObject({ httpStatus: 417, exc_type: 'TimestampMismatchError', code: 'conflict' })
    const deletion = await body(owner, `/api/resource/Server/${made.name}`, {
      method: 'DELETE',
      headers: { 'x-frappe-csrf-token': owner.csrfToken ?? '' },
    })
    expect(deletion).toMatchObject({ status: 202, body: { data: 'ok', message: 'ok' } })
    expect((await sdkError(db.getDoc('Server', made.name))).httpStatus).toBe(404)
  })

  it('gives nulls in frappe.client.get and none in the resource', async () => {
    const { message } = (await owner.app.call().get('frappe.client.get', { doctype: 'Server', name: server })) as {
      message: Record<string, unknown>
    }
    expect(Object.values(message)).toContain(null)
    const first = (await owner.app
      .call()
      .get('frappe.client.get', { doctype: 'Server', filters: { hostname: 'one.acme.test' } })) as {
      message: Record<string, unknown>
    }
    expect(first.message['name']).toBe(server)
    expect(
      (await sdkError(owner.app.call().get('frappe.client.get', { doctype: 'Server', filters: { hostname: 'nope' } })))
        .httpStatus,
    ).toBe(404)
  })

  it('gives values of the first match, nothing without one', async () => {
    const db = owner.app.db()
    expect(await db.getValue('Server', 'server_category', [['name', '=', server]])).toEqual({
      message: { server_category: 'production' },
    })
    expect(await db.getValue('Server', ['hostname', 'status'], server as never)).toEqual({
      message: { hostname: 'one.acme.test', status: 'Healthy' },
    })
    expect(await db.getValue('Server', 'hostname', [['name', '=', 'nope']])).toEqual({ message: {} })
    expect(await db.getValue('Server', 'hostname', [['name', '=', server]], false)).toEqual({
      message: 'one.acme.test',
    })
  })

  it('sets values and protects standard fields', async () => {
    const db = owner.app.db()
    expect(await db.setValue('Server', server, 'server_category', 'development')).toMatchObject({
      message: { server_category: 'development' },
    })
    expect(await db.setValue('Server', server, { server_category: 'production' })).toMatchObject({
      message: { server_category: 'production' },
    })
    expect(await sdkError(db.setValue('Server', server, 'owner', 'x'))).toMatchObject({ httpStatus: 417 })
    expect(await sdkError(db.setValue('Server', server, { modified: 'x', hostname: 'y' }))).toMatchObject({
      httpStatus: 417,
    })
  })

  it('writes and deletes by frappe.client, several at once too', async () => {
    const call = owner.app.call()
    const doc = (hostname: string) => ({ doctype: 'Server', hostname, organization: 'acme' })
    const inserted = (await call.post('frappe.client.insert', { doc: JSON.stringify(doc('a.acme.test')) })) as {
      message: { name: string; modified: string }
    }
    const { message: names } = (await call.post('frappe.client.insert_many', {
      docs: [doc('b.acme.test'), doc('c.acme.test')],
    })) as { message: string[] }
    expect(names).toHaveLength(2)
    const saved = (await call.post('frappe.client.save', {
      doc: { ...inserted.message, hostname: 'd.acme.test' },
    })) as { message: { hostname: string } }
    expect(saved.message.hostname).toBe('d.acme.test')
    const bulk = (await call.post('frappe.client.bulk_update', {
      docs: JSON.stringify([
        { doctype: 'Server', docname: names[0], hostname: 'e.acme.test' },
        { doctype: 'Server', docname: 'nope', hostname: 'f' },
      ]),
    })) as { message: { failed_docs: unknown[] } }
    expect(bulk.message.failed_docs).toMatchObject([{ doc: { docname: 'nope' }, exc: expect.any(String) as unknown }])
    for (const name of [inserted.message.name, ...names]) {
      expect(await call.post('frappe.client.delete', { doctype: 'Server', name })).toEqual({})
    }
    const many = await sdkError(
      call.post('frappe.client.insert_many', { docs: Array.from({ length: 201 }, () => doc('x')) }),
    )
    expect(many.httpStatus).toBe(417)
  })

  it('says what a caller may', async () => {
    const rights = (browser: Browser, params: object) =>
      browser.app.call().get('frappe.client.has_permission', { doctype: 'Server', docname: server, ...params })
    expect(await rights(owner, { perm_type: 'write' })).toEqual({ message: { has_permission: true } })
    expect(await rights(manager, { perm_type: 'write' })).toEqual({ message: { has_permission: false } })
    expect(await rights(owner, { perm_type: '__proto__' })).toEqual({ message: { has_permission: false } })
    expect(
      await manager.app.call().get('frappe.client.get_doc_permissions', { doctype: 'Server', docname: server }),
    ).toMatchObject({ message: { permissions: { read: 1, write: 0, submit: 0 } } })
    expect(
      await owner.app
        .call()
        .get('frappe.client.validate_link', { doctype: 'Server', docname: server, fields: ['hostname'] }),
    ).toEqual({ message: { name: server, hostname: 'one.acme.test' } })
    expect(await owner.app.call().get('frappe.client.validate_link', { doctype: 'Server', docname: 'nope' })).toEqual({
      message: { name: null },
    })
  })

  it('refuses inside the organization with 403 and _error_message', async () => {
    const error = await sdkError(manager.app.db().updateDoc('Server', server, { hostname: 'mine.acme.test' }))
    expect(error).toMatchObject({ httpStatus: 403, exc_type: 'PermissionError', code: 'forbidden' })
    expect(error['_error_message']).toEqual(expect.any(String))
    expect(error['_server_messages']).toBeUndefined()
  })

  it('names the field and sends one message for each missing one', async () => {
    const error = await sdkError(owner.app.db().createDoc('Server', { organization: 'acme' }))
    expect(error).toMatchObject({ httpStatus: 417, exc_type: 'MandatoryError', field: 'hostname' })
    const messages = (JSON.parse(String(error['_server_messages'])) as string[]).map(
      (one) => JSON.parse(one) as { message: string },
    )
    expect(messages[0]?.message).toContain('Value missing for Server: Hostname')
    const taken = await sdkError(owner.app.db().createDoc('Organization', { title: 'Globex', slug: 'globex' }))
    expect(taken).toMatchObject({ httpStatus: 409, exc_type: 'DuplicateEntryError' })
  })

  it('says clearly what does not exist here', async () => {
    for (const method of ['rename_doc', 'submit', 'cancel', 'attach_file']) {
      expect(await sdkError(owner.app.call().post(`frappe.client.${method}`, {}))).toMatchObject({
        httpStatus: 417,
        code: 'unsupported',
      })
    }
    expect(await sdkError(owner.app.db().getSingleValue('Server', 'hostname'))).toMatchObject({
      httpStatus: 417,
      code: 'unsupported',
    })
    expect((await sdkError(owner.app.call().get('frappe.client.get_password', {}))).httpStatus).toBe(403)
  })
})

describe('run_doc_method', () => {
  const run = (browser: Browser, params: object) => browser.app.call().post('run_doc_method', params)

  it('runs a declared action on the stored document', async () => {
    const doc = await owner.app.db().getDoc('Server', server)
    const answer = (await run(owner, {
      docs: JSON.stringify({ ...doc, hostname: 'forged.acme.test', organization: 'globex' }),
      method: 'refresh_facts',
    })) as { docs: { hostname: string }[]; message: object }
    expect(answer.message).toMatchObject({ ran: 'refresh_facts', on: server })
    expect(answer.docs).toHaveLength(1)
    expect(answer.docs[0]?.hostname).toBe('one.acme.test')
    expect(await run(owner, { dt: 'Server', dn: server, method: 'refresh_facts' })).toMatchObject({
      message: { ran: 'refresh_facts' },
    })
    expect(await owner.app.call().post(`../resource/Server/${server}`, { run_method: 'refresh_facts' })).toMatchObject({
      data: { ran: 'refresh_facts' },
    })
  })

  it('refuses stale, undeclared and foreign', async () => {
    expect(
      await sdkError(
        run(owner, {
          docs: { doctype: 'Server', name: server, modified: '2001-01-01 00:00:00.000000' },
          method: 'refresh_facts',
        }),
      ),
    ).toMatchObject({ httpStatus: 417, exc_type: 'TimestampMismatchError' })
    for (const method of ['toString', '__proto__', 'constructor', 'hasOwnProperty', 'delete', 'nope']) {
      expect((await sdkError(run(owner, { dt: 'Server', dn: server, method }))).httpStatus).toBe(403)
    }
    expect((await sdkError(run(stranger, { dt: 'Server', dn: server, method: 'refresh_facts' }))).httpStatus).toBe(404)
    expect((await sdkError(run(owner, { method: 'refresh_facts' }))).httpStatus).toBe(417)
    expect(
      (await sdkError(run(owner, { dt: 'Server', dn: server, method: 'refresh_facts', args: [1] }))).httpStatus,
    ).toBe(417)
    expect((await body(owner, `/api/method/run_doc_method?dt=Server&dn=${server}&method=sync`)).status).toBe(403)
    expect((await body(owner, `/api/resource/Server/${server}?run_method=sync`)).status).toBe(403)
  })
})

describe('addresses and methods', () => {
  it('accepts v1, names with @ and spaces, and a slash at the end', async () => {
    expect((await body(owner, '/api/v1/resource/User/owner@acme.example')).body).toMatchObject({
      data: { name: 'owner@acme.example' },
    })
    expect(
      (await body(owner, '/api/resource/Organization%20Member/?filters=[["parent","=","acme"]]')).body['data'],
    ).toHaveLength(2)
    expect((await body(owner, '/api/v1/method/ping/')).body).toEqual({ message: 'pong' })
  })

  it('answers wrong verbs, unknown addresses and guests', async () => {
    const headers = { 'x-frappe-csrf-token': owner.csrfToken ?? '' }
    expect(await body(owner, '/api/resource/Server', { method: 'DELETE', headers })).toMatchObject({
      status: 405,
      body: { exc_type: 'MethodNotAllowed' },
    })
    expect((await body(owner, '/api/resource/Server', { method: 'PUT', headers })).headers.get('allow')).toBe(
      'GET, POST',
    )
    expect((await body(owner, '/api/method/frappe.client.delete?doctype=Server&name=x')).status).toBe(403)
    for (const path of ['/api', '/api/', '/api/v2/document/Server', '/api/resource', '/api/method']) {
      expect(await body(owner, path)).toMatchObject({ status: 404, body: { exc_type: 'PageDoesNotExistError' } })
    }
    const guest = booted.browser()
    expect((await body(guest, '/api/resource/Server')).status).toBe(403)
    expect((await body(guest, '/api/method/frappe.client.get_list?doctype=Server')).status).toBe(403)
    const unknown = await body(guest, '/api/method/no.such.method')
    const known = await body(guest, '/api/method/frappe.client.get_list')
    expect(JSON.stringify(unknown.body).replaceAll('no.such.method', 'X')).toBe(
      JSON.stringify(known.body).replaceAll('frappe.client.get_list', 'X'),
    )
    for (const doctype of ['__proto__', 'constructor', 'Nope'])
      expect((await body(owner, `/api/resource/${doctype}`)).status).toBe(404)
    for (const method of ['__proto__', 'constructor', 'toString'])
      expect((await body(owner, `/api/method/${method}`)).status).toBe(403)
  })

  it('takes methods by their last segment', async () => {
    expect((await body(owner, '/api/method/get_logged_user')).body).toEqual({ message: 'owner@acme.example' })
    expect((await body(owner, '/api/method/enabled_modules')).body).toEqual({ message: { ee: true, wpc: false } })
  })

  it('never lets answers be kept', async () => {
    const { headers } = await body(owner, '/api/resource/Server')
    expect(headers.get('cache-control')).toBe('no-store,no-cache,must-revalidate,max-age=0')
    expect(headers.get('content-type')).toContain('application/json')
    expect(headers.get('x-frappe-request-id')).toMatch(/^[\w-]{36}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
