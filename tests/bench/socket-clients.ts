/**
 * Many socket.io clients with default settings, like browsers: they reconnect and resubscribe on their own. In a separate
 * process, forked by `sockets-reconnect.bench.ts`: their work must not delay its measurements.
 */
import { io } from 'socket.io-client'

/** The first message it receives: the port, and one cookie per connection. */
export interface ClientsOrder {
  port: number
  cookies: readonly string[]
}

/** Its report, sent a few times a second. A connection is ready when its subscription is active. */
export interface ClientsState {
  ready: number
  /** Connections lost so far. */
  lost: number
  /** Connections rejected by the server, after which a client gives up. */
  rejected: number
}

const state: ClientsState = { ready: 0, lost: 0, rejected: 0 }

process.once('disconnect', () => process.exit(0))
process.once('message', ({ port, cookies }: ClientsOrder) => {
  cookies.forEach((cookie, at) => {
    // Connections are staggered the first time: only reconnecting is measured.
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
    if (!socket.active) state.rejected += 1
  })
}
