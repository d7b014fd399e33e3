/** Section 5 of the wire contract: `/api/resource`. One case per row and rule; filters have their own file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, makeSite, resourceCalls, type Acme } from '../acme.ts'
import type { Browser } from '../browser.ts'

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
const names = (count: number) => Array.from({ length: count }, () => ({ name: expect.any(String) as unknown }))

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
    // A linked colleague only has the fields visible to colleagues.
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

  it('PUT: a field that only the server sets is 403, an unchanged one is not', async () => {
    const { _owner: current } = (await owner.app.db().getDoc('Server', server)) as { _owner: string }
    expect((await send('PUT', `Server/${server}`, { _owner: current })).status).toBe(200)
    expect(await send('PUT', `Server/${server}`, { _owner: 'stranger@elsewhere.example' })).toMatchObject({
      status: 403,
      body: { exc_type: 'PermissionError', field: '_owner' },
    })
    expect((await send('PUT', 'Organization/acme', { new_owner: 'owner@acme.example' })).status).toBe(403)
  })

  it('PUT User: a new password is refused with the method that takes it; empty values of forms are not', async () => {
    const own = `User/${encodeURIComponent('owner@acme.example')}`
    expect((await send('PUT', own, { bio: 'Hello', new_password: '', logout_all_sessions: 0 })).status).toBe(200)
    const { status, body } = await send('PUT', own, { bio: 'Changed', new_password: 'Correct-Horse-43!' })
    expect([status, body['field']]).toEqual([417, 'new_password'])
    expect(String(body['exception'])).toContain('frappe.core.doctype.user.user.update_password')
    expect((await send('PUT', own, { logout_all_sessions: 1 })).body['field']).toBe('logout_all_sessions')
    expect(await owner.app.db().getDoc('User', 'owner@acme.example')).toMatchObject({ bio: 'Hello' })
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
