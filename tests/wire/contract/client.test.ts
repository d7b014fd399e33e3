/** Section 6 of the wire contract: `frappe.client.*`. One case per row, using the SDK where it has the call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'

let booted: Acme['booted']
let owner: Browser
let manager: Browser
let stranger: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, manager, stranger, server } = await bootAcme())
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

type MethodResponse = { message: Record<string, unknown> }
const get = (method: string, params: object, browser = owner) =>
  browser.app.call().get<MethodResponse>(`frappe.client.${method}`, params)
const post = (method: string, params: object, browser = owner) =>
  browser.app.call().post<MethodResponse>(`frappe.client.${method}`, params)
const newServer = (hostname: string, more: object = {}) => ({
  doctype: 'Server',
  hostname,
  organization: 'acme',
  ...more,
})
const hosts = async (like: string) => owner.app.db().getCount('Server', [['hostname', 'like', like]])

describe('section 6: reading', () => {
  it('get_list: as the resource list, 20 rows by default', async () => {
    const params = {
      doctype: 'Server',
      fields: JSON.stringify(['status', 'count(name) as n']),
      group_by: 'status',
      order_by: 'status',
      limit_start: 0,
      limit_page_length: 20,
    }
    expect(await get('get_list', params)).toEqual({
      message: [
        { status: 'Degraded', n: 2 },
        { status: 'Healthy', n: 1 },
      ],
    })
    expect(
      (await get('get_list', { doctype: 'Server', as_dict: 0, fields: '["status"]', filters: '{"status":"Healthy"}' }))
        .message,
    ).toEqual([['Healthy']])
  })

  it('get_count: a number, counted with the rights of the caller', async () => {
    expect(await owner.app.db().getCount('Server')).toBe(3)
    expect(await owner.app.db().getCount('Server', [['status', '=', 'Healthy']])).toBe(1)
    expect(await owner.app.db().getCount('Server', [], true)).toBe(3)
    expect(await stranger.app.db().getCount('Server')).toBe(0)
  })

  it('get: by name or filters, nulls included; none is 404', async () => {
    expect((await get('get', { doctype: 'Server', name: server })).message).toMatchObject({
      hostname: 'one.acme.test',
      processor: null,
    })
    expect((await get('get', { doctype: 'Server', filters: { status: 'Healthy' } })).message['name']).toBe(server)
    expect(await sdkError(get('get', { doctype: 'Server', filters: '{"status":"Failed"}' }))).toMatchObject({
      httpStatus: 404,
      exc_type: 'DoesNotExistError',
    })
    expect((await sdkError(get('get', { doctype: 'Server', name: server }, stranger))).httpStatus).toBe(404)
  })

  it('get_value: fields of the first match, {} without one, bare values without as_dict, 403 without the right', async () => {
    const db = owner.app.db()
    expect(await db.getValue('Server', 'hostname', [['name', '=', server]])).toEqual({
      message: { hostname: 'one.acme.test' },
    })
    expect(await get('get_value', { doctype: 'Server', fieldname: '["hostname","status"]', filters: server })).toEqual({
      message: { hostname: 'one.acme.test', status: 'Healthy' },
    })
    for (const fieldname of [{}, { fieldname: '' }]) {
      const error = await sdkError(get('get_value', { doctype: 'Server', filters: server, ...fieldname }))
      expect(error).toMatchObject({ httpStatus: 417, field: 'fieldname' })
    }
    expect(await get('get_value', { doctype: 'Server', fieldname: '[]', filters: server })).toEqual({
      message: { name: server },
    })
    expect(await db.getValue('Server', 'hostname', [['name', '=', 'nope']])).toEqual({ message: {} })
    expect(await db.getValue('Server', 'hostname', [['name', '=', server]], false)).toEqual({
      message: 'one.acme.test',
    })
    expect(
      await get('get_value', {
        doctype: 'Server',
        fieldname: '["hostname","status"]',
        filters: server,
        as_dict: 'false',
      }),
    ).toEqual({
      message: ['one.acme.test', 'Healthy'],
    })
    expect(
      (await sdkError(get('get_value', { doctype: 'Server', fieldname: 'hostname' }, booted.browser()))).httpStatus,
    ).toBe(403)
    expect((await sdkError(db.getValue('Server', 'nope'))).exc_type).toBe('DataError')
  })

  it('get_single_value: of the one document the caller has', async () => {
    expect(await owner.app.db().getSingleValue('Organization', 'title')).toEqual({ message: 'acme' })
    expect(await sdkError(owner.app.db().getSingleValue('Server', 'hostname'))).toMatchObject({
      httpStatus: 417,
      code: 'unsupported',
    })
    await owner.app.db().updateDoc('Organization', 'acme', { hcloud_token: 'a-token' })
    expect(await owner.app.db().getSingleValue('Organization', 'hcloud_token')).toEqual({})
  })

  it('has_permission, get_doc_permissions: bits of the caller, none on what is foreign or missing', async () => {
    const may = async (browser: Browser, perm_type: string, docname = server) =>
      (await get('has_permission', { doctype: 'Server', docname, perm_type }, browser)).message
    expect(await may(owner, 'write')).toEqual({ has_permission: true })
    expect(await may(manager, 'write')).toEqual({ has_permission: false })
    expect(await may(stranger, 'read')).toEqual(await may(stranger, 'read', 'nope'))
    // Without a document: like the list.
    expect((await get('has_permission', { doctype: 'SSH Key' }, manager)).message).toEqual({ has_permission: true })
    expect((await get('has_permission', { doctype: 'Site Quota' }, manager)).message).toEqual({ has_permission: false })
    expect((await get('get_doc_permissions', { doctype: 'Server', docname: server }, manager)).message).toEqual({
      permissions: { read: 1, write: 0, create: 0, delete: 0, share: 0, submit: 0 },
    })
  })

  it('get_password: absent', async () => {
    expect(
      (await sdkError(post('get_password', { doctype: 'Organization', name: 'acme', fieldname: 'hcloud_token' })))
        .httpStatus,
    ).toBe(403)
  })

  it('validate_link: name and fields; name null when missing or foreign', async () => {
    const link = { doctype: 'Server', docname: server, fields: JSON.stringify(['hostname']) }
    expect(await get('validate_link', link)).toEqual({ message: { name: server, hostname: 'one.acme.test' } })
    expect(await get('validate_link', { ...link, docname: 'nope' })).toEqual({ message: { name: null } })
    expect(await get('validate_link', link, stranger)).toEqual({ message: { name: null } })
  })

  it('SDK: getLastDoc is the newest, {} without any', async () => {
    const newest = await owner.app.db().getDocList('Server', { limit: 1 })
    expect(await owner.app.db().getLastDoc('Server')).toMatchObject(newest[0] as object)
    expect(await stranger.app.db().getLastDoc('Server')).toEqual({})
  })
})

describe('section 6: writing', () => {
  it('set_value: one field, or several as object and as JSON; the whole document back', async () => {
    const db = owner.app.db()
    expect(await db.setValue('Server', server, 'server_category', 'development')).toMatchObject({
      message: { name: server, server_category: 'development' },
    })
    expect(await db.setValue('Server', server, { server_category: 'production' })).toMatchObject({
      message: { server_category: 'production' },
    })
    const fieldname = JSON.stringify({ server_category: 'development' })
    expect(await post('set_value', { doctype: 'Server', name: server, fieldname })).toMatchObject({
      message: { server_category: 'development' },
    })
    expect(await sdkError(db.setValue('Server', server, 'creation', 'x'))).toMatchObject({ httpStatus: 417 })
  })

  it('insert, save: a document with its doctype; save looks at modified', async () => {
    const { message: made } = await post('insert', { doc: newServer('i.acme.test') })
    expect(
      (await post('save', { doc: JSON.stringify({ ...made, hostname: 'j.acme.test' }) })).message['hostname'],
    ).toBe('j.acme.test')
    expect(await sdkError(post('save', { doc: { ...made, hostname: 'k.acme.test' } }))).toMatchObject({
      httpStatus: 417,
      exc_type: 'TimestampMismatchError',
    })
    expect(await sdkError(post('insert', { doc: { hostname: 'x' } }))).toMatchObject({
      httpStatus: 417,
      field: 'doctype',
    })
    expect(await sdkError(post('insert', {}))).toMatchObject({ httpStatus: 417, field: 'doc' })
  })

  it('insert_many: a list of names, all or none, 200 at the most', async () => {
    const { message: names } = (await post('insert_many', {
      docs: [newServer('m1.acme.test'), newServer('m2.acme.test')],
    })) as unknown as { message: string[] }
    expect(names).toEqual([expect.any(String), expect.any(String)])
    expect(await hosts('m%.acme.test')).toBe(2)
    // The last one is rejected, each time for a different reason: none of the others may be stored.
    for (const [bad, status] of [
      [newServer('bad.acme.test', { server_category: 'nonsense' }), 417],
      [{ doctype: 'Server', organization: 'acme' }, 417],
      [newServer('n3.acme.test', { organization: 'globex' }), 403],
      [{ doctype: 'Nothing' }, 404],
      [{ hostname: 'x' }, 417],
    ] as const) {
      const docs = JSON.stringify([newServer('n1.acme.test'), newServer('n2.acme.test'), bad])
      expect((await sdkError(post('insert_many', { docs }))).httpStatus).toBe(status)
      expect(await hosts('n%.acme.test')).toBe(0)
    }
    const activities = await owner.app.db().getCount('Activity', [['reference_title', 'like', 'n%.acme.test']])
    expect(activities).toBe(0)
    const many = Array.from({ length: 201 }, (_, at) => newServer(`o${at}.acme.test`))
    expect((await sdkError(post('insert_many', { docs: many }))).httpStatus).toBe(417)
    expect((await sdkError(post('insert_many', { docs: [newServer('p.acme.test')] }, manager))).httpStatus).toBe(403)
  })

  it('delete: null by POST and DELETE', async () => {
    for (const verb of ['post', 'delete'] as const) {
      const { name } = await owner.app.db().createDoc('Server', newServer(`d-${verb}.acme.test`))
      expect(await owner.app.call()[verb]('frappe.client.delete', { doctype: 'Server', name })).toEqual({})
      expect(await hosts(`d-${verb}%`)).toBe(0)
    }
  })

  it('rename_doc, submit, cancel: a sentence why not, for who may write; for others as any other call', async () => {
    const calls = (browser: Browser, name: string) => {
      const db = browser.app.db()
      return [
        () => db.renameDoc('Server', name, 'other'),
        () => db.submit({ doctype: 'Server', name } as never),
        () => db.cancel('Server', name),
      ]
    }
    for (const call of calls(owner, server)) {
      const error = await sdkError(call())
      expect(error).toMatchObject({ httpStatus: 417, exc_type: 'ValidationError', code: 'unsupported' })
      expect(error.exception).toMatch(/never change|not submitted/)
    }
    for (const call of calls(manager, server)) expect((await sdkError(call())).httpStatus).toBe(403)
    for (const call of calls(stranger, server)) expect((await sdkError(call())).httpStatus).toBe(404)
    for (const call of calls(owner, 'nope')) expect((await sdkError(call())).httpStatus).toBe(404)
    expect(await sdkError(post('rename_doc', { doctype: 'Server' }))).toMatchObject({
      httpStatus: 417,
      field: 'old_name',
    })
    expect(await owner.app.db().getDoc('Server', server)).toMatchObject({ docstatus: 0 })
  })

  it('bulk_update: writes what it can, the others come back with the reason', async () => {
    const docs = [
      { doctype: 'Server', docname: server, server_category: 'production' },
      { doctype: 'Server', docname: 'nope', server_category: 'production' },
    ]
    const { message } = await post('bulk_update', { docs: JSON.stringify(docs) })
    expect(message).toEqual({ failed_docs: [{ doc: docs[1], exc: 'Server nope not found' }] })
    expect(await owner.app.db().getDoc('Server', server)).toMatchObject({ server_category: 'production' })
  })

  it('writing methods never by GET', async () => {
    for (const method of [
      'set_value',
      'insert',
      'insert_many',
      'save',
      'submit',
      'cancel',
      'rename_doc',
      'bulk_update',
      'delete',
    ])
      expect([method, (await sdkError(get(method, { doctype: 'Server', name: server }))).httpStatus]).toEqual([
        method,
        403,
      ])
  })
})
