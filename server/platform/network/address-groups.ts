import ipaddr from 'ipaddr.js'
import { embeddedIpv4, parseAddress } from './addresses.ts'

/** A network that counts as one caller, and how many times the limit of a single address it may use. */
export interface AddressGroup {
  readonly key: string
  readonly times: number
}

/**
 * The networks an address is counted in by limits: an IPv4 address by itself (also in its IPv6 forms), an IPv6 address
 * by its /64 and more loosely by its /48. Text that is no address counts as it is.
 *
 * One customer of a provider has a /64 at least and often a /56 or /48 (RFC 6177), so that single IPv6 addresses cost
 * nothing. A /48 may hold many customers, too, hence its higher limit.
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

/** The network in which nobody has more than one turn: where what is shared must not go to one customer of a provider. */
export function widestAddressGroup(ip: string): string {
  return (addressGroups(ip).at(-1) as AddressGroup).key
}

/** The one network by which callers are told apart: the /64 of an IPv6 address. */
export function addressGroup(ip: string): string {
  return addressGroups(ip)[0].key
}
