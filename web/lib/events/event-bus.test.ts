import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createEventBus, throttled, type EventBus } from './event-bus.ts'

/** Fake socket: records what was sent and lets the test emit server events. */
function fakeSocket() {
  const handlers = new Map<string, Set<(payload: never) => void>>()
  const sent: unknown[][] = []
  const acknowledgments: unknown[] = []
  return {
    connected: true,
    sent,
    on: (event: string, handler: (payload: never) => void) =>
      handlers.set(event, (handlers.get(event) ?? new Set()).add(handler)),
    off: (event: string, handler: (payload: never) => void) => handlers.get(event)?.delete(handler),
    emit: (...args: unknown[]) =>
      sent.push(args.filter((arg) => typeof arg !== 'function')) &&
      acknowledgments.push(...args.filter((arg) => typeof arg === 'function')),
    /** Acknowledges the oldest pending request. */
    acknowledge: (changed: string[] | null) => (acknowledgments.shift() as (changed: string[] | null) => void)(changed),
    serve(event: string, payload?: unknown) {
      for (const handler of handlers.get(event) ?? []) handler(payload as never)
    },
  }
}

let socket: ReturnType<typeof fakeSocket>
let bus: EventBus
let time: number
const rightsChanged = vi.fn()
beforeEach(() => {
  time = 1_000_000
  rightsChanged.mockClear()
  socket = fakeSocket()
  bus = createEventBus(socket, { since: time - 1000, changed: rightsChanged }, () => time)
})

describe('rooms', () => {
  test('the first listener joins, the last one leaves', () => {
    const first = bus.onDoc('Site', 'a', vi.fn())
    const second = bus.onDoc('Site', 'a', vi.fn())
    first()
    first()
    expect(socket.sent).toEqual([['doc_subscribe', 'Site', 'a']])
    second()
    expect(socket.sent).toEqual([
      ['doc_subscribe', 'Site', 'a'],
      ['doc_unsubscribe', 'Site', 'a'],
    ])
  })
  test('removing one listener does not affect the others', () => {
    const listener = vi.fn()
    bus.onDoc('Site', 'a', listener)
    bus.onDoc('Site', 'a', vi.fn())()
    socket.serve('doc_update', { doctype: 'Site', name: 'a', modified: 'x' })
    expect(listener).toHaveBeenCalledOnce()
  })
  test('only subscribers of the document are notified; lists get its name', () => {
    const [doc, list, other] = [vi.fn(), vi.fn(), vi.fn()]
    bus.onDoc('Site', 'b', doc)
    bus.onList('Site', list)
    bus.onList('Server', other)
    socket.serve('doc_update', { doctype: 'Site', name: 'a' })
    socket.serve('list_update', { doctype: 'Site', name: 'a' })
    expect(doc).not.toHaveBeenCalled()
    expect(other).not.toHaveBeenCalled()
    expect(list).toHaveBeenCalledExactlyOnceWith('a')
  })
})

describe('changes between the first read and the subscription', () => {
  test('are requested once connected, and only changes are reported', async () => {
    const [job, list, late] = [vi.fn(), vi.fn(), vi.fn()]
    bus.onDoc('Job', 'a', job)
    bus.onList('Job', list)
    await Promise.resolve()
    bus.onDoc('Job', 'b', late)
    await Promise.resolve()
    expect(socket.sent).toEqual([
      ['doc_subscribe', 'Job', 'a'],
      ['doctype_subscribe', 'Job'],
      ['catch_up', 0],
      ['doc_subscribe', 'Job', 'b'],
      ['catch_up', 0],
    ])
    socket.acknowledge(['doctype:Job', 'doc:Job/b'])
    expect([job.mock.calls.length, list.mock.calls.length, late.mock.calls.length]).toEqual([0, 1, 0])
    socket.acknowledge([])
    expect(late).not.toHaveBeenCalled()
  })
  test('are counted from the first listener, even before the connection exists', async () => {
    socket.connected = false
    bus.close()
    bus = createEventBus(socket, { since: time - 1000, changed: rightsChanged }, () => time)
    const listener = vi.fn()
    bus.onDoc('Job', 'a', listener)
    time += 1500
    bus.onDoc('Job', 'b', vi.fn())
    time += 500
    socket.serve('connect')
    await Promise.resolve()
    expect(socket.sent.at(-1)).toEqual(['catch_up', 2000])
    socket.acknowledge(['user:ann@acme.example'])
    expect(listener).not.toHaveBeenCalled()
    socket.acknowledge(null)
    expect(listener).toHaveBeenCalledOnce()
  })

  test('documents read before the bus connected are checked from then on', async () => {
    socket.connected = false
    bus.onList('Site', vi.fn())
    bus.onDoc('Site', 'a', vi.fn(), time - 3000)
    bus.onList('Site', vi.fn(), time - 4000)
    time += 500
    socket.connected = true
    socket.serve('connect')
    await Promise.resolve()
    expect(socket.sent.at(-1)).toEqual(['catch_up', 4500])
  })
})

describe('permission changes before the first connection', () => {
  const start = () => {
    bus.close()
    socket.connected = false
    bus = createEventBus(socket, { since: time - 1000, changed: rightsChanged }, () => time)
  }
  const connect = async () => {
    socket.connected = true
    socket.serve('connect')
    await Promise.resolve()
  }
  beforeEach(start)
  test('are requested once, even by a page without listeners', async () => {
    await connect()
    expect(socket.sent).toEqual([['catch_up', 1000]])
    socket.acknowledge(['user:ann@acme.example'])
    expect(rightsChanged).toHaveBeenCalledOnce()
    socket.serve('disconnect')
    await connect()
    expect(socket.sent).toHaveLength(1)
  })
  test('are reported if the server does not know, and not if nothing or something else changed', async () => {
    const listener = vi.fn()
    bus.onDoc('User', 'a', listener)
    await connect()
    socket.acknowledge(['doc:User/a'])
    socket.acknowledge(['user:ann@acme.example'])
    expect(rightsChanged).not.toHaveBeenCalled()
    expect(listener).not.toHaveBeenCalled()
    start()
    await connect()
    socket.acknowledge(null)
    expect(rightsChanged).toHaveBeenCalledOnce()
  })
})

test('after a reconnection every room is rejoined and every listener notified', async () => {
  const listener = vi.fn()
  const states: boolean[] = []
  bus.onList('Site', listener)
  bus.onConnection(() => states.push(bus.connected()))
  await Promise.resolve()
  socket.serve('disconnect')
  socket.acknowledge(null)
  expect(listener).not.toHaveBeenCalled()
  socket.sent.length = 0
  socket.serve('connect')
  expect(states).toEqual([false, true])
  await Promise.resolve()
  expect(socket.sent).toEqual([
    ['doctype_subscribe', 'Site'],
    ['catch_up', 1_000_000],
  ])
  socket.acknowledge(null)
  expect(listener).toHaveBeenCalledOnce()
})

test('bursts are merged and the last event is never lost', () => {
  vi.useFakeTimers()
  const work = vi.fn()
  const burst = throttled(work, 250)
  burst.run()
  burst.run()
  burst.run()
  expect(work).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(250)
  expect(work).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(2)
  burst.run()
  burst.cancel()
  vi.advanceTimersByTime(1000)
  expect(work).toHaveBeenCalledTimes(3)
  vi.useRealTimers()
})
