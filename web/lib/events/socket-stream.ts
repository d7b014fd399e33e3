import type { Socket } from 'socket.io-client'
import { isObject } from '#shared/parse-json.ts'
import { ApiError, errorFromBody, offlineMessage } from '../api/api-error.ts'
import { openSocket } from './socket.ts'

/** Characters that are sent at once. */
const maxText = 8 * 1024
/** Pause between two pieces: the server limits how many packets a connection sends. */
const sendEveryMs = 25

/** A stream of bytes from the server, and of text to it. */
export interface SocketStream {
  send(text: string): void
  /** Sends a message about the stream. */
  control(message: Readonly<Record<string, unknown>>): void
  /** Asks the server to end it, which then says so. */
  end(): void
  /** Ends it at once. */
  close(): void
}

/** What a stream tells its page. */
export interface StreamListener {
  /** Bytes arrived; the server sends more once `done` was called. */
  data(bytes: Uint8Array, done: () => void): void
  /** The server ended it, and says why. */
  end(why: Readonly<Record<string, unknown>>): void
  /** It did not open. */
  fail(error: ApiError): void
  /** The connection broke. */
  lose(): void
}

/** The only stream of its connection. */
const id = 1

/**
 * Opens a stream of a kind, on a connection of its own (its address says so: one process has streams). When that ends, so does the
 * stream. Text is sent in pieces, each once the server has taken the one before.
 */
export function openSocketStream(
  kind: string,
  params: Readonly<Record<string, unknown>>,
  listener: StreamListener,
  open: () => Socket = () => openSocket({ forceNew: true, reconnection: false, query: { streams: 1 } }),
): SocketStream {
  const socket = open()
  let waiting = ''
  let isSending = false
  let isReady = false
  let isOver = false

  const over = (tell: () => void) => {
    if (isOver) return
    isOver = true
    socket.disconnect()
    tell()
  }
  const sendNext = () => {
    if (!isReady || isSending || isOver || waiting === '') return
    isSending = true
    const text = pieceOf(waiting)
    waiting = waiting.slice(text.length)
    socket.emit('stream_data', id, text, () => {
      setTimeout(() => {
        isSending = false
        sendNext()
      }, sendEveryMs)
    })
  }
  socket.on('connect', () => {
    socket.emit('stream_open', id, kind, params, (answer: unknown) => {
      const { error, status } = isObject(answer) ? answer : {}
      if (error !== undefined) return over(() => listener.fail(errorFromBody(error, Number(status) || 0)))
      isReady = true
      return sendNext()
    })
  })
  socket.on('stream_data', (_id: unknown, bytes: unknown, acknowledge: unknown) => {
    const done = typeof acknowledge === 'function' ? (acknowledge as () => void) : () => undefined
    if (bytes instanceof ArrayBuffer) listener.data(new Uint8Array(bytes), done)
    else done()
  })
  socket.on('stream_end', (_id: unknown, why: unknown) => over(() => listener.end(isObject(why) ? why : {})))
  socket.on('connect_error', () => over(() => listener.fail(new ApiError(offlineMessage))))
  socket.on('disconnect', () => over(() => listener.lose()))

  return {
    send(text) {
      waiting += text
      sendNext()
    },
    control: (message) => void socket.emit('stream_control', id, message),
    end: () => void socket.emit('stream_close', id),
    close: () => over(() => undefined),
  }
}

/** The beginning of a text, without half a character. */
function pieceOf(text: string): string {
  const last = text.charCodeAt(maxText - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxText - 1 : maxText)
}
