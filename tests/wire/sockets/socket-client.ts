/** Connections of the real socket.io-client, closed together at the end of a test. */
import { io, type Socket } from 'socket.io-client'
import type { Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'

/** Connection options; all are optional. */
export interface DialOptions {
  headers?: Record<string, string>
  namespace?: string
  port?: number
  transports?: string[]
}

/** Connections to one server. */
export interface Dialer {
  dial(browser: Browser | null, options?: DialOptions): Socket
  /** Connects and waits; throws the server's error. */
  connected(browser: Browser, options?: DialOptions): Promise<Socket>
  closeAll(): void
}

/** Opens connections with a browser's cookies. */
export function createDialer(booted: () => Booted): Dialer {
  const open = new Set<Socket>()
  const dialer: Dialer = {
    dial(browser, options = {}) {
      const cookie: Record<string, string> = browser === null ? {} : { cookie: browser.cookieHeader() }
      const socket = io(`http://localhost:${options.port ?? booted().port}${options.namespace ?? '/localhost'}`, {
        extraHeaders: { ...cookie, ...options.headers },
        forceNew: true,
        reconnectionDelay: 20,
        reconnectionDelayMax: 50,
        ...(options.transports ? { transports: options.transports } : {}),
      })
      open.add(socket)
      return socket
    },
    async connected(browser, options) {
      const socket = dialer.dial(browser, options)
      const result = await outcome(socket)
      if (result !== 'connected') throw new Error(result)
      return socket
    },
    closeAll() {
      for (const socket of open) socket.close()
      open.clear()
    },
  }
  return dialer
}

/** `connected`, or the error message. */
export function outcome(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve('connected'))
    socket.once('connect_error', (error) => resolve(error.message))
  })
}

/** The payload of the next event with this name. */
export function next<T = Record<string, unknown>>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve) => {
    socket.once(event, (payload: T) => resolve(payload))
  })
}

/** When the pong arrives, everything sent before has been handled: events of a connection run in order. */
export async function untilProcessed(socket: Socket): Promise<void> {
  const pong = next(socket, 'pong')
  socket.emit('ping')
  await pong
}

/** The events received while `act` runs and until a marker sent after it arrives, without those of what happened before. */
export async function eventsDuring(
  booted: Booted,
  socket: Socket,
  user: string,
  event: string,
  act: () => Promise<unknown>,
): Promise<unknown[]> {
  // The store's events are queued before the transaction's promise resolves, so a marker arrives after them.
  const allSent = async () => {
    const marker = next(socket, 'test_marker')
    booted.wire.emitToUser(user, 'test_marker', {})
    await marker
  }
  await allSent()
  const events: unknown[] = []
  const note = (payload: unknown) => events.push(payload)
  socket.on(event, note)
  await act()
  await allSent()
  socket.off(event, note)
  return events
}
