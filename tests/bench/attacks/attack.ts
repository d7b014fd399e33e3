/** Building blocks of the attacks in `attacks.bench.ts`. New attacks are new files here, listed there. */
import { connect, type Socket } from 'node:net'
import { request } from 'node:http'
import type { ClientBase } from 'pg'

/** A running product under attack. */
export interface Target {
  /** Port of the dashboard and of local sites, which are distinguished by host name. */
  readonly port: number
  /** Port of the second listener. */
  readonly socketPort: number
  /** Headers of a signed-in user, the owner of the organization `bench`. */
  readonly owner: Readonly<Record<string, string>>
  /** Aborted when the attack's time is over. */
  readonly signal: AbortSignal
}

/** An attack: runs until its time is over and leaves nothing open. */
export interface Attack {
  name: string
  /** Inserts the data it needs, before anything is measured. */
  prepare?(database: ClientBase): Promise<void>
  run(target: Target): Promise<void>
}

/** A request of an attack; its response does not matter. */
export interface AttackRequest {
  path: string
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  isChunked?: boolean
}

/** Sends a request on a new connection and resolves with the status, 0 without a response. */
export function send(
  target: Target,
  { path, method = 'POST', headers = {}, body, isChunked }: AttackRequest,
): Promise<number> {
  return new Promise((resolve) => {
    const length = isChunked
      ? { 'transfer-encoding': 'chunked' }
      : body === undefined
        ? {}
        : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(
      {
        host: '127.0.0.1',
        port: target.port,
        path,
        method,
        agent: false,
        headers: { accept: 'application/json', ...length, ...headers },
        signal: target.signal,
      },
      (response) => {
        response.resume()
        response.once('close', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.once('error', () => resolve(0))
    sent.end(body)
  })
}

/** Repeats the same request on this many parallel connections. */
export async function repeatedly(target: Target, atOnce: number, shot: AttackRequest): Promise<void> {
  const one = async (): Promise<void> => {
    while (!target.signal.aborted) await send(target, shot)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** Resolves when the attack is over. */
export function untilAttackEnds({ signal }: Target): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Keeps `count` connections open until the attack is over, each sending `begin` and then `trickle` once a second. Closed
 * ones are reopened a second later; `isHalfOpen` ones do not close when the server does.
 */
export async function holdOpen(
  target: Target,
  options: {
    count: number
    port?: number
    begin?: string
    chunk?: string
    isHalfOpen?: boolean
    /** How many are opened every 20 ms. */
    intervalMs?: number
  },
): Promise<void> {
  const { count, port = target.port, begin = '', chunk, isHalfOpen = false, intervalMs = 100 } = options
  const sockets = new Set<Socket>()
  const open = (): void => {
    if (target.signal.aborted) return
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: isHalfOpen })
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(open, 1000)
    })
    if (begin !== '') socket.write(begin)
    socket.resume()
  }
  const timer = setInterval(() => {
    if (chunk !== undefined) for (const socket of sockets) socket.write(chunk)
  }, 1000)
  for (let at = 0; at < count && !target.signal.aborted; at += 1) {
    open()
    // Not faster than the listener's queue.
    if (at % intervalMs === intervalMs - 1) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await untilAttackEnds(target)
  clearInterval(timer)
  await Promise.all(
    [...sockets].map(
      (socket) =>
        new Promise((resolve) => {
          socket.once('close', resolve)
          socket.destroy()
        }),
    ),
  )
}
