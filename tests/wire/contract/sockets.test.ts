/** Section 10 of the wire contract: the socket server, with the real socket.io-client. One case per row. */
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { createDialer, eventsDuring, next, outcome, untilProcessed } from '../sockets/socket-client.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let booted: Booted
let owner: Browser
let manager: Browser
let stranger: Browser
let server: string
const dialer = createDialer(() => booted)
const { dial, connected } = dialer
const people = { owner: 'owner@acme.example', manager: 'manager@acme.example', stranger: 'owner@globex.example' }

beforeAll(async () => {
  booted = await boot({ secondListener: true })
  await booted.organization('acme', { [people.manager]: 'Organization Manager' })
  await booted.organization('globex')
  owner = await booted.signedIn(people.owner)
  manager = await booted.signedIn(people.manager)
  stranger = await booted.signedIn(people.stranger)
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
const touch = () => inSystem((tx) => tx.update(ServerDoctype, server, { processor: `p${Math.random()}` }))

describe('section 10: connecting', () => {
  it('Path and transports: /socket.io/, polling first, then websocket', async () => {
    const socket = dial(owner)
    expect(socket.io.engine.transport.name).toBe('polling')
    expect(await outcome(socket)).toBe('connected')
    await new Promise<void>((resolve) => {
      if (socket.io.engine.transport.name === 'websocket') resolve()
      else socket.io.engine.once('upgrade', () => resolve())
    })
    expect(socket.io.engine.transport.name).toBe('websocket')
    await untilProcessed(socket)
  })

  it('Namespace: the host of the address; any other is "Invalid namespace"', async () => {
    expect(await outcome(dial(owner, { namespace: '/localhost' }))).toBe('connected')
    for (const namespace of ['/', '/acme', '/globex.example', '/__proto__', '/localhost.evil.example'])
      expect([namespace, await outcome(dial(owner, { namespace }))]).toEqual([namespace, 'Invalid namespace'])
  })

  it('Namespace: the host of a request that names this machine otherwise', async () => {
    // The client's polling transport cannot send a host other than the one it connects to.
    const options = { headers: { host: 'dash.example' }, transports: ['websocket'] }
    expect(await outcome(dial(owner, { ...options, namespace: '/dash.example' }))).toBe('connected')
    expect(await outcome(dial(owner, { ...options, namespace: '/evil.example' }))).toBe('Invalid namespace')
  })

  it('Origin: ours exactly, or none; any other is "Invalid origin"', async () => {
    expect(await outcome(dial(owner, { headers: { origin: booted.url } }))).toBe('connected')
    for (const origin of ['https://evil.example', 'null', 'http://localhost', `${booted.url}0`])
      expect([origin, await outcome(dial(owner, { headers: { origin } }))]).toEqual([origin, 'Invalid origin'])
  })

  it('Auth: nothing, guests, and sessions that are over', async () => {
    expect(await outcome(dial(null))).toMatch(/^No authentication method used|^No cookie transmitted/)
    expect(await outcome(dial(null, { headers: { cookie: `sid=${'A'.repeat(43)}` } }))).toBe('Unauthorized')
    expect(await outcome(dial(null, { headers: { cookie: 'sid=Guest; user_id=Guest' } }))).toBe('Unauthorized')
    expect(await outcome(dial(null, { headers: { authorization: 'token a:b' } }))).toBe('Unauthorized')
    expect(await outcome(dial(owner, { headers: { authorization: 'Bearer wrong' } }))).toBe('Unauthorized')
  })

  it('Rooms on connect: that of the user, on every connection and on no other', async () => {
    const [one, two, other] = [await connected(owner), await connected(owner), await connected(manager)]
    const both = Promise.all([next(one, 'msgprint'), next(two, 'msgprint')])
    const payload = { message: 'Hello', title: 'T', indicator: 'green' }
    const events = await eventsDuring(booted, other, people.manager, 'msgprint', () =>
      Promise.resolve(booted.wire.emitToUser(people.owner, 'msgprint', payload)),
    )
    expect([await both, events]).toEqual([[payload, payload], []])
  })

  it('Session end: logout closes the connection, which is refused afterwards', async () => {
    const browser = await booted.signedIn(people.owner)
    const socket = await connected(browser)
    const connectError = new Promise<string>((resolve) => {
      socket.on('connect_error', (error) => resolve(error.message))
    })
    await browser.app.auth().logout()
    expect(await connectError).toBe('Unauthorized')
  })

  it('Second port: the same sockets, nothing else, other origins by CORS for ours only', async () => {
    const port = booted.socketioPort ?? 0
    await untilProcessed(await connected(owner, { port, headers: { origin: booted.url } }))
    expect((await fetch(`http://localhost:${port}/api/method/ping`)).status).toBe(404)
    expect(await outcome(dial(owner, { port, headers: { origin: 'https://evil.example' } }))).toBe('Invalid origin')
  })

  it('Second port: a demo goes on without it if another one has it', async () => {
    const env = { SOCKETIO_PORT: String(booted.socketioPort) }
    const other = await boot({ env, secondPortIsOptional: true })
    expect(other.socketioPort).toBeNull()
    expect(other.logged).toEqual([expect.stringContaining('Unmodified Frappe clients cannot connect')])
    expect((await fetch(`${other.url}/api/method/ping`)).status).toBe(200)
    await other.close()
  })

  it('Second port: 9000, the default of stock clients, where it is free', async ({ skip }) => {
    if (!(await isFree(9000))) skip()
    const other = await boot({ env: { SOCKETIO_PORT: '9000' } })
    try {
      await other.person('ann@example.com')
      const browser = await other.signedIn('ann@example.com')
      expect(await outcome(dial(browser, { port: 9000 }))).toBe('connected')
    } finally {
      dialer.closeAll()
      await other.close()
    }
  })
})

describe('section 10: what clients send', () => {
  it('doctype_subscribe, doctype_unsubscribe: list_update inside the organization', async () => {
    const [own, foreign] = [await connected(manager), await connected(stranger)]
    for (const socket of [own, foreign]) {
      socket.emit('doctype_subscribe', 'Server')
      await untilProcessed(socket)
    }
    const update = next(own, 'list_update')
    expect(await eventsDuring(booted, foreign, people.stranger, 'list_update', touch)).toEqual([])
    expect(await update).toEqual({ doctype: 'Server', name: server, user: 'System' })
    own.emit('doctype_unsubscribe', 'Server')
    await untilProcessed(own)
    expect(await eventsDuring(booted, own, people.manager, 'list_update', touch)).toEqual([])
  })

  it('doc_subscribe, doc_unsubscribe: doc_update, for who may read the document', async () => {
    const [own, foreign] = [await connected(manager), await connected(stranger)]
    for (const socket of [own, foreign]) {
      socket.emit('doc_subscribe', 'Server', server)
      await untilProcessed(socket)
    }
    const update = next(own, 'doc_update')
    let doc: { modified: string } | null = null
    expect(
      await eventsDuring(booted, foreign, people.stranger, 'doc_update', async () => (doc = await touch())),
    ).toEqual([])
    expect(await update).toEqual({
      doctype: 'Server',
      name: server,
      modified: (doc as { modified: string } | null)?.modified,
    })
    own.emit('doc_unsubscribe', 'Server', server)
    await untilProcessed(own)
    expect(await eventsDuring(booted, own, people.manager, 'doc_update', touch)).toEqual([])
  })

  it('doc_open, doc_close: who looks at a document', async () => {
    const [one, two] = [await connected(owner), await connected(manager)]
    one.emit('doc_open', 'Server', server)
    await untilProcessed(one)
    const seen = Promise.all([next(one, 'doc_viewers'), next(two, 'doc_viewers')])
    two.emit('doc_open', 'Server', server)
    for (const payload of await seen) {
      expect(payload).toMatchObject({ doctype: 'Server', docname: server })
      expect((payload['users'] as string[]).toSorted()).toEqual([people.manager, people.owner])
    }
    const left = next(one, 'doc_viewers')
    two.emit('doc_close', 'Server', server)
    expect(await left).toEqual({ doctype: 'Server', docname: server, users: [people.owner] })
  })

  it('task_subscribe, progress_subscribe, task_unsubscribe: a job of the own organization', async () => {
    const job = await inSystem((tx) =>
      tx.insert(JobDoctype, { organization: 'acme', job_type: 'test', label: 'Create blog', status: 'Running' }),
    )
    for (const event of ['task_subscribe', 'progress_subscribe']) {
      const [own, foreign] = [await connected(owner), await connected(stranger)]
      for (const socket of [own, foreign]) {
        socket.emit(event, job.name)
        await untilProcessed(socket)
      }
      const steps = [
        { key: 'a', label: 'Copy files', status: 'Running', started: null, ended: null, percent: 10, weight: 1 },
      ]
      const percent = event === 'task_subscribe' ? 40 : 60
      const arrived = Promise.all([next(own, 'progress'), next(own, 'task_progress')])
      const advance = () => inSystem((tx) => tx.update('Job', job.name, { percent, steps }))
      expect(await eventsDuring(booted, foreign, people.stranger, 'progress', advance)).toEqual([])
      const [progress, task] = await arrived
      expect(progress).toEqual({ task_id: job.name, percent, title: 'Create blog', description: 'Copy files' })
      expect(task).toMatchObject({ task_id: job.name, percent, status: 'Running' })
      own.emit('task_unsubscribe', job.name)
      await untilProcessed(own)
      const again = () => inSystem((tx) => tx.update(JobDoctype, job.name, { percent: percent + 1 }))
      expect(await eventsDuring(booted, own, people.owner, 'progress', again)).toEqual([])
      dialer.closeAll()
    }
  })

  it('ping: pong', async () => {
    await untilProcessed(await connected(owner))
  })

  it('refusals and nonsense are silent: no error, no room', async () => {
    const socket = await connected(stranger)
    for (const args of [
      ['Server', server],
      ['Server', 'nope'],
      ['__proto__', 'x'],
      [['Server'], server],
      [{ a: 1 }, 5],
      ['Server'],
      [],
      ['Server', '\0'],
    ])
      for (const event of [
        'doc_subscribe',
        'doc_open',
        'doctype_subscribe',
        'task_subscribe',
        'doc_close',
        'no_such_event',
      ])
        socket.emit(event, ...args)
    await untilProcessed(socket)
    expect(await eventsDuring(booted, socket, people.stranger, 'doc_update', touch)).toEqual([])
    expect(socket.connected).toBe(true)
  })
})

describe('section 10: what the server sends', () => {
  it('list_update: at insert, save and deletion, after commit', async () => {
    const socket = await connected(owner)
    socket.emit('doctype_subscribe', 'Server')
    await untilProcessed(socket)
    const events = await eventsDuring(booted, socket, people.owner, 'list_update', async () => {
      const { name } = await owner.app.db().createDoc('Server', { hostname: 'two.acme.test', organization: 'acme' })
      await owner.app.db().updateDoc('Server', name, { server_category: 'production' })
      await owner.app.db().deleteDoc('Server', name)
      await inSystem(async (tx) => {
        await tx.update(ServerDoctype, server, { processor: 'rolled back' })
        throw new Error('no')
      }).catch(() => undefined)
    })
    expect(events).toHaveLength(3)
    for (const event of events) expect(event).toMatchObject({ doctype: 'Server', user: people.owner })
  })

  it('doc_viewers: not sent to a user who is alone; also sent when the other one disconnects', async () => {
    const [one, two] = [await connected(owner), await connected(manager)]
    const alone = await eventsDuring(booted, one, people.owner, 'doc_viewers', async () => {
      one.emit('doc_open', 'Server', server)
      await untilProcessed(one)
    })
    expect(alone).toEqual([])
    const both = next(one, 'doc_viewers')
    two.emit('doc_open', 'Server', server)
    await both
    const left = next(one, 'doc_viewers')
    two.close()
    expect(await left).toEqual({ doctype: 'Server', docname: server, users: [people.owner] })
  })
})

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
