import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ask } from '../raw.ts'
import { createDialer, next, outcome, untilProcessed } from './socket-client.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let member: Browser
let stranger: Browser
let server: string
const dialer = createDialer(() => booted)
const { dial, connected } = dialer

beforeAll(async () => {
  booted = await boot({ secondListener: true })
  await booted.organization('acme', {
    'manager@acme.example': 'Organization Manager',
    'member@acme.example': 'Organization User',
  })
  await booted.organization('globex')
  owner = await booted.signedIn('owner@acme.example')
  manager = await booted.signedIn('manager@acme.example')
  member = await booted.signedIn('member@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
  await inSystem((tx) => tx.update(OrganizationDoctype, 'acme', { plan: 'Enterprise' }))
  server = await inSystem((tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname: 'one.acme.test', server_category: 'production' }),
  ).then((doc) => doc.name)
})
afterEach(() => dialer.closeAll())
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const inSystem = <T>(fn: Parameters<typeof booted.documents.transaction<T>>[1]) =>
  booted.documents.transaction(booted.system, fn)

/** The events received until the socket also gets a later marker. */
async function eventsDuring(socket: Socket, event: string, act: () => Promise<unknown>): Promise<unknown[]> {
  const events: unknown[] = []
  const note = (payload: unknown) => events.push(payload)
  socket.on(event, note)
  const marker = next(socket, 'test_marker')
  await act()
  // The store's events are sent before the transaction's promise resolves, so the marker on the same connection arrives
  // after them.
  for (const user of ['owner@acme.example', 'manager@acme.example', 'member@acme.example', 'owner@globex.example'])
    booted.wire.emitToUser(user, 'test_marker', {})
  await marker
  socket.off(event, note)
  return events
}

const touch = (name: string) => inSystem((tx) => tx.update(ServerDoctype, name, { processor: `p${Math.random()}` }))

describe('connecting', () => {
  it('accepts the cookie over polling and over websocket', async () => {
    await connected(owner)
    await connected(owner, { transports: ['websocket'] })
    await connected(owner, { headers: { origin: booted.url } })
  })

  it('has 200 of strangers at most, whatever they say who they are, and 200 of one person', async () => {
    const { port, wire } = await booted.another()
    const path = '/socket.io/?EIO=4&transport=polling'
    const strangers: Record<string, string>[] = [
      {},
      { cookie: `sid=${'A'.repeat(43)}` },
      { cookie: 'sid=x' },
      { authorization: 'token a:b' },
    ]
    const begin = async (count: number, headersAt: (at: number) => Record<string, string>) => {
      const bodies: string[] = []
      for (let at = 0; at < count; at += 1) {
        const { status, body } = await ask(port, { path, headers: headersAt(at) })
        bodies.push(status === 200 ? body : String(status))
      }
      return bodies
    }
    const begun = await begin(210, (at) => strangers[at % strangers.length] ?? {})
    expect(begun.map((body) => body === '403')).toEqual([...Array<boolean>(200).fill(false), ...Array(10).fill(true)])
    expect((await connected(owner, { port })).connected).toBe(true)
    // A closed connection frees its slot.
    const { sid } = JSON.parse(begun[0]?.slice(1) ?? '') as { sid: string }
    await ask(port, { path: `${path}&sid=${sid}`, method: 'POST', body: '1' })
    expect((await begin(2, () => ({}))).map((body) => body === '403')).toEqual([false, true])
    const many = await begin(201, () => ({ cookie: manager.cookieHeader() }))
    expect(many.filter((body) => body === '403')).toHaveLength(1)
    expect((await connected(member, { port })).connected).toBe(true)
    await wire.close()
  })

  it('refuses foreign origins, foreign namespaces, guests and dead sessions with their own words', async () => {
    expect(await outcome(dial(owner, { headers: { origin: 'http://blog.localhost' } }))).toBe('Invalid origin')
    expect(await outcome(dial(owner, { headers: { origin: 'null' } }))).toBe('Invalid origin')
    expect(await outcome(dial(owner, { namespace: '/other.example' }))).toBe('Invalid namespace')
    expect(await outcome(dial(owner, { namespace: '/' }))).toBe('Invalid namespace')
    expect(await outcome(dial(null))).toMatch(/^No authentication method used/)
    expect(await outcome(dial(null, { headers: { cookie: `sid=${'A'.repeat(43)}` } }))).toBe('Unauthorized')
    expect(await outcome(dial(null, { headers: { cookie: 'sid=Guest; user_id=Guest' } }))).toBe('Unauthorized')
    expect(await outcome(dial(null, { headers: { authorization: 'token a:b' } }))).toBe('Unauthorized')
  })

  it('answers on the second port with nothing but sockets', async () => {
    const port = booted.socketioPort ?? 0
    const socket = await connected(owner, { port, headers: { origin: booted.url } })
    await untilProcessed(socket)
    const base = `http://localhost:${port}`
    expect((await fetch(`${base}/api/method/ping`)).status).toBe(404)
    const polling = '/socket.io/?EIO=4&transport=polling'
    const own = await fetch(base + polling, { headers: { origin: booted.url } })
    expect(own.headers.get('access-control-allow-origin')).toBe(booted.url)
    expect(own.headers.get('access-control-allow-credentials')).toBe('true')
    const foreign = await fetch(base + polling, { headers: { origin: 'https://evil.example' } })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    const preflight = await fetch(base + polling, {
      method: 'OPTIONS',
      headers: { origin: booted.url, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, booted.url])
    expect(
      (await fetch(booted.url + polling, { headers: { origin: booted.url } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull()
  })

  it('sends to every connection of a user and to nobody else', async () => {
    const [first, second, other] = [await connected(owner), await connected(owner), await connected(manager)]
    const got = Promise.all([next(first, 'msgprint'), next(second, 'msgprint')])
    const events = eventsDuring(other, 'msgprint', async () =>
      Promise.resolve(booted.wire.emitToUser('owner@acme.example', 'msgprint', { message: 'hello' })),
    )
    expect(await got).toEqual([{ message: 'hello' }, { message: 'hello' }])
    expect(await events).toEqual([])
  })
})

describe('documents', () => {
  it('tells readers of a document about each save, and stops on request', async () => {
    const socket = await connected(owner)
    socket.emit('doc_subscribe', 'Server', server)
    await untilProcessed(socket)
    const update = next(socket, 'doc_update')
    const doc = await touch(server)
    expect(await update).toEqual({ doctype: 'Server', name: server, modified: doc.modified })
    socket.emit('doc_unsubscribe', 'Server', server)
    await untilProcessed(socket)
    expect(await eventsDuring(socket, 'doc_update', () => touch(server))).toEqual([])
  })

  it('answers a ping after the subscriptions before it: from then on no event is missed or sent twice', async () => {
    const doc = await touch(server)
    const socket = await connected(owner)
    const updates: unknown[] = []
    socket.on('doc_update', (update) => updates.push(update))
    const pong = next(socket, 'pong')
    socket.emit('doc_subscribe', 'Server', doc.name)
    socket.emit('ping')
    await pong
    expect(updates).toEqual([])
    const update = next(socket, 'doc_update')
    await touch(server)
    await update
    expect(updates).toHaveLength(1)
  })

  it('reports changes between reading and subscribing, only in rooms the client joined', async () => {
    const socket = await connected(owner)
    socket.emit('doc_subscribe', 'Server', server)
    socket.emit('doctype_subscribe', 'Server')
    await untilProcessed(socket)
    await touch(server)
    const changed = (await socket.emitWithAck('catch_up', 0)) as string[]
    expect(changed.toSorted()).toEqual([`doc:Server/${server}`, 'doctype:Server'].toSorted())
    const other = await connected(owner)
    expect(await other.emitWithAck('catch_up', 0)).toEqual([])
    expect(await socket.emitWithAck('catch_up', 1e9)).toBeNull()
    socket.emit('catch_up', 'soon', 1)
    socket.emit('catch_up')
    await untilProcessed(socket)
  })

  it('refuses silently who may not read it', async () => {
    for (const browser of [stranger, member]) {
      const socket = await connected(browser)
      socket.emit('doc_subscribe', 'Server', server)
      socket.emit('doc_subscribe', 'Server', 'nope')
      socket.emit('doc_subscribe', '__proto__', 'x')
      socket.emit('doc_subscribe', { doctype: 'Server' }, [server])
      socket.emit('doc_subscribe', 'Server')
      socket.emit('doc_subscribe')
      socket.emit('no_such_event', 1)
      await untilProcessed(socket)
      expect(await eventsDuring(socket, 'doc_update', () => touch(server))).toEqual([])
    }
  })

  it('keeps list events inside the organization', async () => {
    const [own, foreign] = [await connected(manager), await connected(stranger)]
    for (const socket of [own, foreign]) {
      socket.emit('doctype_subscribe', 'Server')
      await untilProcessed(socket)
    }
    const update = next(own, 'list_update')
    const events = await eventsDuring(foreign, 'list_update', () => touch(server))
    expect(await update).toEqual({ doctype: 'Server', name: server, user: 'System' })
    expect(events).toEqual([])
    own.emit('doctype_unsubscribe', 'Server')
    await untilProcessed(own)
    expect(await eventsDuring(own, 'list_update', () => touch(server))).toEqual([])
  })

  it('notifies all members of an organization when a user joins or leaves, whatever their role', async () => {
    const sockets = [await connected(owner), await connected(member)]
    for (const socket of sockets) {
      socket.emit('doctype_subscribe', 'User')
      await untilProcessed(socket)
    }
    const all = () => Promise.all(sockets.map((socket) => next(socket, 'list_update')))
    const joined = all()
    const row = await inSystem((tx) =>
      tx.insert(OrganizationMemberDoctype, {
        parent: 'acme',
        parenttype: 'Organization',
        parentfield: 'members',
        user: 'owner@globex.example',
        organization_role: 'Organization User',
      }),
    )
    const update = { doctype: 'User', name: 'owner@globex.example' }
    expect(await joined).toMatchObject([update, update])
    const left = all()
    await inSystem((tx) => tx.delete(OrganizationMemberDoctype, row.name))
    expect(await left).toMatchObject([update, update])
  })

  it('lists the viewers of an open document, except for a user who is alone', async () => {
    const [first, second] = [await connected(owner), await connected(manager)]
    const ownEvents = eventsDuring(first, 'doc_viewers', async () => {
      first.emit('doc_open', 'Server', server)
      await untilProcessed(first)
    })
    expect(await ownEvents).toEqual([])
    const both = [next(first, 'doc_viewers'), next(second, 'doc_viewers')]
    second.emit('doc_open', 'Server', server)
    for (const seen of await Promise.all(both)) {
      expect(seen).toEqual({
        doctype: 'Server',
        docname: server,
        users: expect.arrayContaining(['owner@acme.example', 'manager@acme.example']) as unknown,
      })
    }
    const left = next(first, 'doc_viewers')
    second.emit('doc_close', 'Server', server)
    expect(await left).toMatchObject({ users: ['owner@acme.example'] })
    const again = next(first, 'doc_viewers')
    second.emit('doc_open', 'Server', server)
    await again
    const remaining = next(first, 'doc_viewers')
    second.close()
    expect(await remaining).toMatchObject({ users: ['owner@acme.example'] })
  })

  it('ends at 200 subscriptions', async () => {
    const names = await inSystem(async (tx) => {
      const made: string[] = []
      for (let index = 0; index < 205; index += 1) {
        const values = { organization: 'acme', hostname: `s${index}.acme.test` }
        made.push((await tx.insert(ServerDoctype, values, { activity: false })).name)
      }
      return made
    })
    const socket = await connected(owner)
    for (const name of names) socket.emit('doc_subscribe', 'Server', name)
    await untilProcessed(socket)
    const [first = '', last = ''] = [names.at(0), names.at(-1)]
    const events = await eventsDuring(socket, 'doc_update', async () => {
      await touch(first)
      await touch(last)
    })
    expect(events).toMatchObject([{ name: first }])
  })

  it('drops a connection that sends more than 64 KiB at once', async () => {
    const socket = await connected(owner, { transports: ['websocket'] })
    const left = next<string>(socket, 'disconnect')
    socket.emit('doc_subscribe', 'Server', 'x'.repeat(70 * 1024))
    expect(await left).toMatch(/transport/)
  })
})

describe('ends of sessions', () => {
  it('closes sockets at logout and refuses them afterwards', async () => {
    const browser = await booted.signedIn('owner@acme.example')
    const [socket, kept] = [await connected(browser), await connected(owner)]
    const connectError = new Promise<string>((resolve) => {
      socket.once('connect_error', (error) => resolve(error.message))
    })
    await browser.app.auth().logout()
    expect(await connectError).toBe('Unauthorized')
    await untilProcessed(kept)
  })

  it('takes the rooms of an organization from who lost it', async () => {
    const socket = await connected(manager)
    socket.emit('doc_subscribe', 'Server', server)
    socket.emit('doctype_subscribe', 'Server')
    await untilProcessed(socket)
    const back = next(socket, 'connect')
    await inSystem(async (tx) => {
      const [row] = await tx.list(OrganizationMemberDoctype, [['user', '=', 'manager@acme.example']])
      await tx.delete(OrganizationMemberDoctype, row?.name ?? '')
    })
    await back
    socket.emit('doc_subscribe', 'Server', server)
    socket.emit('doctype_subscribe', 'Server')
    await untilProcessed(socket)
    expect(await eventsDuring(socket, 'doc_update', () => touch(server))).toEqual([])
    expect(await eventsDuring(socket, 'list_update', () => touch(server))).toEqual([])
  })
})
