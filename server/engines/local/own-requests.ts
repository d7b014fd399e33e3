import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { duplexPair } from 'node:stream'
import type { Socket } from 'node:net'
import { EngineError, type SiteResponse } from '../engine.ts'

/** Most of a body that is kept; pages are far smaller. */
const maxBodyBytes = 8 * 1024 * 1024

/** Asks sites the way a visitor does, through the whole proxy, without depending on who listens where. */
export interface OwnRequests {
  get(host: string, path: string, options: { timeoutMs: number; signal?: AbortSignal }): Promise<SiteResponse>
}

/** Requests to `handle` over connections inside this process. Rejects with EngineError `unavailable`, or the signal's reason. */
export function createOwnRequests(handle: (request: IncomingMessage, response: ServerResponse) => void): OwnRequests {
  const server: Server = createServer(handle)
  return {
    get: (host, path, options) =>
      new Promise((resolve, reject) => {
        const started = performance.now()
        const timeout = AbortSignal.timeout(options.timeoutMs)
        const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout])
        const [ours, theirs] = duplexPair()
        server.emit('connection', theirs)
        const request = httpRequest({
          createConnection: () => ours as Socket,
          path,
          headers: { host, 'user-agent': 'Easydash', connection: 'close' },
          signal,
        })
        request.once('response', (response) => {
          readAll(response).then(
            (body) =>
              resolve({
                status: response.statusCode ?? 0,
                headers: plainHeaders(response),
                body,
                tookMs: performance.now() - started,
              }),
            reject,
          )
        })
        request.once('error', (error) => {
          if (options.signal?.aborted === true) reject(options.signal.reason as Error)
          else
            reject(
              new EngineError(
                'unavailable',
                timeout.aborted ? 'The site did not answer in time.' : `The site did not answer: ${error.message}`,
                { retryable: true, nextAction: 'Try again in a moment.', cause: error },
              ),
            )
        })
        request.once('close', () => ours.destroy())
        request.end()
      }),
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= maxBodyBytes) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function plainHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
