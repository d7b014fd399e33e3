import { constants, createServer, type ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { perSecond } from '../proxy/per-second.ts'
import { limitFrames } from './limit-frames.ts'
import { checkedAddress } from './policy.ts'
import { bounded, openResolver, type Resolve, type NameResolver } from '#server/platform/network/name-resolver.ts'

/** Connections a site may have open at once, and names it may have looked up: one for each of them. */
const maxConnections = 64
/** Connections a site may ask for in a second: refusing them is work, too. */
const maxRequestsPerSecond = 500
/** Longest wait for a connection to be made. */
const connectTimeoutMs = 30_000
/** Longest silence on an open connection. */
const idleTimeoutMs = 5 * 60_000
/** Longest name of a host (RFC 1035). */
const maxHostLength = 255

/**
 * The only network of a site's process: over one stream it asks for connections by HTTP/2's CONNECT (RFC 9113, 8.5), and
 * this process makes those that the policy permits. Nothing that happens inside the site's process can change the
 * policy.
 * @param stream the engine's end of the stream
 * @param resolver replaces the machine's name servers, for tests
 */
export function serveOutbound(stream: Duplex, resolver: NameResolver = openResolver()): void {
  const resolve = bounded(resolver.resolve, maxConnections)
  const mayAsk = perSecond(maxRequestsPerSecond)
  // A look-up under way would outlive the site's process.
  stream.once('close', () => resolver.cancel())
  const server = createServer({
    maxSessionMemory: 16,
    // A site that opens and resets streams in a loop is cut off (CVE-2023-44487).
    streamResetBurst: 1_000,
    streamResetRate: 100,
    maxSessionInvalidFrames: 10,
    settings: { maxConcurrentStreams: maxConnections, maxHeaderListSize: 4_096, enablePush: false },
  })
  // The site's process ended, or broke the protocol: in both cases it has no network any more.
  server.on('sessionError', () => undefined)
  server.on('stream', (request, headers) => {
    request.on('error', () => request.destroy())
    if (!mayAsk(1)) {
      request.session?.destroy()
      return
    }
    const target = headers[':method'] === 'CONNECT' ? parseTarget(headers[':authority']) : null
    if (target === null) {
      refuse(request)
      return
    }
    open(request, target, resolve).catch(() => refuse(request))
  })
  server.emit('connection', limitFrames(stream))
}

interface Target {
  host: string
  port: number
}

/** Reads `host:port` or `[address]:port`. */
function parseTarget(authority: string | undefined): Target | null {
  if (authority === undefined || authority.length > maxHostLength + 8) return null
  const at = authority.lastIndexOf(':')
  const host = authority.slice(0, at).replace(/^\[|\]$/g, '')
  const port = authority.slice(at + 1)
  return at > 0 && /^\d{1,5}$/.test(port) ? { host, port: Number(port) } : null
}

function refuse(request: ServerHttp2Stream): void {
  if (request.closed || request.destroyed) return
  request.close(constants.NGHTTP2_CONNECT_ERROR)
}

async function open(request: ServerHttp2Stream, target: Target, resolve: Resolve): Promise<void> {
  const address = await checkedAddress(target.host, target.port, resolve)
  if (request.closed || request.destroyed) return
  if (address === null) {
    refuse(request)
    return
  }
  const socket = new Socket()
  const timeout = setTimeout(() => socket.destroy(new Error('The connection was not made in time.')), connectTimeoutMs)
  // Either side's end, error or close ends the other.
  request.once('close', () => socket.destroy())
  socket.once('error', () => refuse(request))
  socket.once('close', () => {
    clearTimeout(timeout)
    if (!request.closed) request.end()
  })
  socket.once('connect', () => {
    clearTimeout(timeout)
    socket.setTimeout(idleTimeoutMs, () => socket.destroy())
    if (request.closed || request.destroyed) {
      socket.destroy()
      return
    }
    request.respond({ ':status': 200 })
    request.pipe(socket)
    socket.pipe(request)
  })
  socket.connect({ host: address, port: target.port })
}
