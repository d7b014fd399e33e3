/** When a site's shares change, only the affected user is notified. */
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { shareHooks, sharingActions } from '#server/features/sites/site-sharing.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { createDialer, next, untilProcessed } from './socket-client.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SavedViewDoctype } from '#shared/doctypes/saved-view.ts'

const mia = 'mia@acme.example'
const others = ['owner@acme.example', 'manager@acme.example', 'bob@acme.example', 'owner@globex.example'] as const
const events = ['doc_update', 'list_update']

let booted: Booted
let owner: Browser
let member: Browser
let site: string
let server: string
const dialer = createDialer(() => booted)

const inSystem = <T>(fn: Parameters<typeof booted.documents.transaction<T>>[1]) =>
  booted.documents.transaction(booted.system, fn)

beforeAll(async () => {
  booted = await boot({ controllers: [shareHooks, sharingActions] })
  await booted.organization('acme', {
    'manager@acme.example': 'Organization Manager',
    [mia]: 'Organization User',
    'bob@acme.example': 'Organization User',
  })
  await booted.organization('globex')
  await inSystem((tx) => tx.update(OrganizationDoctype, 'acme', { plan: 'Enterprise' }))
  owner = await booted.signedIn('owner@acme.example')
  member = await booted.signedIn(mia)
})
beforeEach(async () => {
  await inSystem(async (tx) => {
    server = (await tx.insert(ServerDoctype, { organization: 'acme', hostname: `h${Math.random()}.test` })).name
    const values = { organization: 'acme', domain: `b${Math.random()}`, server, site_type: 'html', status: 'Live' }
    site = (await tx.insert('Site', values, { owner: 'owner@acme.example' })).name
  })
})
afterEach(() => dialer.closeAll())
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const action = (method: string, args: Record<string, unknown>) =>
  owner.app.call().post('run_doc_method', { dt: 'Site', dn: site, method, args: { user: mia, ...args } })

interface ReceivedEvent {
  event: string
  doctype: string
  name: string
}

/** Records the events a connection receives about this site and its server. */
function listen(socket: Socket): ReceivedEvent[] {
  const received: ReceivedEvent[] = []
  for (const event of events) {
    socket.on(event, ({ doctype, name }: ReceivedEvent) => {
      if (name === site || name === server) received.push({ event, doctype, name })
    })
  }
  return received
}

/** All other users, subscribed to their lists and, if allowed, to the site; each gets a final marker at the end. */
async function subscribeOthers(): Promise<{ received: ReceivedEvent[]; done: () => Promise<unknown> }> {
  const sockets = await Promise.all(others.map(async (one) => dialer.connected(await booted.signedIn(one))))
  const logs = sockets.map((socket) => listen(socket))
  for (const socket of sockets) {
    socket.emit('doctype_subscribe', 'Site')
    socket.emit('doctype_subscribe', 'Server')
    socket.emit('doc_subscribe', 'Site', site)
    await untilProcessed(socket)
  }
  const all: ReceivedEvent[] = []
  return {
    received: all,
    async done() {
      const markers = sockets.map((socket) => next(socket, 'test_marker'))
      for (const one of others) booted.wire.emitToUser(one, 'test_marker', {})
      await Promise.all(markers)
      all.push(...logs.flat())
    },
  }
}

it('a new share is announced to the user, who could not subscribe to it, with its server', async () => {
  const socket = await dialer.connected(member)
  // Like a page that was not allowed to open the site.
  socket.emit('doc_subscribe', 'Site', site)
  await untilProcessed(socket)
  const received = listen(socket)
  const rest = await subscribeOthers()
  await action('share', { read: 1 })
  await expect
    .poll(() => received.toSorted((a, b) => a.doctype.localeCompare(b.doctype) || a.event.localeCompare(b.event)))
    .toEqual([
      { event: 'doc_update', doctype: 'Server', name: server },
      { event: 'list_update', doctype: 'Server', name: server },
      { event: 'doc_update', doctype: 'Site', name: site },
      { event: 'list_update', doctype: 'Site', name: site },
    ])
  await rest.done()
  expect(rest.received).toEqual([])
})

it('so is another level, and the end of it', async () => {
  await action('share', { read: 1 })
  const first = await dialer.connected(member)
  const rest = await subscribeOthers()
  const more = [next(first, 'doc_update'), next(first, 'list_update')]
  await action('share', { write: 1 })
  expect(await Promise.all(more)).toEqual([
    { doctype: 'Site', name: site, modified: expect.any(String) as string },
    { doctype: 'Site', name: site, user: 'owner@acme.example' },
  ])
  // Users who lose access are disconnected and reconnect with what is left: expect either the event or a reload.
  const less = Promise.race([next(first, 'list_update'), next(first, 'connect')])
  const reported: string[] = []
  const stop = booted.documents.onEvent(({ only, doctype, name }) => {
    if (only === mia) reported.push(`${doctype} ${name}`)
  })
  await action('unshare', {})
  await less
  stop()
  expect(reported.toSorted()).toEqual([`Server ${server}`, `Site ${site}`])
  await rest.done()
  expect(rest.received).toEqual([])
})

it('users of another organization, or without read access, get no event', async () => {
  const emitEvent = (doctype: string, name: string, organization: string) =>
    inSystem(async (tx) => tx.emitEventTo(mia, doctype, { name, organization, modified: '2026-01-02 03:04:05.000000' }))
  const socket = await dialer.connected(member)
  const received: string[] = []
  const last = new Promise<void>((resolve) => {
    socket.on('doc_update', ({ name }: ReceivedEvent) => {
      received.push(name)
      if (name === 'last') resolve()
    })
  })
  await emitEvent('Site', 'elsewhere', 'globex')
  await emitEvent('Member Invite', 'for managers', 'acme')
  // Personal events are sent in order.
  await emitEvent('Site', 'last', 'acme')
  await last
  expect(received).toEqual(['last'])
})

it('a change for one user between read and subscription is reported to that user only', async () => {
  const sockets = [await dialer.connected(member), await dialer.connected(owner)]
  for (const socket of sockets) {
    socket.emit('doctype_subscribe', 'Saved View')
    await untilProcessed(socket)
  }
  await inSystem(async (tx) =>
    tx.emitEventTo(mia, SavedViewDoctype, {
      name: 'any',
      organization: 'acme',
      modified: '2026-01-02 03:04:05.000000',
    }),
  )
  const changed = await Promise.all(sockets.map((socket) => socket.emitWithAck('catch_up', 0) as Promise<string[]>))
  // A user who just joined the organization is also notified of that.
  const ofDocuments = changed.map((names) => names.filter((name) => !name.startsWith('user:')))
  expect(ofDocuments).toEqual([['doctype:Saved View'], []])
})
