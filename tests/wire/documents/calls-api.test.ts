import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import { sdkError, type Browser } from '../browser.ts'

let booted: Acme['booted']
let owner: Browser
let stranger: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, stranger, server } = await bootAcme())
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

describe('run_doc_method', () => {
  const run = (browser: Browser, params: object) => browser.app.call().post('run_doc_method', params)

  it('runs a declared action on the stored document', async () => {
    const doc = await owner.app.db().getDoc('Server', server)
    const response = (await run(owner, {
      docs: JSON.stringify({ ...doc, hostname: 'forged.acme.test', organization: 'globex' }),
      method: 'refresh_facts',
    })) as { docs: { hostname: string }[]; message: object }
    expect(response.message).toMatchObject({ ran: 'refresh_facts', on: server })
    expect(response.docs).toHaveLength(1)
    expect(response.docs[0]?.hostname).toBe('one.acme.test')
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
    ).toHaveLength(3)
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
