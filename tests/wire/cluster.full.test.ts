import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from './booted.ts'
import type { Browser } from './browser.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

let booted: Booted
let other: Awaited<ReturnType<Booted['another']>>
let owner: Browser
let manager: Browser
const open: Socket[] = []

beforeAll(async () => {
  booted = await boot({ cluster: true })
  other = await booted.another()
  await booted.organization('acme', { 'manager@acme.example': 'Organization Manager' })
  owner = await booted.signedIn('owner@acme.example')
  manager = await booted.signedIn('manager@acme.example')
})
afterAll(async () => {
  for (const socket of open) socket.close()
  await other.wire.close()
  await booted.close()
  expect(booted.logged).toEqual([])
})

const dial = async (browser: Browser, port: number) => {
  const socket = io(`http://localhost:${port}/localhost`, {
    extraHeaders: { cookie: browser.cookieHeader() },
    forceNew: true,
  })
  open.push(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('connect_error', reject)
  })
  return socket
}
const next = (socket: Socket, event: string) =>
  new Promise<unknown>((resolve) => {
    socket.once(event, resolve)
  })

it('tells viewers and events of a user across processes, the document events once', async () => {
  const [here, there] = [await dial(owner, booted.port), await dial(manager, other.port)]
  here.emit('doc_open', 'Organization', 'acme')
  here.emit('ping')
  await next(here, 'pong')
  const seen = [next(here, 'doc_viewers'), next(there, 'doc_viewers')]
  there.emit('doc_open', 'Organization', 'acme')
  for (const viewers of await Promise.all(seen)) {
    expect(viewers).toEqual({
      doctype: 'Organization',
      docname: 'acme',
      users: expect.arrayContaining(['owner@acme.example', 'manager@acme.example']) as unknown,
    })
  }
  const left = next(here, 'doc_viewers')
  there.close()
  expect(await left).toMatchObject({ users: ['owner@acme.example'] })

  const back = await dial(manager, other.port)
  const note = next(back, 'msgprint')
  booted.wire.emitToUser('manager@acme.example', 'msgprint', 'hello')
  expect(await note).toBe('hello')

  const updates: unknown[] = []
  back.on('doc_update', (update) => updates.push(update))
  back.emit('doc_subscribe', 'Organization', 'acme')
  back.emit('ping')
  await next(back, 'pong')
  await booted.documents.transaction(booted.system, (tx) => tx.update(OrganizationDoctype, 'acme', { title: 'Acme 2' }))
  // Each process queries the readers for its own connections, so the other one is not awaited here.
  await expect.poll(() => updates).toHaveLength(1)
  const marker = next(back, 'msgprint')
  booted.wire.emitToUser('manager@acme.example', 'msgprint', 'after')
  await marker
  expect(updates).toHaveLength(1)
})
