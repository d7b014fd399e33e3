import { Resolver } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'

/** Finds the addresses of a name; rejects for an unknown one. */
export type Resolve = (host: string) => Promise<ReadonlyArray<{ address: string }>>

/** The look-ups of one site. */
export interface SiteResolver {
  resolve: Resolve
  /** Ends every look-up under way. */
  cancel(): void
}

/** Longest wait for one answer of a name server; it is asked twice at most. */
const answerTimeoutMs = 4_000

/**
 * Asks the name servers of this machine without its pool of threads: in there the look-ups of all sites and of the
 * dashboard take turns, and a few names whose server never answers keep everybody from theirs. Names that only this
 * machine knows (its hosts file) are not found, and a site has no need of them.
 * @param servers replaces the name servers of this machine, for tests
 */
export function openResolver(servers?: readonly string[]): SiteResolver {
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
