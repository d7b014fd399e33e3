import { abortError } from '#server/platform/abort-error.ts'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { duplexPair } from 'node:stream'
import type { Socket } from 'node:net'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type SiteResponse } from '../../engine.ts'

/** Maximum size of a body; normal pages are far smaller. */
const maxBodyBytes = 8 * 1024 * 1024

/** Sends requests to sites like a visitor, through the whole proxy, without using a network port. */
export interface OwnRequests {
  get(host: string, path: string, options: OwnRequestOptions): Promise<SiteResponse>
  /** The same with the raw body: images, fonts. */
  read(host: string, path: string, options: OwnRequestOptions): Promise<Omit<SiteResponse, 'body'> & { body: Buffer }>
}

/** Options of a request. */
export interface OwnRequestOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly accept?: string
  readonly cookie?: string
  /** Default true; see `Engine.request`. */
  readonly countsAsUse?: boolean
}

/** Handles a request; `countsAsUse` as in its options. */
type OwnRequestHandler = (request: IncomingMessage, response: ServerResponse, countsAsUse: boolean) => void

/**
 * Sends requests to `handle` over connections within this process. Rejects with EngineError `unavailable`, also if an answer breaks
 * off, or with the signal's reason.
 */
export function createOwnRequests(handle: OwnRequestHandler): OwnRequests {
  const using: Server = createServer((request, response) => handle(request, response, true))
  const checking: Server = createServer((request, response) => handle(request, response, false))
  const read: OwnRequests['read'] = (host, path, options) =>
    new Promise((resolve, reject) => {
      const started = performance.now()
      const timeout = AbortSignal.timeout(options.timeoutMs)
      const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout])
      const [ours, theirs] = duplexPair()
      const server = options.countsAsUse === false ? checking : using
      server.emit('connection', theirs)
      const request = httpRequest({
        createConnection: () => ours as Socket,
        path,
        headers: {
          host,
          'user-agent': 'Easydash',
          connection: 'close',
          ...(options.accept === undefined ? {} : { accept: options.accept }),
          ...(options.cookie === undefined ? {} : { cookie: options.cookie }),
        },
        signal,
      })
      const fail = (error: Error): void => {
        if (options.signal?.aborted === true) reject(abortError(options.signal))
        else
          reject(
            new EngineError(
              'unavailable',
              timeout.aborted ? msg`The site did not answer in time.` : msg`The site did not answer: ${error.message}`,
              { retryable: true, nextAction: msg`Try again in a moment.`, cause: error },
            ),
          )
      }
      request.once('response', (response) => {
        const ttfbMs = performance.now() - started
        readAll(response).then((body) => {
          resolve({
            status: response.statusCode ?? 0,
            headers: plainHeaders(response),
            body,
            ttfbMs,
            tookMs: performance.now() - started,
          })
          // The other end of the pair is only notified if there is an error.
          if (!response.readableEnded) request.destroy(new Error('Enough of the body was read.'))
        }, fail)
      })
      request.once('error', fail)
      request.once('close', () => ours.destroy())
      request.end()
    })
  return {
    read,
    get: async (host, path, options) => {
      const response = await read(host, path, options)
      return { ...response, body: response.body.toString('utf8') }
    },
  }
}

/** The body, or its beginning: an endless one is cut off. */
function readAll(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size < maxBodyBytes) return
      response.pause()
      resolve(Buffer.concat(chunks).subarray(0, maxBodyBytes))
    })
    response.once('end', () => resolve(Buffer.concat(chunks)))
    response.on('error', reject)
  })
}

function plainHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
