/** Simulated vendors. Requests and responses are validated against the vendors' own descriptions in this folder. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'

/** How a vendor behaves for the next requests. */
export type SimulatorMode = 'well' | 'busy' | 'broken' | 'silent' | 'garbage' | 'huge'

/** A received request. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A response to send. */
export interface SimulatedResponse {
  status: number
  body: unknown
  headers?: Record<string, string>
  /** Sent as is with this content type, e.g. XML. */
  type?: string
}

/** A vendor's behavior; null for unknown paths. */
export type Behavior = (request: ReceivedRequest) => SimulatedResponse | null | Promise<SimulatedResponse | null>

/** A running simulator. */
export interface Simulator {
  readonly url: string
  readonly seen: ReceivedRequest[]
  /** Differences between requests or responses and the description. */
  readonly problems: string[]
  mode: SimulatorMode
  close(): Promise<void>
}

interface Operation {
  parameters?: { in: string; name: string }[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}
interface Description {
  paths: Record<string, Record<string, Operation>>
}

/** Reads a vendor's API description. */
export function description<T = Description>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8')) as T
}

/** Starts a vendor. `openapi` names the description that requests and responses must match. */
export async function startVendor(
  behavior: Behavior,
  options: { openapi?: 'hetzner' | 'digitalocean' | 'github'; busy?: SimulatedResponse; port?: number } = {},
): Promise<Simulator> {
  const judge = options.openapi ? createValidator(options.openapi) : null
  const server = createServer((request, response) => void respond(request, response))
  const simulator: Simulator = {
    url: '',
    seen: [],
    problems: [],
    mode: 'well',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const seen: ReceivedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    simulator.seen.push(seen)
    if (simulator.mode === 'silent') return
    if (simulator.mode === 'garbage')
      return send(response, { status: 200, body: '<html>Please log in</html>', type: 'text/html' })
    if (simulator.mode === 'huge')
      return send(response, { status: 200, body: 'x'.repeat(2_000_000), type: 'text/plain' })
    const given =
      simulator.mode === 'busy'
        ? (options.busy ?? { status: 429, body: {} })
        : simulator.mode === 'broken'
          ? { status: 503, body: 'upstream connect error', type: 'text/plain' }
          : await behavior(seen)
    if (!given) {
      simulator.problems.push(`${seen.method} ${seen.path} does not exist`)
      return send(response, { status: 404, body: {} })
    }
    const problem = given.type === undefined ? judge?.(seen, given) : null
    if (problem) simulator.problems.push(problem)
    send(response, given)
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  return Object.assign(simulator, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

function send(response: ServerResponse, { status, body, headers, type }: SimulatedResponse): void {
  response.writeHead(status, { 'content-type': type ?? 'application/json', ...headers })
  response.end(type === undefined ? JSON.stringify(body) : String(body))
}

/** Describes how an exchange differs from the description; null if it matches. */
function createValidator(name: string): (seen: ReceivedRequest, given: SimulatedResponse) => string | null {
  const document = description(name)
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  for (const format of ['int64', 'int32', 'float', 'double', 'decimal', 'repo.nwo']) ajv.addFormat(format, true)
  ajv.addSchema(document, 'doc')
  return (seen, given) => {
    const url = new URL(seen.path, 'http://vendor')
    const path = Object.keys(document.paths).find((one) =>
      new RegExp(`^${one.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(url.pathname),
    )
    const verb = seen.method.toLowerCase()
    const operation = path === undefined ? undefined : document.paths[path]?.[verb]
    if (path === undefined || !operation) return `${seen.method} ${url.pathname} is not described`
    const known = (operation.parameters ?? []).map((one) => one.name ?? '')
    // Shared parameters are references without a name: then any name is accepted.
    const strange = known.includes('') ? [] : [...url.searchParams.keys()].filter((key) => !known.includes(key))
    if (strange.length > 0) return `${url.pathname} has no parameter ${strange.join(', ')}`
    const status = String(given.status)
    const key = [status, `${status[0]}XX`, 'default'].find((one) => one in operation.responses)
    if (key === undefined) return `${url.pathname} never answers ${status}`
    const pointer = ['paths', path, verb, 'responses', key].map((part) =>
      part.replaceAll('~', '~0').replaceAll('/', '~1'),
    )
    const response = operation.responses[key] as { $ref?: string; content?: object }
    const base = response.$ref ?? `#/${pointer.map(encodeURIComponent).join('/')}`
    const validate = ajv.compile({ $ref: `doc${base}/content/application~1json/schema` })
    return validate(given.body) ? null : `${url.pathname} ${status}: ${ajv.errorsText(validate.errors)}`
  }
}
