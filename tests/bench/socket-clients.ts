/**
 * Many socket.io clients as browsers are: stock settings, so they come back by themselves, and subscribe again when they
 * do. In a process of its own, forked by `sockets-reconnect.bench.ts`: their work must not delay what that one measures.
 */
import { io } from 'socket.io-client'

/** What it is told first: where, and one cookie for each connection. */
export interface ClientsOrder {
  port: number
  cookies: readonly string[]
}

/** What it tells, a few times a second. A connection is ready when its subscription stands. */
export interface ClientsState {
  ready: number
  /** Connections that ended so far. */
  lost: number
  /** Refusals of the server, each with a client that gives up. */
  refused: number
}

const state: ClientsState = { ready: 0, lost: 0, refused: 0 }

process.once('disconnect', () => process.exit(0))
process.once('message', ({ port, cookies }: ClientsOrder) => {
  cookies.forEach((cookie, at) => {
    // Not all at once the first time: only their return is measured.
    setTimeout(() => open(port, cookie), at * 4)
  })
  setInterval(() => process.send?.(state), 100)
})

function open(port: number, cookie: string): void {
  const socket = io(`http://127.0.0.1:${port}/127.0.0.1`, { extraHeaders: { cookie }, forceNew: true })
  let ready = false
  socket.on('connect', () => {
    socket.emit('doctype_subscribe', 'Site')
    socket.emit('ping')
  })
  socket.on('pong', () => {
    if (!ready) state.ready += 1
    ready = true
  })
  socket.on('disconnect', () => {
    if (ready) state.ready -= 1
    ready = false
    state.lost += 1
  })
  socket.on('connect_error', () => {
    if (!socket.active) state.refused += 1
  })
}
