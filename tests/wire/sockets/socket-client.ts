/** Connections of the real socket.io-client, closed together at the end of a test. */
import { io, type Socket } from 'socket.io-client'
import type { Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'

/** How to connect; everything has a default. */
export interface DialOptions {
  headers?: Record<string, string>
  namespace?: string
  port?: number
  transports?: string[]
}

/** Connections to one wire. */
export interface Dialer {
  dial(browser: Browser | null, options?: DialOptions): Socket
  /** Dials and waits; throws with the refusal. */
  connected(browser: Browser, options?: DialOptions): Promise<Socket>
  closeAll(): void
}

/** Opens connections as a browser with its cookies does. */
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
      const said = await outcome(socket)
      if (said !== 'connected') throw new Error(said)
      return socket
    },
    closeAll() {
      for (const socket of open) socket.close()
      open.clear()
    },
  }
  return dialer
}

/** `connected`, or the text of the refusal. */
export function outcome(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve('connected'))
    socket.once('connect_error', (error) => resolve(error.message))
  })
}

/** The payload of the next such event. */
export function next<T = Record<string, unknown>>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve) => {
    socket.once(event, (payload: T) => resolve(payload))
  })
}

/** Everything sent before has been handled when the pong is back: events of a connection run in order. */
export async function settled(socket: Socket): Promise<void> {
  const pong = next(socket, 'pong')
  socket.emit('ping')
  await pong
}

/** What of an event arrives while something is done, and until a message sent after it has arrived, too. */
export async function heard(
  booted: Booted,
  socket: Socket,
  user: string,
  event: string,
  act: () => Promise<unknown>,
): Promise<unknown[]> {
  const events: unknown[] = []
  const note = (payload: unknown) => events.push(payload)
  socket.on(event, note)
  const marker = next(socket, 'test_marker')
  await act()
  // Events of the store go out before the transaction's promise resolves; the marker comes after them on the same line.
  booted.wire.emitToUser(user, 'test_marker', {})
  await marker
  socket.off(event, note)
  return events
}
