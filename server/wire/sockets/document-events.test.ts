import { expect, test } from 'vitest'
import { sessionOf } from '#tests/support/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import { createEventQueue } from './document-events.ts'
import { rooms, type WireNamespace } from './socket-types.ts'

const event = (organization: string | null, name: string, user = 'ann@example.com'): DocumentEvent => ({
  kind: 'update',
  doctype: 'Site',
  name,
  organization,
  user,
  modified: '2026-01-01 00:00:00.000000',
})

/** One connection per organization, subscribed to its sites. Queries for readers wait until the test answers them. */
function setUp(organizations: (string | null)[] = ['acme', 'globex']) {
  const received: string[] = []
  const lost: (string | null)[] = []
  const checks: { event: string; allow: () => void }[] = []
  const sockets = new Map(
    organizations.map((organization) => {
      const session = sessionOf(`owner@${organization}.example`, organization)
      const emit = (_event: string, { name, user }: { name: string; user: string }) =>
        received.push(`${organization} ${name} ${user}`)
      return [String(organization), { data: { session }, emit, rooms: new Set([rooms.doctype(organization, 'Site')]) }]
    }),
  )
  const namespace = {
    sockets,
    adapter: { rooms: new Map(organizations.map((one) => [rooms.doctype(one, 'Site'), new Set([String(one)])])) },
  } as unknown as WireNamespace
  const queue = createEventQueue({
    documents: {
      readers: (sessions: readonly Session[], { organization, name }) =>
        new Promise((resolve) => {
          checks.push({ event: `${organization} ${name}`, allow: () => resolve(new Set(sessions)) })
        }),
    },
    namespaces: () => [namespace],
    lost: (organization) => lost.push(organization),
    failed: (error) => {
      throw error
    },
  })
  const settle = () => new Promise(setImmediate)
  /** Answers pending queries until none is left. */
  const allowAll = async () => {
    for (await settle(); checks.length > 0; await settle()) for (const { allow } of checks.splice(0)) allow()
  }
  return { queue, received, lost, checks, settle, allowAll }
}

test('events of one organization come in order and do not wait for those of another', async () => {
  const { queue, received, checks, settle, allowAll } = setUp()
  for (let at = 0; at < 100; at += 1) queue.publish(event('acme', `a${at}`))
  queue.publish(event('globex', 'g'))
  await settle()
  expect(checks.map((one) => one.event)).toEqual(['acme a0', 'globex g'])
  checks[1]?.allow()
  await settle()
  expect(received).toEqual(['globex g ann@example.com'])
  checks.splice(1, 1)
  await allowAll()
  expect(received.slice(1)).toEqual(Array.from({ length: 100 }, (_, at) => `acme a${at} ann@example.com`))
})

test('rows outside of organizations have an order of their own, and are sent to those who can read them', async () => {
  const { queue, received, checks, settle, allowAll } = setUp(['acme', null])
  for (const name of ['x', 'y']) queue.publish(event(null, name))
  queue.publish(event('acme', 'a'))
  await settle()
  expect([checks.map((one) => one.event), received]).toEqual([['null x', 'acme a'], []])
  await allowAll()
  expect(received).toEqual(['null x ann@example.com', 'acme a ann@example.com', 'null y ann@example.com'])
})

test('nobody else is asked about what only one person can read', async () => {
  const { queue, received, checks, settle, allowAll } = setUp()
  queue.publish({ ...event('acme', 'other'), reader: 'ann@example.com' })
  queue.publish({ ...event('acme', 'own'), reader: 'owner@acme.example' })
  await settle()
  expect(checks.map((one) => one.event)).toEqual(['acme own'])
  await allowAll()
  expect(received).toEqual(['acme own ann@example.com'])
})

test('handles four organizations concurrently, the others in order', async () => {
  const organizations = Array.from({ length: 6 }, (_, at) => `o${at}`)
  const { queue, received, checks, settle, allowAll } = setUp(organizations)
  for (const organization of organizations) for (const name of ['x', 'y']) queue.publish(event(organization, name))
  await settle()
  expect(checks.map((one) => one.event)).toEqual(['o0 x', 'o1 x', 'o2 x', 'o3 x'])
  for (const { allow } of checks.splice(0, 2)) allow()
  await settle()
  expect(checks.slice(2).map((one) => one.event)).toEqual(['o4 x', 'o5 x'])
  await allowAll()
  expect(received).toHaveLength(12)
})

test('an event is sent after all earlier ones, for any document', async () => {
  const { queue, checks, settle, allowAll } = setUp()
  for (const organization of ['acme', 'globex']) queue.publish(event(organization, 'x'))
  const done: string[] = []
  queue.after(() => done.push('first'))
  queue.publish(event('acme', 'y'))
  queue.after(() => done.push('second'))
  await settle()
  expect([checks.map((one) => one.event), done]).toEqual([['acme x', 'globex x'], []])
  for (const { allow } of checks.splice(0)) allow()
  await settle()
  expect(done).toEqual(['first'])
  await allowAll()
  expect(done).toEqual(['first', 'second'])
})

test('where much waits the events of one document become one, never those of documents of the same name elsewhere', async () => {
  const { queue, received, allowAll } = setUp()
  for (let at = 0; at < 600; at += 1) queue.publish(event('acme', `a${at}`))
  queue.publish(event('globex', 'a400', 'gina@example.com'))
  queue.publish(event('acme', 'a400', 'ben@example.com'))
  await allowAll()
  expect(received).toHaveLength(601)
  expect(received.filter((one) => one.includes(' a400 '))).toEqual(
    expect.arrayContaining(['globex a400 gina@example.com', 'acme a400 ben@example.com']),
  )
})

test('an organization has so much waiting and no more; the others lose nothing', async () => {
  const { queue, received, lost, allowAll } = setUp()
  queue.publish(event('globex', 'g'))
  for (let at = 0; at < 10_002; at += 1) queue.publish(event('acme', `a${at}`))
  expect(lost).toEqual(['acme'])
  await allowAll()
  expect(received.toSorted()).toEqual(
    ['a0', 'a10001'].map((name) => `acme ${name} ann@example.com`).concat('globex g ann@example.com'),
  )
})
