import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * Parses an IPv4 or IPv6 address without brackets and zone; null for any other text. Node decides what a valid address is:
 * ipaddr.js also accepts octal, hexadecimal and short forms of IPv4.
 */
export function parseAddress(text: string): IPv4 | IPv6 | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  if (!isIPv6(text) || text.includes('%')) return null
  // ipaddr.js parses `::a.b.c.d`, the compatible form (RFC 4291, 2.5.5.1), as the mapped one, which is a different address.
  return ipaddr.IPv6.parse(text.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:'))
}

const range = (text: string) => ipaddr.IPv6.parseCIDR(text)
const globalUnicast = range('2000::/3')
const mapped = range('::ffff:0:0/96')
/** The well-known prefix of RFC 6052. */
const nat64 = range('64:ff9b::/96')
const sixToFour = range('2002::/16')
const teredo = range('2001::/32')
/** Ranges in which every address represents an IPv4 address: compatible, mapped, translated (SIIT, NAT64), 6to4, Teredo. */
const ipv4Carriers = [range('::/96'), mapped, range('::ffff:0:0:0/96'), range('64:ff9b::/32'), sixToFour, teredo]

const ipv4At = (bytes: readonly number[], start: number) => new ipaddr.IPv4(bytes.slice(start, start + 4))

/** ISATAP (RFC 5214) puts an IPv4 address into the interface identifier. */
function isIsatap([, , , , g4, g5]: readonly number[]): boolean {
  return (g4 === 0 || g4 === 0x0200) && g5 === 0x5efe
}

/** The IPv4 addresses to which packets for an IPv6 address of a reachable form can be forwarded. */
function forwardedTo(address: IPv6): IPv4[] {
  const bytes = address.toByteArray()
  if (address.match(mapped) || address.match(nat64)) return [ipv4At(bytes, 12)]
  if (address.match(teredo)) {
    // The server, and the client with its bits inverted (RFC 4380).
    return [ipv4At(bytes, 4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))]
  }
  const isatap = isIsatap(address.parts) ? [ipv4At(bytes, 12)] : []
  return address.match(sixToFour) ? [ipv4At(bytes, 2), ...isatap] : isatap
}

const isUnicast = (address: IPv4 | IPv6) => address.range() === 'unicast'

/**
 * Whether `ip` (IPv4 or IPv6 text without brackets and zone) is a public unicast address: not loopback, private, link-local,
 * shared, documentation, benchmark, multicast, reserved or one of the special services AS112 and AMT (IANA's special-purpose
 * address registries). For IPv6 addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP), the embedded one
 * counts. Text that is not an address is not public.
 */
export function isPublicUnicast(ip: string): boolean {
  const address = parseAddress(ip)
  if (address === null) return false
  if (address instanceof ipaddr.IPv4) return isUnicast(address)
  if (!forwardedTo(address).every(isUnicast)) return false
  return (
    [mapped, nat64, sixToFour, teredo].some((form) => address.match(form)) ||
    (address.match(globalUnicast) && isUnicast(address))
  )
}

/**
 * Whether an IPv6 address only represents an IPv4 address: mapped, compatible, translated (NAT64, SIIT), 6to4, Teredo or
 * ISATAP. No machine on today's public network has one as its own address.
 */
export function embedsIpv4(ip: string): boolean {
  const address = parseAddress(ip)
  return (
    address instanceof ipaddr.IPv6 &&
    (ipv4Carriers.some((network) => address.match(network)) || isIsatap(address.parts))
  )
}

/** Documentation ranges (RFC 5737, RFC 3849, RFC 9637): they are not routed anywhere. */
const isExample = cidrMatcher(['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'])

/**
 * Whether an address can be stored as that of an external machine: public, or from a documentation range, in its own form.
 * The caller handles ranges in `EASYDASH_ALLOW_PRIVATE_CIDRS`.
 */
export function isExternalAddress(ip: string): boolean {
  return !embedsIpv4(ip) && (isPublicUnicast(ip) || isExample(ip))
}

/** Names that refer to the local machine or its network (RFC 6761, 6762, 8375; ICANN's `internal`). */
export function isLocalName(host: string): boolean {
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i.test(host)
}

/** The IPv4 address inside `::ffff:a.b.c.d` (also in hexadecimal form); any other text is returned unchanged. */
export function unmapIpv4(ip: string): string {
  const address = parseAddress(ip)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : ip
}

/**
 * The IPv4 address embedded in an IPv6 one: mapped (`::ffff:0:0/96`), translated by NAT64 (the well-known prefix of RFC
 * 6052) or tunneled by 6to4, whose network is one IPv4 address. Null for all others.
 */
export function embeddedIpv4(address: IPv6): string | null {
  if (![mapped, nat64, sixToFour].some((form) => address.match(form))) return null
  return forwardedTo(address)[0]?.toString() ?? null
}

/** Whether `text` is a range such as `10.0.0.0/8` or `fd00::/8`, or a single address. */
export function isCidr(text: string): boolean {
  const [base = '', bits, more] = text.split('/')
  if (more !== undefined || base.includes('%') || !(isIPv4(base) || isIPv6(base))) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(base) ? 32 : 128)
}

/** Creates a test for membership in any of the ranges; addresses are unmapped first. Throws for an invalid range. */
export function cidrMatcher(ranges: readonly string[]): (ip: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    if (!isCidr(range)) throw new TypeError(`Not an address range: ${range}`)
    const [base = '', bits] = range.split('/')
    const family = isIPv4(base) ? 'ipv4' : 'ipv6'
    list.addSubnet(base, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return (ip) => {
    const plain = unmapIpv4(ip)
    if (isIPv4(plain)) return list.check(plain, 'ipv4')
    return isIPv6(plain) && !plain.includes('%') && list.check(plain, 'ipv6')
  }
}
