/**
 * Watches what a server answers and checks it against the published document. It stands between Node's server and the
 * wire, so it sees what every client sends, raw bytes included.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createApiValidator, type ApiDocument, type ApiExchange } from './api-validator.ts'

/** Most bytes of a body that are looked at. */
const mostBytes = 2 * 1024 * 1024

/** What was seen so far, and what was wrong with it. */
export interface ApiWatch {
  readonly problems: readonly string[]
}

/** What is looked at. */
export interface WatchOptions {
  /** Leaves out hosts that are not the wire's. */
  skip?(request: IncomingMessage): boolean
  /** Requests are wrong on purpose, also those that succeed. */
  answersOnly?: boolean
}

/** Checks whatever a server answers from now on. */
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
    // Headers given to writeHead alone are not among the response's own.
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
        answerHeaders: { ...response.getHeaders(), ...further },
        answer: answer.whole(),
      }
      for (const problem of validator.problems(exchange, options.answersOnly))
        problems.push(`${exchange.verb} ${exchange.target.slice(0, 200)} (${exchange.status}): ${problem}`)
    })
  })
  return { problems }
}

/** Chunks up to `mostBytes`. */
function kept(): { add(chunk: unknown): void; whole(): Buffer | null } {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add(chunk) {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
      const bytes = Buffer.from(chunk as string)
      size += bytes.length
      if (size <= mostBytes) chunks.push(bytes)
    },
    whole: () => (size <= mostBytes ? Buffer.concat(chunks) : null),
  }
}
