import { BlockList, isIP, isIPv4 } from 'node:net'
import type { IncomingMessage } from 'node:http'

/** Where a request comes from, as far as it can be believed. */
export interface Client {
  /** Address of the visitor, IPv4 in its own form. */
  readonly ip: string
  /** Host the visitor's browser asked for, lower case, with port; '' without one. */
  readonly host: string
  /** Whether it comes from this machine and no proxy stands between. */
  readonly loopback: boolean
}

/**
 * Makes the function that says who sent a request. `X-Forwarded-For` and `X-Forwarded-Host` count only when the
 * connection comes from one of the trusted proxies (CIDRs); the address is then the last one no trusted proxy has.
 */
export function clientReader(trusted: readonly string[]): (request: IncomingMessage) => Client {
  const proxies = new BlockList()
  for (const cidr of trusted) {
    const [address = '', bits] = cidr.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    proxies.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  const isProxy = (ip: string) =>
    trusted.length > 0 && isIP(ip) !== 0 && proxies.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6')

  return (request) => {
    const peer = plain(request.socket.remoteAddress ?? '')
    const ownHost = (request.headers.host ?? '').toLowerCase()
    const chain = listOf(request.headers['x-forwarded-for'])
    if (!isProxy(peer)) {
      // A forwarding header from somewhere not trusted says that a proxy stands between: then "loopback" means nothing.
      const direct = chain.length === 0 && request.headers.forwarded === undefined
      return { ip: peer, host: ownHost, loopback: direct && isLoopback(peer) }
    }
    const ip = chain.map(plain).findLast((address) => !isProxy(address))
    const host = listOf(request.headers['x-forwarded-host']).at(-1)?.toLowerCase() ?? ownHost
    return { ip: ip !== undefined && isIP(ip) !== 0 ? ip : peer, host, loopback: false }
  }
}

function listOf(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** IPv4 addresses arrive as `::ffff:1.2.3.4` on a socket that speaks both. */
function plain(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return mapped ?? address
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}
