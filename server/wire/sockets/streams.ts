import { randomUUID } from 'node:crypto'
import type { Session } from '#server/contracts/session.ts'
import type { Stream, StreamKind, StreamPeer } from '#server/contracts/socket-stream.ts'
import { isObject } from '#shared/parse-json.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { errorResponse } from '../response/error-response.ts'
import type { WireSocket } from './socket-types.ts'

/** Streams of one connection. */
const maxStreams = 4
/** Characters that a page sends at once. */
const maxText = 16 * 1024
/** Pause between two chunks: each is confirmed by a packet, of which a connection has a limited number (limit-packets.ts). */
const chunkEveryMs = 25

/** What streams of a connection need. */
export interface StreamDeps {
  readonly kinds: readonly StreamKind[]
  /** The connection's current session; null if it has ended (the connection is closed then). */
  currentSession(socket: WireSocket): Promise<Session | null>
  failed(error: unknown): void
  now(): number
}

interface OpenStream {
  stream: Stream | null
  isReceiving: boolean
}

type Acknowledge = (response: Readonly<Record<string, unknown>>) => void

/**
 * Handles the streams of a connection, which the page numbers: `stream_open`, `stream_data` in both directions, `stream_control`,
 * `stream_close`, `stream_end`. Both sides confirm each piece of data and send one at a time, so that neither has to store what the
 * other can't take.
 */
export function handleStreams(socket: WireSocket, deps: StreamDeps): void {
  const open = new Map<number, OpenStream>()
  const gone = Promise.withResolvers<void>()

  socket.on('stream_open', (id: unknown, kind: unknown, params: unknown, acknowledge: unknown) => {
    if (typeof id !== 'number' || open.has(id) || typeof acknowledge !== 'function') return
    const answer = acknowledge as Acknowledge
    if (open.size >= maxStreams) return answer(errorAnswer(deps, tooMany()))
    const opening: OpenStream = { stream: null, isReceiving: false }
    open.set(id, opening)
    const peer = peerOf(socket, { id, gone: gone.promise, now: deps.now, closed: () => open.delete(id) })
    openStream(socket, deps, { kind, params }, peer)
      .then(
        (stream) => {
          if (!isAlive(socket) || open.get(id) !== opening) return stream.close()
          opening.stream = stream
          return answer({})
        },
        (error: unknown) => {
          open.delete(id)
          answer(errorAnswer(deps, error))
        },
      )
      .catch(deps.failed)
    return undefined
  })
  socket.on('stream_data', (id: unknown, text: unknown, acknowledge: unknown) => {
    const found = typeof id === 'number' ? open.get(id) : undefined
    if (!found?.stream || found.isReceiving || typeof acknowledge !== 'function') return
    if (typeof text !== 'string' || text.length > maxText || !isAlive(socket)) return
    found.isReceiving = true
    found.stream
      .receive(text)
      .then(() => {
        found.isReceiving = false
        ;(acknowledge as () => void)()
      })
      .catch(deps.failed)
  })
  socket.on('stream_control', (id: unknown, message: unknown) => {
    if (typeof id === 'number' && isAlive(socket)) open.get(id)?.stream?.control(message)
  })
  socket.on('stream_close', (id: unknown) => {
    if (typeof id !== 'number') return
    const found = open.get(id)
    open.delete(id)
    found?.stream?.close()
  })
  socket.on('disconnect', () => {
    gone.resolve()
    const left = [...open.values()]
    open.clear()
    for (const { stream } of left) stream?.close()
  })
}

/** Whether a page may still send and receive: not from the moment on that its connection is being closed. */
const isAlive = (socket: WireSocket): boolean => socket.connected && socket.data.ending !== true

async function openStream(
  socket: WireSocket,
  { kinds, currentSession }: StreamDeps,
  { kind, params }: { readonly kind: unknown; readonly params: unknown },
  peer: StreamPeer,
): Promise<Stream> {
  const found = kinds.find(({ name }) => name === kind)
  if (!found) throw new AppError('not_found', msg`There is no such stream.`)
  const session = await currentSession(socket)
  if (session === null) throw new AppError('unauthorized', msg`Your session has ended.`)
  return found.open(session, isObject(params) ? params : {}, peer)
}

function peerOf(
  socket: WireSocket,
  { id, gone, now, closed }: { id: number; gone: Promise<void>; now: () => number; closed: () => void },
): StreamPeer {
  let sentAt = Number.NEGATIVE_INFINITY
  return {
    async send(bytes) {
      const pause = chunkEveryMs - (now() - sentAt)
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
      if (!isAlive(socket)) return
      sentAt = now()
      const processed = new Promise<void>((resolve) => {
        socket.emit('stream_data', id, bytes, () => resolve())
      })
      await Promise.race([processed, gone])
    },
    end(why) {
      closed()
      if (isAlive(socket)) socket.emit('stream_end', id, why)
    },
  }
}

/** An error as responses have it. */
function errorAnswer({ failed }: StreamDeps, error: unknown): Readonly<Record<string, unknown>> {
  const { status, body, defect } = errorResponse(error, { requestId: randomUUID() })
  if (defect) failed(error)
  return { status, error: body }
}

const tooMany = (): AppError =>
  new AppError('limit_reached', msg`Too many streams are open on this page.`, { nextAction: msg`Close one first.` })
