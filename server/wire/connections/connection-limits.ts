import { readFileSync } from 'node:fs'
import type { ChunkLimits } from '#server/platform/files/chunk-limit.ts'

/** Limits for one connection and for all connections. */
export interface ConnectionLimits {
  /** Maximum number of connections. */
  readonly most: number
  /** Milliseconds for the request head, from the connection or the first byte. */
  readonly headMs: number
  /**
   * A body may take `graceMs`, plus one second per `bytesPerSecond` received. Anything slower holds connections on purpose
   * rather than having a slow network (Apache's mod_reqtimeout uses 20 s and 500 bytes).
   */
  readonly body: { readonly graceMs: number; readonly bytesPerSecond: number }
  /** Limits for how finely bodies may be split. */
  readonly chunks: ChunkLimits
  /** Milliseconds without progress after which a client that does not read its response is disconnected. */
  readonly stalledMs: number
  /** Milliseconds for an upgraded connection to authenticate; socket handshakes have their own limit of ten seconds. */
  readonly upgradeMs: number
  /** Maximum number of unauthenticated upgraded connections. */
  readonly upgrades: number
  /** Maximum number of pipelined requests per connection; browsers do not pipeline. */
  readonly pipelined: number
  /** Maximum number of connections with an unfinished body, each of which holds a request. */
  readonly bodies: number
  /** Maximum number of header lines per request. */
  readonly headers: number
  /** Milliseconds between two checks of all connections. */
  readonly sweepMs: number
}

/** Maximum size of a request head in bytes: lists with many filters are long URLs. */
export const maxHeaderSize = 32 * 1024

/** Each connection is an open file: half of the system's limit is left for the database, sites and files. */
function maxConnections(): number {
  return Math.min(10_000, Math.floor(openFiles() / 2))
}

/** Maximum number of open files of this process. Node raises the soft limit to the hard one at startup. */
function openFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    // Not Linux: macOS allows at least 10240.
    return 10_240
  }
}

/** Default limits of the public port. */
export const defaultConnectionLimits = (): ConnectionLimits => ({
  most: maxConnections(),
  headMs: 15_000,
  body: { graceMs: 20_000, bytesPerSecond: 500 },
  chunks: { burst: 250, perSecond: 250, bytes: 512 },
  stalledMs: 60_000,
  upgradeMs: 20_000,
  upgrades: 2000,
  pipelined: 8,
  bodies: 500,
  headers: 200,
  sweepMs: 5000,
})
