import { BlockList, isIP } from 'node:net'
import { isExternalAddress } from '#server/platform/network/addresses.ts'
import { limitLookups, openResolver, type Resolve } from '#server/platform/network/name-resolver.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { DnsRecord, DomainLookUp } from '#shared/responses/site-domains.ts'

/** Look-ups at a time, of all users: each waits for name servers that somebody chose. */
const mostAtOnce = 10
/** Addresses of a name that are looked at. */
const mostAddresses = 20
/** Addresses of a name that are shown. */
const mostShown = 4

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

const recordType = (address: string): DnsRecord['type'] => (isIP(address) === 6 ? 'AAAA' : 'A')

/**
 * Whether a domain leads to a server, by which records, and by which ones it would. Addresses inside a network are left out, and a
 * name that has no others looks like one that does not exist: both would tell names of the network that this runs in.
 */
export async function lookUpDomain(
  domain: string,
  server: Pick<Server, 'floating_ip' | 'public_ipv4' | 'public_ipv6'>,
  resolve: Resolve = resolveNames,
): Promise<DomainLookUp> {
  const addresses = [server.floating_ip, server.public_ipv4, server.public_ipv6].flatMap((address) =>
    address !== null && isIP(address) !== 0 ? [address] : [],
  )
  // A floating address stays when the machine is replaced, so it is preferred.
  const expected = (['A', 'AAAA'] as const).flatMap((type) => {
    const address = addresses.find((one) => recordType(one) === type)
    return address === undefined ? [] : [{ type, address }]
  })
  if (addresses.length === 0) return { state: 'unknown', expected, found: [] }
  const own = new BlockList()
  for (const address of addresses) own.addAddress(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  try {
    const resolved = (await resolve(domain)).slice(0, mostAddresses)
    const records = resolved.map(({ address }) => ({
      type: recordType(address),
      address,
      is_here: own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
    }))
    // Each visitor gets one of them.
    const state = records.length > 0 && records.every((record) => record.is_here) ? 'here' : 'not_here'
    return { state, expected, found: shownRecords(records) }
  } catch (error) {
    return { state: isUnknownName(error) ? 'not_here' : 'unknown', expected, found: [] }
  }
}

/** Those that lead elsewhere first: they have to be changed. */
function shownRecords(records: DomainLookUp['found']): DomainLookUp['found'] {
  const byAddress = new Map(records.map((record) => [record.address, record]))
  return [...byAddress.values()]
    .filter(({ address, is_here: isHere }) => isHere || isExternalAddress(address))
    .toSorted((a, b) => Number(a.is_here) - Number(b.is_here))
    .slice(0, mostShown)
}
