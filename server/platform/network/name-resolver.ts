import { lookup, Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'

/** Resolves a name to addresses; rejects if it is unknown. */
export type Resolve = (host: string) => Promise<ReadonlyArray<{ address: string }>>

/** Lookups that are canceled together: those of one site, or of one connection. */
export interface NameResolver {
  resolve: Resolve
  /** Cancels all pending lookups. */
  cancel(): void
}

/** For tests. */
interface ResolverOptions {
  /** Replaces the name servers of this machine. */
  servers?: readonly string[]
  /** Timeout for one response of a name server; it is queried at most twice. */
  answerTimeoutMs?: number
}

/**
 * Queries the name servers of this machine without Node's thread pool, which lookups share with file reads and hashing: a
 * few names whose server never responds would block all of them. Names that only this machine knows (its hosts file) are not
 * found; sites don't need them.
 */
export function openResolver({ servers, answerTimeoutMs = 4_000 }: ResolverOptions = {}): NameResolver {
  const resolver = new Resolver({ timeout: answerTimeoutMs, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const found = (lookup: Promise<string[]>): Promise<string[]> =>
    lookup.catch((error: unknown) => {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENODATA') return []
      throw error
    })
  return {
    resolve: async (host) => {
      const [four, six] = await Promise.all([found(resolver.resolve4(host)), found(resolver.resolve6(host))])
      // The caller connects to the first one: it must be of a family that this machine has.
      return (hasIpv4() ? [...four, ...six] : [...six, ...four]).map((address) => ({ address }))
    },
    cancel: () => resolver.cancel(),
  }
}

function hasIpv4(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((entry) => entry?.family === 'IPv4' && !entry.internal)
}

/** Limits concurrent lookups; further ones are rejected. A lookup counts until it ends, even if its caller is gone. */
export function limitLookups(resolve: Resolve, most: number): Resolve {
  let running = 0
  return async (host) => {
    if (running >= most) throw new Error('Too many names are looked up at once.')
    running += 1
    try {
      return await resolve(host)
    } finally {
      running -= 1
    }
  }
}

/** Maximum concurrent system lookups for untrusted names: half of the threads. */
const maxSystemLookups = 2

/**
 * Resolves names that organizations choose. Name servers are queried first, as for sites. A name they don't know may be one
 * of this machine's own names, which the operator can permit (`EASYDASH_ALLOW_PRIVATE_CIDRS`): only the system resolver
 * knows those.
 */
export function openTenantResolver(options: ResolverOptions = {}): Resolve {
  const bySystem = limitLookups((host) => lookup(host, { all: true, verbatim: true }), maxSystemLookups)
  return async (host) => {
    const resolver = openResolver(options)
    const found = await resolver.resolve(host).catch((error: unknown) => {
      // A name server that timed out would block a thread.
      if (error instanceof Error && Reflect.get(error, 'code') === 'ETIMEOUT') throw error
      return []
    })
    resolver.cancel()
    return found.length > 0 ? found : bySystem(host)
  }
}
