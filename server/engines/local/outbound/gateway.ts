import { constants, createServer, type ServerHttp2Stream } from 'node:http2'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { MysqlAddress } from '#server/platform/mysql/mysql-client.ts'
import { createRateCounter } from '../proxy/per-second.ts'
import { relayLogin } from './database-login.ts'
import { limitFrames } from './limit-frames.ts'
import { isDatabase, checkedAddress } from './policy.ts'
import { limitLookups, openResolver, type Resolve, type NameResolver } from '#server/platform/network/name-resolver.ts'

/** Maximum open connections per site, and pending lookups: one for each of them. */
const maxConnections = 64
/** Maximum connection requests per site and second: rejecting them costs time, too. */
const maxRequestsPerSecond = 500
/** Maximum open connections to the site's database: also before they log in, when the server does not know whose they are. */
const maxDatabaseConnections = 12
/** Maximum passwords per site and second that are decrypted for its database, each in a millisecond: the database knows them from then on. */
const maxPasswordsPerSecond = 24
/** Connect timeout. */
const connectTimeoutMs = 30_000
/** Idle timeout of an open connection. */
const idleTimeoutMs = 5 * 60_000
/** Maximum length of a host name (RFC 1035). */
const maxHostLength = 255

/**
 * The only network access of a site's process: it requests connections over one stream with HTTP/2's CONNECT (RFC 9113,
 * 8.5), and this process opens those that the policy allows. Nothing inside the site's process can change the policy.
 * @param stream the engine's end of the stream
 * @param options.resolver replaces the machine's name servers, for tests
 * @param options.database where connections to the site's database lead; null: it has none that is reached like this
 * @param options.isClosed nothing but the database is reached
 */
export function serveOutbound(
  stream: Duplex,
  {
    resolver = openResolver(),
    database = null,
    isClosed = false,
  }: { resolver?: NameResolver; database?: MysqlAddress | null; isClosed?: boolean } = {},
): void {
  const resolve = isClosed ? null : limitLookups(resolver.resolve, maxConnections)
  const withinRate = createRateCounter(maxRequestsPerSecond)
  // A pending lookup would outlive the site's process.
  stream.once('close', () => resolver.cancel())
  const slots = { open: 0, withinPasswords: createRateCounter(maxPasswordsPerSecond) }
  const server = createServer({
    maxSessionMemory: 16,
    // A site that opens and resets streams in a loop is disconnected (CVE-2023-44487).
    streamResetBurst: 1_000,
    streamResetRate: 100,
    maxSessionInvalidFrames: 10,
    settings: { maxConcurrentStreams: maxConnections, maxHeaderListSize: 4_096, enablePush: false },
  })
  // The site's process ended, or violated the protocol: in both cases it loses its network access.
  server.on('sessionError', () => undefined)
  server.on('stream', (request, headers) => {
    request.on('error', () => request.destroy())
    if (!withinRate(1)) {
      request.session?.destroy()
      return
    }
    const target = headers[':method'] === 'CONNECT' ? parseTarget(headers[':authority']) : null
    if (target === null) {
      closeWithError(request)
      return
    }
    open(request, target, { resolve, database, slots }).catch(() => closeWithError(request))
  })
  server.emit('connection', limitFrames(stream))
}

interface Target {
  host: string
  port: number
}

/** Parses `host:port` or `[address]:port`. */
function parseTarget(authority: string | undefined): Target | null {
  if (authority === undefined || authority.length > maxHostLength + 8) return null
  const at = authority.lastIndexOf(':')
  const host = authority.slice(0, at).replace(/^\[|\]$/g, '')
  const port = authority.slice(at + 1)
  return at > 0 && /^\d{1,5}$/.test(port) ? { host, port: Number(port) } : null
}

function closeWithError(request: ServerHttp2Stream): void {
  if (request.closed || request.destroyed) return
  request.close(constants.NGHTTP2_CONNECT_ERROR)
}

async function open(
  request: ServerHttp2Stream,
  target: Target,
  {
    resolve,
    database,
    slots,
  }: {
    readonly resolve: Resolve | null
    readonly database: MysqlAddress | null
    slots: { open: number; readonly withinPasswords: (amount: number) => boolean }
  },
): Promise<void> {
  const address = await allowedAddress(target, resolve, database)
  if (request.closed || request.destroyed) return
  if (address === null) {
    closeWithError(request)
    return
  }
  const isToDatabase = address === database
  if (isToDatabase && slots.open >= maxDatabaseConnections) {
    closeWithError(request)
    return
  }
  if (isToDatabase) slots.open += 1
  const socket = new Socket()
  const timeout = setTimeout(() => socket.destroy(new Error('The connection was not made in time.')), connectTimeoutMs)
  // An end, error or close on either side ends the other.
  request.once('close', () => socket.destroy())
  socket.once('error', () => closeWithError(request))
  socket.once('close', () => {
    clearTimeout(timeout)
    if (isToDatabase) slots.open -= 1
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
    if (isToDatabase && 'path' in address) relayLogin(request, socket, () => slots.withinPasswords(1))
    else request.pipe(socket).pipe(request)
  })
  socket.connect(address)
}

/** Where a connection leads; null if it is rejected. Without `resolve`, all but the database is. */
async function allowedAddress(
  { host, port }: Target,
  resolve: Resolve | null,
  database: MysqlAddress | null,
): Promise<MysqlAddress | null> {
  if (database !== null && isDatabase(host, port)) return database
  const address = resolve === null ? null : await checkedAddress(host, port, resolve)
  return address === null ? null : { host: address, port }
}
