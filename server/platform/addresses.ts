import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 ranges that are not globally reachable unicast (IANA special-purpose address registry, RFC 6890 and its updates). */
const CLOSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Numbers of an IPv4 address. */
function bytesOfV4(ip: string): number[] {
  return ip.split('.').map(Number)
}

/** The eight 16-bit groups of an IPv6 address without zone; the caller has checked the form. */
export function groupsOfV6(ip: string): number[] {
  let text = ip
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (dotted) {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOfV4(dotted[2] ?? '')
    text = `${dotted[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }
  const [head = '', tail] = text.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const filler = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(filler).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
}

const v4FromGroups = (high: number, low: number) => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`

function toV4Number(ip: string): number {
  return bytesOfV4(ip).reduce((sum, byte) => sum * 256 + byte, 0)
}

const closedV4 = CLOSED_V4.map((range) => {
  const [base = '', bits = '32'] = range.split('/')
  const size = 2 ** (32 - Number(bits))
  return { first: toV4Number(base), last: toV4Number(base) + size - 1 }
})

function isPublicV4(ip: string): boolean {
  const number = toV4Number(ip)
  return closedV4.every(({ first, last }) => number < first || number > last)
}

function isPublicV6(groups: number[]): boolean {
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = groups
  const embedded = v4FromGroups(g6, g7)
  const zeros = (...values: number[]) => values.every((value) => value === 0)
  // Forms that carry an IPv4 address: what counts is where the packets end, so the inner address is judged.
  if (zeros(g0, g1, g2, g3, g4) && g5 === 0xffff) return isPublicV4(embedded)
  if (g0 === 0x64 && g1 === 0xff9b && zeros(g2, g3, g4, g5)) return isPublicV4(embedded)
  if (g0 === 0x2002) return isPublicV4(v4FromGroups(g1, g2)) && !isIsatapToClosed(g4, g5, embedded)
  if (g0 === 0x2001 && g1 === 0) {
    return isPublicV4(v4FromGroups(g2, g3)) && isPublicV4(v4FromGroups(g6 ^ 0xffff, g7 ^ 0xffff))
  }
  // Everything else must be global unicast 2000::/3, less the ranges set aside in it.
  if ((g0 & 0xe000) !== 0x2000) return false
  if (g0 === 0x2001 && g1 < 0x0200) return false
  if (g0 === 0x2001 && g1 === 0x0db8) return false
  if (g0 === 0x3fff && g1 < 0x1000) return false
  return !isIsatapToClosed(g4, g5, embedded)
}

/** ISATAP (RFC 5214) hides an IPv4 address in the interface identifier. */
function isIsatapToClosed(g4: number, g5: number, embedded: string): boolean {
  return (g4 === 0 || g4 === 0x0200) && g5 === 0x5efe && !isPublicV4(embedded)
}

/**
 * Whether `ip` (IPv4 or IPv6 text, brackets and zone not allowed) is a public unicast address: not loopback, private,
 * link-local, shared, documentation, benchmark, multicast or reserved, judged after unmapping ::ffff:0:0/96, NAT64,
 * 6to4, Teredo and ISATAP. Text that is no address is not public.
 */
export function isPublicUnicast(ip: string): boolean {
  if (isIPv4(ip)) return isPublicV4(ip)
  if (!isIPv6(ip) || ip.includes('%')) return false
  return isPublicV6(groupsOfV6(ip))
}

/**
 * Whether an IPv6 address only stands for an IPv4 address: mapped, compatible, translated (NAT64, SIIT), 6to4, Teredo or
 * ISATAP. No machine has one as its own address in the public network of today.
 */
export function carriesIpv4(ip: string): boolean {
  if (!isIPv6(ip) || ip.includes('%')) return false
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0] = groupsOfV6(ip)
  const zeros = (...values: number[]) => values.every((value) => value === 0)
  return (
    (zeros(g0, g1, g2, g3) && (g4 === 0xffff ? g5 === 0 : g4 === 0 && (g5 === 0 || g5 === 0xffff))) ||
    (g0 === 0x64 && g1 === 0xff9b) ||
    g0 === 0x2002 ||
    (g0 === 0x2001 && g1 === 0) ||
    ((g4 === 0 || g4 === 0x0200) && g5 === 0x5efe)
  )
}

/** Ranges for examples (RFC 5737, RFC 3849, RFC 9637): they lead nowhere, inside or outside. */
const isExample = cidrMatcher(['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'])

/**
 * Whether an address can be kept as that of a machine elsewhere: public, or an example, in its own form. Ranges of
 * `EASYDASH_ALLOW_PRIVATE_CIDRS` are for the caller to allow.
 */
export function leadsOutside(ip: string): boolean {
  return !carriesIpv4(ip) && (isPublicUnicast(ip) || isExample(ip))
}

/** Names that mean this machine or its network wherever they are asked for (RFC 6761, 6762, 8375; ICANN's `internal`). */
export function isInnerName(host: string): boolean {
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i.test(host)
}

/** The IPv4 address inside `::ffff:a.b.c.d` (also in hexadecimal form); any other text comes back unchanged. */
export function unmapIpv4(ip: string): string {
  if (!isIPv6(ip) || ip.includes('%')) return ip
  const groups = groupsOfV6(ip)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return mapped ? v4FromGroups(groups[6] ?? 0, groups[7] ?? 0) : ip
}

/**
 * The IPv4 address that an IPv6 one without zone stands for: mapped (`::ffff:0:0/96`), translated by NAT64 (the
 * well-known prefix of RFC 6052) or tunnelled by 6to4, whose network is one IPv4 address. Null for all others.
 */
export function embeddedIpv4(ip: string): string | null {
  const groups = groupsOfV6(ip)
  const [g0 = 0, g1 = 0, g2 = 0, , , , g6 = 0, g7 = 0] = groups
  const starts = (...prefix: number[]) => prefix.every((group, at) => groups[at] === group)
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0)) return v4FromGroups(g6, g7)
  return g0 === 0x2002 ? v4FromGroups(g1, g2) : null
}

/** Whether `text` is a range such as `10.0.0.0/8` or `fd00::/8`, or a single address. */
export function isCidr(text: string): boolean {
  const [base = '', bits, more] = text.split('/')
  if (more !== undefined || base.includes('%') || !(isIPv4(base) || isIPv6(base))) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(base) ? 32 : 128)
}

/** A test for membership in any of the ranges; the address is unmapped first. Throws on a text that is no range. */
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
