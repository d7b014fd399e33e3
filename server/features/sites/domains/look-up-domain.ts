import { BlockList, isIP } from 'node:net'
import { limitLookups, openResolver, type Resolve } from '#server/platform/network/name-resolver.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { DomainLookUp } from '#shared/responses/site-domains.ts'

/** Look-ups at a time, of all users: each waits for name servers that somebody chose. */
const mostAtOnce = 10
/** Addresses of a name that are looked at. */
const mostAddresses = 20

const resolveNames: Resolve = limitLookups(async (host) => {
  const resolver = openResolver({ answerTimeoutMs: 2_000 })
  try {
    return await resolver.resolve(host)
  } finally {
    resolver.cancel()
  }
}, mostAtOnce)

/** Codes of a name that does not exist; others say nothing about it. */
const isUnknownName = (error: unknown): boolean =>
  error instanceof Error && ['ENOTFOUND', 'ENODATA'].includes(String(Reflect.get(error, 'code')))

/**
 * Whether a domain leads to a server. Where else it leads, and whether it exists at all, is not said: that would tell names of the network that
 * this runs in.
 */
export async function lookUpDomain(
  domain: string,
  server: Pick<Server, 'floating_ip' | 'public_ipv4' | 'public_ipv6'>,
  resolve: Resolve = resolveNames,
): Promise<DomainLookUp['state']> {
  const own = new BlockList()
  for (const address of [server.floating_ip, server.public_ipv4, server.public_ipv6]) {
    const family = isIP(address ?? '')
    if (address && family !== 0) own.addAddress(address, family === 4 ? 'ipv4' : 'ipv6')
  }
  if (own.rules.length === 0) return 'unknown'
  try {
    const found = (await resolve(domain)).slice(0, mostAddresses)
    const isOwn = ({ address }: { address: string }) => own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
    // Each visitor gets one of them.
    return found.length > 0 && found.every(isOwn) ? 'here' : 'not_here'
  } catch (error) {
    return isUnknownName(error) ? 'not_here' : 'unknown'
  }
}
