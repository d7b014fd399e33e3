import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { cidrMatcher, parseAddress, unmapIpv4 } from '#server/platform/network/addresses.ts'

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
  const isProxy = cidrMatcher(trusted)

  return (request) => {
    // IPv4 addresses arrive as `::ffff:1.2.3.4` on a socket that speaks both.
    const peer = unmapIpv4(request.socket.remoteAddress ?? '')
    const ownHost = (request.headers.host ?? '').toLowerCase()
    const chain = listOf(request.headers['x-forwarded-for'])
    if (!isProxy(peer)) {
      // A forwarding header from somewhere not trusted says that a proxy stands between: then "loopback" means nothing.
      const direct = chain.length === 0 && request.headers.forwarded === undefined
      return { ip: peer, host: ownHost, loopback: direct && parseAddress(peer)?.range() === 'loopback' }
    }
    const ip = chain.map(unmapIpv4).findLast((address) => !isProxy(address))
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
