import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

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

  it('passes on the job a deletion starts', async () => {
    const site = await booted.documents.transaction(booted.system, (tx) =>
      tx.insert(SiteDoctype, { organization: 'acme', server, domain: 'gone', site_type: 'html' }),
    )
    expect(await owner.app.db().deleteDoc('Site', site.name)).toEqual({ data: 'ok', message: 'ok', job: 'job0000001' })
    expect(await owner.app.call().post('frappe.client.delete', { doctype: 'Site', name: site.name })).toEqual({
      job: 'job0000001',
    })
  })

  it('lets a verified person without an organization make the first one', async () => {
    await booted.person('new@example.com')
    const browser = await booted.signedIn('new@example.com')
    const made = await browser.app.db().createDoc('Organization', { title: 'New', slug: 'brand-new' })
    expect(made).toMatchObject({ name: 'brand-new', _owner: 'new@example.com' })
    expect(await browser.app.db().getDoc('Organization', 'brand-new')).toMatchObject({ title: 'New' })
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
    const db = owner.app.db()
    for (const call of [
      () => db.renameDoc('Server', server, 'other'),
      () => db.submit({ doctype: 'Server', name: server } as never),
      () => db.cancel('Server', server),
    ]) {
      expect(await sdkError(call())).toMatchObject({ httpStatus: 417, code: 'unsupported' })
    }
    expect(await sdkError(db.getSingleValue('Server', 'hostname'))).toMatchObject({
      httpStatus: 417,
      code: 'unsupported',
    })
    expect((await sdkError(owner.app.call().get('frappe.client.get_password', {}))).httpStatus).toBe(403)
  })
})
