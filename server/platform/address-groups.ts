import { isIPv4, isIPv6 } from 'node:net'
import { embeddedIpv4, groupsOfV6 } from './addresses.ts'

/** A network that counts as one caller, and how many times the limit of a single address it may use. */
export interface AddressGroup {
  readonly key: string
  readonly times: number
}

/**
 * One customer of a provider has a /64 at least and often a /56 or /48 (RFC 6177), so that single IPv6 addresses cost
 * nothing. A /48 may hold many customers, too, hence the higher limit.
 */
const networks = [
  { bits: 64, times: 1 },
  { bits: 48, times: 16 },
] as const

/**
 * The networks an address is counted in by limits: an IPv4 address by itself (also in its IPv6 forms), an IPv6 address
 * by its /64 and more loosely by its /48. Text that is no address counts as it is.
 */
export function addressGroups(ip: string): readonly [AddressGroup, ...AddressGroup[]] {
  // A zone names an interface of this machine; the address is the same.
  const [address = ''] = ip.split('%')
  if (isIPv4(address)) return [{ key: address, times: 1 }]
  if (!isIPv6(address)) return [{ key: ip, times: 1 }]
  const embedded = embeddedIpv4(address)
  if (embedded !== null) return [{ key: embedded, times: 1 }]
  const groups = groupsOfV6(address)
  const [narrow, wide] = networks.map(({ bits, times }) => ({
    key: `${groups
      .slice(0, bits / 16)
      .map((group) => group.toString(16))
      .join(':')}::/${bits}`,
    times,
  }))
  return [narrow as AddressGroup, wide as AddressGroup]
}

/** The network in which nobody has more than one turn: where what is shared must not go to one customer of a provider. */
export function widestAddressGroup(ip: string): string {
  return (addressGroups(ip).at(-1) as AddressGroup).key
}

/** The one network by which callers are told apart: the /64 of an IPv6 address. */
export function addressGroup(ip: string): string {
  return addressGroups(ip)[0].key
}
