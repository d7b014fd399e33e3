/**
 * Checks a server's responses against the published OpenAPI document. It sits between Node's server and the wire, so it sees
 * all traffic, including raw bytes.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createApiValidator, type ApiDocument, type ApiExchange } from './api-validator.ts'

/** Maximum size of an inspected body in bytes. */
const maxBytes = 2 * 1024 * 1024

/** Problems found so far. */
export interface ApiWatch {
  readonly problems: readonly string[]
}

/** Options of `watchApi`. */
export interface WatchOptions {
  /** Skips hosts that don't belong to the wire. */
  skip?(request: IncomingMessage): boolean
  /** Requests are invalid on purpose, even those that succeed. */
  responsesOnly?: boolean
}

/** Checks all responses of a server from now on. */
export function watchApi(server: Server, document: ApiDocument, options: WatchOptions = {}): ApiWatch {
  const validator = createApiValidator(document)
  const problems: string[] = []
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (options.skip?.(request) || request.url?.startsWith('/socket.io/')) return
    const body = kept()
    const answer = kept()
    const push = request.push.bind(request)
    request.push = (chunk: unknown, encoding?: BufferEncoding) => {
      body.add(chunk)
      return push(chunk, encoding)
    }
    const write = response.write.bind(response) as (...args: unknown[]) => boolean
    const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
    // Headers passed to writeHead aren't included in the response's own headers.
    const further: Record<string, unknown> = {}
    Object.assign(response, {
      writeHead: (...args: unknown[]) => {
        const given = args.at(-1)
        if (typeof given === 'object' && given !== null)
          for (const [name, value] of Object.entries(given)) further[name.toLowerCase()] = value
        return writeHead(...args)
      },
      write: (...args: unknown[]) => {
        answer.add(args[0])
        return write(...args)
      },
      end: (...args: unknown[]) => {
        answer.add(args[0])
        return end(...args)
      },
    })
    response.once('finish', () => {
      const exchange: ApiExchange = {
        verb: request.method ?? 'GET',
        target: request.url ?? '/',
        headers: request.headers,
        body: body.whole(),
        status: response.statusCode,
        responseHeaders: { ...response.getHeaders(), ...further },
        response: answer.whole(),
      }
      for (const problem of validator.problems(exchange, options.responsesOnly))
        problems.push(`${exchange.verb} ${exchange.target.slice(0, 200)} (${exchange.status}): ${problem}`)
    })
  })
  return { problems }
}

/** Collects chunks up to `maxBytes`. */
function kept(): { add(chunk: unknown): void; whole(): Buffer | null } {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add(chunk) {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
      const bytes = Buffer.from(chunk as string)
      size += bytes.length
      if (size <= maxBytes) chunks.push(bytes)
    },
    whole: () => (size <= maxBytes ? Buffer.concat(chunks) : null),
  }
}
