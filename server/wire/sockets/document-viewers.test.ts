import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { sessionOf } from '#tests/support/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { createDocumentViewers } from './document-viewers.ts'
import type { WireNamespace, WireSocket } from './socket-types.ts'

/** A connection that keeps the lists of viewers it was sent. */
class Connection extends EventEmitter {
  readonly rooms = new Set<string>()
  readonly received: string[][] = []
  readonly data: { session: Session }
  readonly id: string
  constructor(id: string) {
    super()
    this.id = id
    this.data = { session: sessionOf(id.replace(/\d$/, ''), 'acme') }
  }
  join = (room: string) => this.rooms.add(room)
  leave = (room: string) => this.rooms.delete(room)
  end(reason: string) {
    this.rooms.clear()
    this.emit('disconnect', reason)
  }
}

/** Viewers of one document. Queries for its readers wait until the test answers them. */
function setUp() {
  const connections: Connection[] = []
  const failures: unknown[] = []
  const queries: { users: string[]; allow: (isReader?: (user: string) => boolean) => void; fail: () => void }[] = []
  const within = (room: string) => connections.filter(({ rooms }) => rooms.has(room))
  const namespace = {
    in: (room: string) => ({ fetchSockets: () => Promise.resolve(within(room)) }),
    to: (room: string) => ({
      except: (ids: readonly string[]) => ({
        emit(_event: string, { users }: { users: string[] }) {
          for (const one of within(room)) if (!ids.includes(one.id)) one.received.push(users)
        },
      }),
    }),
  } as unknown as WireNamespace
  const viewers = createDocumentViewers(
    {
      readers: (sessions) =>
        new Promise((resolve, reject) => {
          queries.push({
            users: sessions.map(({ user }) => user),
            allow: (isReader = () => true) => resolve(new Set(sessions.filter(({ user }) => isReader(user)))),
            fail: () => reject(new Error('no database')),
          })
        }),
    },
    () => [namespace],
    (error) => failures.push(error),
  )
  const settle = () => new Promise(setImmediate)
  /** Answers pending queries until none is left. */
  const allowAll = async () => {
    for (await settle(); queries.length > 0; await settle()) for (const { allow } of queries.splice(0)) allow()
  }
  const as = (socket: Connection) => socket as unknown as WireSocket
  return {
    queries,
    failures,
    settle,
    allowAll,
    /** A new connection; the last character may number those of a user. */
    connect(id: string) {
      connections.push(new Connection(id))
      return connections.at(-1) as Connection
    },
    open: (socket: Connection) => viewers.open(as(socket), 'Site', 'a/b'),
    close: (socket: Connection) => viewers.close(as(socket), 'Site', 'a/b'),
    end(socket: Connection, reason: string) {
      viewers.leave(as(socket))
      socket.end(reason)
    },
  }
}

/** The same with connections that have the document open and have been sent nothing yet. */
async function setUpWith(...ids: readonly string[]) {
  const t = setUp()
  const sockets = ids.map((id) => t.connect(id))
  const opened = Promise.all(sockets.map((one) => t.open(one)))
  await t.allowAll()
  await opened
  for (const { received } of sockets) received.length = 0
  return { ...t, sockets: sockets as [Connection, Connection, Connection] }
}

test('who opens a document while a slow announcement runs is in the last list that everybody gets', async () => {
  const { queries, settle, allowAll, connect, open, sockets } = await setUpWith('zoe')
  const [ann, ben] = [connect('ann'), connect('ben')]
  const first = open(ann)
  await settle()
  const [slow] = queries.splice(0)
  const second = open(ben)
  await allowAll()
  slow?.allow()
  await allowAll()
  await Promise.all([first, second])
  for (const { received } of [...sockets, ann, ben]) expect(received.at(-1)).toEqual(['zoe', 'ann', 'ben'])
})

test('changes during an announcement become one more, and who is alone after several of them is told', async () => {
  const { queries, settle, allowAll, connect, open, close, sockets } = await setUpWith('ann1', 'ann2')
  const [ann, second] = sockets
  const ben = connect('ben')
  const done = [open(ben)]
  await settle()
  done.push(close(ben), close(second))
  await settle()
  expect(queries.map(({ users }) => users)).toEqual([['ann', 'ann', 'ben']])
  await allowAll()
  await Promise.all(done)
  expect(ann.received).toEqual([['ann', 'ben'], ['ann']])
})

test('the only viewer is told if somebody else can no longer read the document, but not of their own actions', async () => {
  const { queries, settle, connect, open, close, sockets } = await setUpWith('ann1', 'ben')
  const [ann, ben] = sockets
  const second = connect('ann2')
  const opened = open(second)
  await settle()
  queries.pop()?.allow((user) => user === 'ann')
  await opened
  expect([ann.received, ben.received, ben.rooms.size]).toEqual([[['ann']], [], 0])
  await close(second)
  expect([ann.received.length, queries.length]).toEqual([1, 0])
})

test('the viewers of a connection that ends are looked up, except at shutdown, when all of them end', async () => {
  const { queries, settle, end, sockets } = await setUpWith('ann', 'ben', 'cyd')
  const [ann, ben] = sockets
  end(ann, 'server shutting down')
  await settle()
  expect(queries).toEqual([])
  end(ben, 'transport close')
  await settle()
  expect(queries.map(({ users }) => users)).toEqual([['cyd']])
})

test('a failed announcement is reported and holds up no other', async () => {
  const { queries, failures, settle, allowAll, connect, open, sockets } = await setUpWith('ann')
  const [ben, cyd] = [connect('ben'), connect('cyd')]
  const done = [open(ben)]
  await settle()
  done.push(open(cyd))
  queries.pop()?.fail()
  await allowAll()
  await Promise.all(done)
  expect(failures).toHaveLength(1)
  expect(sockets[0].received).toEqual([['ann', 'ben', 'cyd']])
})
