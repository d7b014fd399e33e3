/** Section 2 of the wire contract: the shape of successful responses. One case per row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import type { Browser } from '../browser.ts'

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

const stamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/

describe('section 2: success', () => {
  it('Method: message holds what it returns; null leaves it out', async () => {
    expect((await body(owner, '/api/method/ping')).body).toEqual({ message: 'pong' })
    const path = `/api/method/frappe.client.get_value?doctype=Server&fieldname=processor&filters=${server}&as_dict=0`
    expect((await body(owner, path)).body).toEqual({})
  })

  it('Method: further keys at the top', async () => {
    const browser = booted.browser()
    const login = await browser.app
      .auth()
      .loginWithUsernamePassword({ username: 'owner@acme.example', password: 'Correct-Horse-42!' })
    expect(login).toMatchObject({ message: 'Logged In', home_page: '/web', full_name: 'Test Person' })
  })

  it('Resource: data holds a document or a list', async () => {
    expect(Object.keys((await body(owner, '/api/resource/Server')).body)).toEqual(['data'])
    expect(Object.keys((await body(owner, `/api/resource/Server/${server}`)).body)).toEqual(['data'])
  })

  it('Messages: any answer may carry notices', async () => {
    const { _server_messages: notices } = await owner.app
      .call()
      .post<{ _server_messages: string }>('switch_organization', { organization: 'acme' })
    const [first = ''] = JSON.parse(notices) as string[]
    expect(JSON.parse(first)).toMatchObject({ message: 'Already In The Selected Organization', indicator: 'blue' })
  })

  it('Doc: standard fields, numbers for checks, times without a zone, nulls left out', async () => {
    const doc = await owner.app.db().getDoc('Server', server)
    expect(doc).toMatchObject({
      doctype: 'Server',
      name: server,
      owner: 'System',
      modified_by: 'System',
      docstatus: 0,
      idx: 0,
    })
    expect(doc['creation']).toMatch(stamp)
    expect(doc['modified']).toMatch(stamp)
    expect(Object.values(doc)).not.toContain(null)
    const organization = await owner.app.db().getDoc('Organization', 'acme')
    expect([organization['enabled'], organization['module_wpc']]).toEqual([1, 0])
  })

  it('Doc: lists and get_value give null', async () => {
    expect(await owner.app.db().getDocList('Server', { fields: ['processor'], limit: 1 })).toEqual([
      { processor: null },
    ])
    expect(await owner.app.db().getValue('Server', ['processor'], server as never)).toEqual({
      message: { processor: null },
    })
  })

  it('Doc: child rows with their own standard fields, without nulls', async () => {
    const { members } = await owner.app.db().getDoc<{ members: Record<string, unknown>[] }>('Organization', 'acme')
    expect(members.find((row) => row['user'] === 'owner@acme.example')).toMatchObject({
      doctype: 'Organization Member',
      name: expect.any(String) as unknown,
      idx: expect.any(Number) as unknown,
      parent: 'acme',
      parentfield: 'members',
      parenttype: 'Organization',
      organization_role: 'Organization Admin',
    })
    for (const row of members) expect(Object.values(row)).not.toContain(null)
  })

  it('Doc: passwords are absent or asterisks', async () => {
    await owner.app.db().updateDoc('Organization', 'acme', { hcloud_token: 'very-secret-token' })
    const { body: answer } = await body(owner, '/api/resource/Organization/acme')
    expect(JSON.stringify(answer)).not.toContain('very-secret')
    expect((answer['data'] as Record<string, unknown>)['hcloud_token']).toMatch(/^\*+$/)
  })

  it('Headers: JSON, never kept, a number for the log, no foreign origins', async () => {
    const { headers } = await body(owner, '/api/resource/Server', { headers: { origin: 'https://evil.example' } })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('cache-control')).toBe('no-store,no-cache,must-revalidate,max-age=0')
    expect(headers.get('x-frappe-request-id')).toMatch(/^[\w-]{36}$/)
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})
