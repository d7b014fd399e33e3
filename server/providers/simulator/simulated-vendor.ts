/** A vendor's API on a loopback port, for tests and the demo. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface ReceivedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** '' for content that is no text. */
  readonly body: string
  /** As it was received. */
  readonly raw?: Buffer
}

/** A response to send. */
export interface SimulatedResponse {
  readonly status: number
  /** Null: empty; a Buffer is sent as is. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as is with this content type, e.g. XML. */
  readonly type?: string
}

/** Instead of a response: the connection stays open for ever, or closes. */
export type NoResponse = 'hang' | 'close'

/** A vendor's behavior; null for what it doesn't have. */
export type Behavior = (
  request: ReceivedRequest,
) => SimulatedResponse | NoResponse | null | Promise<SimulatedResponse | NoResponse | null>

export interface VendorServerOptions {
  /** Default: any free one. */
  readonly port?: number
  /** Describes how an exchange differs from the vendor's description of its API; null if it matches. */
  readonly judge?: ((request: ReceivedRequest, response: SimulatedResponse) => string | null) | undefined
}

/** A running simulator. */
export interface VendorServer {
  readonly url: string
  readonly seen: ReceivedRequest[]
  /** What the judge said. */
  readonly problems: string[]
  /** Resolves when the next request is left without a response. */
  whenHanging(): Promise<void>
  /** Closes every connection, in the middle of an answer as well. */
  dropConnections(): void
  close(): Promise<void>
}

/** Serves a behavior. */
export async function serveVendor(behavior: Behavior, options: VendorServerOptions = {}): Promise<VendorServer> {
  const seen: ReceivedRequest[] = []
  const problems: string[] = []
  let waiting: (() => void)[] = []

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const received: ReceivedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: request.headers['content-type'] === 'application/octet-stream' ? '' : raw.toString('utf8'),
    }
    seen.push(received)
    const given = await behavior({ ...received, raw })
    if (given === 'close') return void response.destroy()
    if (given === 'hang') {
      for (const resolve of waiting) resolve()
      waiting = []
      return
    }
    if (given === null) problems.push(`${received.method} ${received.path} does not exist`)
    const problem = given && options.judge?.(received, given)
    if (problem) problems.push(problem)
    send(response, given ?? { status: 404, body: {} })
  }

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // Whoever asks may give up in the middle of a request.
      if (request.complete) problems.push(String(error))
      response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    problems,
    whenHanging: () => new Promise((resolve) => waiting.push(resolve)),
    dropConnections: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, { status, body, headers, type }: SimulatedResponse): void {
  response.writeHead(status, { 'content-type': type ?? 'application/json', ...headers })
  if (Buffer.isBuffer(body)) return void response.end(body)
  response.end(type === undefined ? (body === null ? '' : JSON.stringify(body)) : String(body))
}
