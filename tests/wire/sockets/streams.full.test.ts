/** Streams of bytes over the sockets of pages: flow control in both directions, and their ends. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Socket } from 'socket.io-client'
import type { Session } from '#server/contracts/session.ts'
import type { Stream, StreamPeer } from '#server/contracts/socket-stream.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { createDialer } from './socket-client.ts'

let booted: Booted
let owner: Browser
const dialer = createDialer(() => booted)

interface Opened {
  readonly session: Session
  readonly params: Readonly<Record<string, unknown>>
  readonly peer: StreamPeer
  readonly received: string[]
  readonly controls: unknown[]
  readonly closed: PromiseWithResolvers<void>
  /** Resolves what `receive` waits for. */
  release: () => void
}
const opened: Opened[] = []
const last = () => opened.at(-1) as Opened

beforeAll(async () => {
  booted = await boot({
    streams: [
      {
        name: 'test',
        async open(session, params, peer): Promise<Stream> {
          if (params['fails'] === true) throw new AppError('gone', msg`It is over.`)
          const one: Opened = {
            ...{ session, params, peer, received: [], controls: [], release: () => undefined },
            closed: Promise.withResolvers<void>(),
          }
          opened.push(one)
          return Promise.resolve({
            receive: (text) => {
              one.received.push(text)
              return new Promise((resolve) => {
                one.release = resolve
              })
            },
            control: (message) => void one.controls.push(message),
            close: () => one.closed.resolve(),
          })
        },
      },
    ],
  })
  await booted.organization('acme')
  owner = await booted.signedIn('owner@acme.example')
})
afterEach(() => dialer.closeAll())
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const open = (socket: Socket, id: number, params: object = {}, kind = 'test') =>
  socket.timeout(5000).emitWithAck('stream_open', id, kind, params) as Promise<Record<string, unknown>>

it('a page opens a stream with its session; refusals are errors as responses have them', async () => {
  const socket = await dialer.connected(owner)
  expect(await open(socket, 1, { a: 1 })).toEqual({})
  expect(last()).toMatchObject({ session: { user: 'owner@acme.example', kind: 'cookie' }, params: { a: 1 } })
  expect(await open(socket, 2, {}, 'other')).toMatchObject({ status: 404 })
  expect(await open(socket, 2, { fails: true })).toMatchObject({ status: 410, error: { code: 'gone' } })
  for (const id of [2, 3, 4]) expect(await open(socket, id)).toEqual({})
  expect(await open(socket, 5)).toMatchObject({ error: { code: 'limit_reached' } })
  socket.emit('stream_control', 1, { columns: 3 })
  socket.emit('stream_close', 1)
  await opened[0]?.closed.promise
  expect(opened[0]?.controls).toEqual([{ columns: 3 }])
  expect(await open(socket, 5)).toEqual({})
})

it('one piece at a time, each after the one before was confirmed', async () => {
  const socket = await dialer.connected(owner)
  await open(socket, 1)
  const stream = last()
  const pieces: { bytes: Buffer; confirm: () => void }[] = []
  const arrived = () => new Promise<void>((resolve) => socket.once('stream_data', () => resolve()))
  socket.on('stream_data', (_id, bytes: Buffer, confirm: () => void) => pieces.push({ bytes, confirm }))
  let isSent = false
  const first = arrived()
  const sending = stream.peer.send(Buffer.from([0xff, 0])).then(() => (isSent = true))
  await first
  expect(pieces[0]?.bytes).toEqual(Buffer.from([0xff, 0]))
  expect(isSent).toBe(false)
  pieces[0]?.confirm()
  await sending
  // Input: a second piece before the first was taken is dropped.
  const taken = socket.timeout(5000).emitWithAck('stream_data', 1, 'one')
  socket.emit('stream_data', 1, 'two', () => undefined)
  socket.emit('stream_control', 1, 'afterwards')
  await expect.poll(() => stream.controls).toEqual(['afterwards'])
  expect(stream.received).toEqual(['one'])
  stream.release()
  await taken
  const end = new Promise((resolve) => socket.once('stream_end', (_id, why) => resolve(why)))
  stream.peer.end({ end: 'exited' })
  expect(await end).toEqual({ end: 'exited' })
  socket.emit('stream_data', 1, 'three', () => undefined)
  expect(await open(socket, 1)).toEqual({})
  expect(stream.received).toEqual(['one'])
})

it('ends with the connection and with the session, also while something is sent', async () => {
  const socket = await dialer.connected(owner)
  await open(socket, 1)
  const sending = last().peer.send(Buffer.from('nobody confirms this'))
  socket.disconnect()
  await last().closed.promise
  await sending

  const other = await booted.signedIn('owner@acme.example')
  const next = await dialer.connected(other)
  await open(next, 1)
  await other.app.auth().logout()
  await last().closed.promise
})

it('garbage opens nothing and breaks nothing', async () => {
  const socket = await dialer.connected(owner)
  const before = opened.length
  for (const given of [[], ['1', 'test', {}, 1], [1, 'test', {}, null], [null], [1, { a: 1 }, [], 'x']])
    socket.emit('stream_open', ...given)
  for (const given of [[], [9, 'x'], ['__proto__', 'x', () => undefined], [1, { length: 1 }]]) {
    socket.emit('stream_data', ...given)
    socket.emit('stream_control', ...given)
    socket.emit('stream_close', ...given)
  }
  expect(await open(socket, 7)).toEqual({})
  expect(opened.length).toBe(before + 1)
})
