import type { Readable, Writable } from 'node:stream'

/** Maximum size of a message from a browser; larger ones mean that something is wrong. */
const longestMessage = 32 * 1024 * 1024

/** Receives a browser event, e.g. `Page.loadEventFired`. */
export type DevtoolsListener = (params: Record<string, unknown>, session: string | undefined) => void

/** A browser's DevTools protocol over two pipes. */
export interface Devtools {
  /** Sends a command and waits for its response. Rejects with the browser's error, or if the connection ends. */
  send(method: string, params?: Record<string, unknown>, session?: string): Promise<Record<string, unknown>>
  /** Calls `listener` for each event of that name. */
  on(event: string, listener: DevtoolsListener): void
  /** Closes the connection; pending commands fail with this reason. */
  fail(reason: Error): void
  /** Resolves with the reason when the connection ends. */
  readonly ended: Promise<Error>
}

interface DevtoolsMessage {
  id?: number
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { message?: string }
  sessionId?: string
}

interface Waiting {
  resolve(result: Record<string, unknown>): void
  reject(error: Error): void
}

/**
 * Implements the protocol of `--remote-debugging-pipe`: JSON messages that end with a zero byte. No port is opened, so no
 * other program on the machine can control the browser, and it exits when our end of the pipe is closed.
 */
export function openDevtools(toBrowser: Writable, fromBrowser: Readable): Devtools {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, DevtoolsListener[]>()
  let lastId = 0
  let failure: Error | null = null
  const ended = Promise.withResolvers<Error>()
  let parts: Buffer[] = []
  let size = 0

  const fail = (reason: Error): void => {
    if (failure) return
    failure = reason
    ended.resolve(reason)
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    listeners.clear()
    parts = []
  }

  const take = (text: string): void => {
    const { id, method, params = {}, result = {}, error, sessionId } = JSON.parse(text) as DevtoolsMessage
    if (id === undefined) {
      for (const listener of listeners.get(method ?? '') ?? []) listener(params, sessionId)
      return
    }
    const one = waiting.get(id)
    waiting.delete(id)
    if (error) one?.reject(new Error(error.message ?? 'The browser refused a command.'))
    else one?.resolve(result)
  }

  fromBrowser.on('data', (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf(0); end >= 0 && !failure; end = rest.indexOf(0)) {
      const text = Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8')
      rest = rest.subarray(end + 1)
      parts = []
      size = 0
      try {
        take(text)
      } catch (error) {
        fail(new Error('The browser sent an unreadable message.', { cause: error }))
      }
    }
    if (failure || rest.length === 0) return
    parts.push(rest)
    size += rest.length
    if (size > longestMessage) fail(new Error('The browser sent a message that is too long.'))
  })
  const disconnected = (error?: Error): void => fail(new Error('The browser is gone.', { cause: error }))
  fromBrowser.on('end', () => disconnected())
  fromBrowser.on('error', disconnected)
  toBrowser.on('error', disconnected)

  return {
    fail,
    ended: ended.promise,
    send: (method, params = {}, session) =>
      new Promise((resolve, reject) => {
        if (failure) {
          reject(failure)
          return
        }
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        toBrowser.write(`${JSON.stringify({ id: lastId, method, params, sessionId: session })}\0`)
      }),
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener])
    },
  }
}
