/** Load over loopback from this process, separate from the product's: requests on keep-alive connections. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** One request that can be sent repeatedly. */
export interface Call {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

/** A response and its duration. */
export interface Reply {
  status: number
  body: string
  setCookie: readonly string[]
  /** Milliseconds from sending to the last byte. */
  took: number
}

/** Sends calls to a local port. */
export interface Loader {
  send(call: Call): Promise<Reply>
  /** Closes the connections. */
  close(): void
}

/** Uses at most `connections` keep-alive connections. */
export function createLoader(port: number, connections: number): Loader {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  return {
    send: ({ method = 'GET', path, headers, body }) =>
      new Promise((resolve, reject) => {
        const started = performance.now()
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
        const options = { agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } }
        const sent = request(options, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.once('error', reject)
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              body: text,
              setCookie: response.headers['set-cookie'] ?? [],
              took: performance.now() - started,
            }),
          )
        })
        sent.once('error', reject).end(body)
      }),
    close: () => agent.destroy(),
  }
}

/** Throws for any status other than 200: errors are fast and would improve the figures. */
export async function sendOrThrow(loader: Loader, call: Call): Promise<Reply> {
  const reply = await loader.send(call)
  if (reply.status !== 200) throw new Error(`${call.path} answered ${reply.status}: ${reply.body.slice(0, 300)}`)
  return reply
}

/** Warm-up calls of `measureSequentially`, not measured. */
export const warmUp = 50

/** Milliseconds of `rounds` sequential calls on one connection, after the warm-up. */
export async function measureSequentially(
  loader: Loader,
  call: (at: number) => Call,
  rounds: number,
): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < rounds + warmUp; at += 1) {
    const { took } = await sendOrThrow(loader, call(at))
    if (at >= warmUp) times.push(took)
  }
  return times
}

/** Calls per second with all connections busy, after a second of warm-up. */
export async function throughput(loader: Loader, call: Call, connections: number, seconds: number): Promise<number> {
  const from = performance.now() + 1000
  const until = from + seconds * 1000
  let done = 0
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      await sendOrThrow(loader, call)
      if (performance.now() >= from && performance.now() < until) done += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  return done / seconds
}

/**
 * Starts work at a constant rate, whether or not earlier work has finished, like real users: a stalled server does not get
 * fewer calls. Resolves when all work has finished.
 */
export async function atRate(perSecond: number, seconds: number, start: (at: number) => Promise<void>): Promise<void> {
  const started: Promise<void>[] = []
  const from = performance.now()
  const total = Math.round(perSecond * seconds)
  while (started.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - from) / 1000) * perSecond) + 1)
    while (started.length < due) started.push(start(started.length))
    await delay(Math.max(1, (started.length / perSecond) * 1000 - (performance.now() - from)))
  }
  await Promise.all(started)
}

/** The quantile: the value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
