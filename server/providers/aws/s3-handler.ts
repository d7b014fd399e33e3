import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { parseUrl, translate, withResponse, type FetchOptions } from '#server/platform/network/fetch.ts'
import { abortError } from '#server/platform/abort-error.ts'
import type { ConnectOptions } from '#server/platform/network/safe-connect.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** How the store of a bucket is reached: whose address it is, and what the installation allows. */
export type S3Network = Pick<ConnectOptions, 'profile' | 'allowPrivateCidrs' | 'addressMap' | 'resolve'> &
  Pick<FetchOptions, 'ca'>

/** Until the content of an object begins, or any other answer is complete. A part of an upload has to be sent in it, at 60 kB/s or more. */
const answerMs = 300_000
const stallMs = 60_000
/** Of answers that are not the content of an object: a page of a list has about half a megabyte. */
const maxAnswerBytes = 8 * 1024 * 1024

type RequestHandler = Extract<NonNullable<S3ClientConfig['requestHandler']>, { handle: unknown }>
type Handled = Parameters<RequestHandler['handle']>
type SdkRequest = Handled[0]

/**
 * What the vendor's client sends requests with: our own guarded connections, so that the rules for addresses hold, and nothing is read
 * without a limit. `cut` ends uploads that are under way, not the request that cleans up after them.
 */
export function guardedHandler(network: S3Network, cut: AbortSignal | null = null): RequestHandler {
  async function handle(request: SdkRequest, { abortSignal }: NonNullable<Handled[1]> = {}) {
    const options: FetchOptions = { ...network, stallMs, ...sentOf(request) }
    const url = parseUrl(urlOf(request), options)
    const own = new AbortController()
    const timer = setTimeout(() => own.abort(new DOMException('No answer', 'TimeoutError')), answerMs)
    const isUpload = request.method === 'PUT'
    const signals = [own.signal, abortSignal as AbortSignal | undefined, isUpload ? cut : null]
    const stop = AbortSignal.any(signals.filter((signal): signal is AbortSignal => signal instanceof AbortSignal))
    const isContent = request.method === 'GET' && request.query['x-id'] === 'GetObject'
    return new Promise<Awaited<ReturnType<RequestHandler['handle']>>>((resolve, reject) => {
      let body: PassThrough | null = null
      withResponse(url, options, stop, async (response) => {
        body = new PassThrough()
        // Whoever reads it sees its error; whoever does not needs none.
        body.on('error', () => undefined)
        const headers = Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
        resolve({
          response: {
            statusCode: response.statusCode,
            headers: Object.fromEntries(headers) as Record<string, string>,
            body,
          } as never,
        })
        // An error of the store instead of the content is as short as its other answers.
        const isLong = isContent && response.statusCode < 300
        // Content takes as long as its reader gives it; anything else has to be complete in time.
        if (isLong) clearTimeout(timer)
        await pipeline(response.body, isLong ? unlimited : limited(url.hostname), body)
      })
        .catch((error: unknown) => {
          const failure =
            stop.aborted && !own.signal.aborted ? abortError(stop) : retried(translate(error, url, options, stop))
          body?.destroy(failure)
          reject(failure)
        })
        .finally(() => clearTimeout(timer))
    })
  }
  return {
    handle,
    destroy: () => undefined,
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  } as unknown as RequestHandler
}

function urlOf({ protocol, hostname, port, path, query }: SdkRequest): string {
  const pairs = Object.entries(query)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => [value ?? ''].flat().map((one) => `${escaped(name)}=${escaped(String(one))}`))
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`
}

/** As it was signed (RFC 3986). */
const escaped = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

function sentOf({ method, headers, body }: SdkRequest): Pick<FetchOptions, 'method' | 'headers' | 'body'> {
  const given: unknown = body
  const sent = given === undefined || typeof given === 'string' ? given : bytesOf(given)
  return {
    method: method as NonNullable<FetchOptions['method']>,
    headers,
    ...(sent !== undefined && { body: sent }),
  }
}

function bytesOf(body: unknown): Buffer {
  if (!(body instanceof Uint8Array)) throw new Error('Only content that is in memory is sent: it can be repeated.')
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

async function* unlimited(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* content
}

const limited = (host: string) =>
  async function* (content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of content) {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) throw new AppError('too_large', msg`The answer of ${host} is too large.`)
      yield chunk
    }
  }

/** The client repeats what this mark is on. */
function retried(error: unknown): Error {
  const failure = error instanceof Error ? error : new Error('The request failed.', { cause: error })
  if (failure instanceof AppError && failure.retryable) Object.assign(failure, { $retryable: { throttling: false } })
  return failure
}
