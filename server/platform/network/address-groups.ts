import ipaddr from 'ipaddr.js'
import { embeddedIpv4, parseAddress } from './addresses.ts'

/** A network that counts as one caller, and a multiplier for its limit. */
export interface AddressGroup {
  readonly key: string
  readonly times: number
}

/**
 * The networks by which limits count an address: an IPv4 address by itself (also in its IPv6 forms), an IPv6 address by its
 * /64 and, with a higher limit, by its /48. Text that is not an address is used as is.
 *
 * A provider's customer has at least a /64 and often a /56 or /48 (RFC 6177), so single IPv6 addresses cost nothing. A /48
 * may contain many customers, hence its higher limit.
 */
export function addressGroups(ip: string): readonly [AddressGroup, ...AddressGroup[]] {
  // A zone names an interface of this machine; the address is the same.
  const [text = ''] = ip.split('%')
  const address = parseAddress(text)
  if (address === null) return [{ key: ip, times: 1 }]
  if (address instanceof ipaddr.IPv4) return [{ key: text, times: 1 }]
  const embedded = embeddedIpv4(address)
  if (embedded !== null) return [{ key: embedded, times: 1 }]
  const network = (bits: 48 | 64) => {
    const parts = address.parts.map((part, at) => (at < bits / 16 ? part : 0))
    return `${new ipaddr.IPv6(parts).toString()}/${bits}`
  }
  return [
    { key: network(64), times: 1 },
    { key: network(48), times: 16 },
  ]
}

/**
 * The widest network of an address, for sharing a resource fairly: one provider's customer must not get more than one share.
 */
export function widestAddressGroup(ip: string): string {
  return (addressGroups(ip).at(-1) as AddressGroup).key
}

/** The network that identifies a caller: the /64 of an IPv6 address. */
export function addressGroup(ip: string): string {
  return addressGroups(ip)[0].key
}
