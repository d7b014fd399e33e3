import { lookup, Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'

/** Finds the addresses of a name; rejects for an unknown one. */
export type Resolve = (host: string) => Promise<ReadonlyArray<{ address: string }>>

/** Look-ups that end together: those of one site, or of one connection. */
export interface NameResolver {
  resolve: Resolve
  /** Ends every look-up under way. */
  cancel(): void
}

/** For tests. */
interface ResolverOptions {
  /** Replaces the name servers of this machine. */
  servers?: readonly string[]
  /** Longest wait for one answer of a name server; it is asked twice at most. */
  answerTimeoutMs?: number
}

/**
 * Asks the name servers of this machine without its pool of threads: in there all look-ups, the reading of files and the
 * hashing take turns, and a few names whose server never answers keep everybody from theirs. Names that only this machine
 * knows (its hosts file) are not found, and a site has no need of them.
 */
export function openResolver({ servers, answerTimeoutMs = 4_000 }: ResolverOptions = {}): NameResolver {
  const resolver = new Resolver({ timeout: answerTimeoutMs, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const found = (asked: Promise<string[]>): Promise<string[]> =>
    asked.catch((error: unknown) => {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENODATA') return []
      throw error
    })
  return {
    resolve: async (host) => {
      const [four, six] = await Promise.all([found(resolver.resolve4(host)), found(resolver.resolve6(host))])
      // The first one is connected to: of a family that this machine has.
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

/**
 * At most so many look-ups at once; further ones are refused. A caller who left makes no room: its look-up is still under
 * way.
 */
export function bounded(resolve: Resolve, most: number): Resolve {
  let underWay = 0
  return async (host) => {
    if (underWay >= most) throw new Error('Too many names are looked up at once.')
    underWay += 1
    try {
      return await resolve(host)
    } finally {
      underWay -= 1
    }
  }
}

/** Look-ups by the system at once that somebody else's names may cause: half of the threads. */
const maxSystemLookups = 2

/**
 * Finds the names that organizations choose. Name servers are asked first, as for sites. What they do not know may be one of
 * this machine's own names, which the operator may permit (`EASYDASH_ALLOW_PRIVATE_CIDRS`): only the system knows those.
 */
export function openTenantResolver(options: ResolverOptions = {}): Resolve {
  const bySystem = bounded((host) => lookup(host, { all: true, verbatim: true }), maxSystemLookups)
  return async (host) => {
    const resolver = openResolver(options)
    const found = await resolver.resolve(host).catch((error: unknown) => {
      // Who was silent once would hold a thread.
      if (error instanceof Error && Reflect.get(error, 'code') === 'ETIMEOUT') throw error
      return []
    })
    resolver.cancel()
    return found.length > 0 ? found : bySystem(host)
  }
}
