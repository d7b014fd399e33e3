import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { unmapIpv4 } from '#server/platform/network/addresses.ts'
import { forwardedHeader } from './forwarded.ts'
import type { WebLinks } from './web-links.ts'

/** Passes requests on to another web process. */
export interface Forwarder {
  request(to: number, request: IncomingMessage, response: ServerResponse): void
  upgrade(to: number, request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** They concern one connection only (RFC 9110, section 7.6.1). The other process expects the body without being asked. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
  'expect',
  forwardedHeader,
])

/**
 * Passes requests on over unix sockets. Each connection of a client has connections of its own there, so the other process can apply
 * its limits to them as to those it accepted itself.
 */
export function createForwarder(links: WebLinks): Forwarder {
  /** Connections to other processes, by process, of each client's connection. */
  const agents = new WeakMap<Socket, Map<number, Agent>>()

  function agentFor(socket: Socket, to: number): Agent {
    const own = agents.get(socket) ?? new Map<number, Agent>()
    if (!agents.has(socket)) {
      agents.set(socket, own)
      socket.once('close', () => {
        for (const agent of own.values()) agent.destroy()
      })
    }
    const agent = own.get(to) ?? new Agent({ keepAlive: true, maxSockets: 1 })
    own.set(to, agent)
    return agent
  }

  return {
    request(to, request, response) {
      const { socket, method, url } = request
      const sent = httpRequest({
        agent: agentFor(socket, to),
        socketPath: links.pathOf(to),
        method,
        path: url,
        headers: [...headersOf(request, links), 'connection', 'keep-alive'],
      })
      sent.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answerHeaders(answer))
        answer.pipe(response)
        answer.once('error', () => socket.destroy())
      })
      sent.once('error', () => fail(response))
      response.once('close', () => {
        if (!response.writableFinished) sent.destroy()
      })
      request.pipe(sent)
    },
    upgrade(to, request, socket, head) {
      const other = connect(links.pathOf(to))
      const end = () => {
        other.destroy()
        socket.destroy()
      }
      other.once('error', end).once('close', end)
      socket.once('error', end).once('close', end)
      other.once('connect', () => {
        other.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines(headersOf(request, links, true))}\r\n`)
        other.write(head)
        other.pipe(socket).pipe(other)
      })
    },
  }
}

/** Name and value in turns, as received, and who sent the request. */
function headersOf(request: IncomingMessage, { token }: WebLinks, isUpgrade = false): string[] {
  const { rawHeaders, socket } = request
  const kept = pairs(rawHeaders).filter(([name]) => {
    const lower = name.toLowerCase()
    return !ofConnection.has(lower) || (isUpgrade && (lower === 'connection' || lower === 'upgrade'))
  })
  return [...kept.flat(), forwardedHeader, `${token} ${unmapIpv4(socket.remoteAddress ?? '')}`]
}

/** The headers of an answer; `close` goes on to the client, whose rest of a body nobody reads. */
function answerHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const kept = pairs(rawHeaders).filter(([name]) => !ofConnection.has(name.toLowerCase()))
  return [...kept.flat(), ...(headers.connection === 'close' ? ['connection', 'close'] : [])]
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''])
}

const lines = (headers: readonly string[]): string =>
  pairs(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** The other process is not there: it starts, or ends. */
function fail(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(503, { 'retry-after': '1', 'content-type': 'text/plain', connection: 'close' })
  response.end('Easydash is starting or stopping. Try again in a moment.\n')
}
