import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { cidrMatcher, parseAddress, unmapIpv4 } from '#server/platform/network/addresses.ts'

/** Origin of a request, as far as it can be trusted. */
export interface Client {
  /** Address of the client; IPv4 in its own notation. */
  readonly ip: string
  /** Host requested by the browser, lowercase, with port; '' if missing. */
  readonly host: string
  /** Whether the request comes directly from this machine, without a proxy. */
  readonly loopback: boolean
}

/** The other end of a connection. */
interface Peer {
  readonly ip: string
  readonly isProxy: boolean
  readonly isLoopback: boolean
}

/**
 * Creates the function that determines a request's client. `X-Forwarded-For` and `X-Forwarded-Host`, else `Forwarded`
 * (RFC 7239), are used only if the connection comes from a trusted proxy (CIDRs); the client is then the last address
 * that is not one. Where both are sent the first counts: a proxy that writes one passes on what a client says in the other.
 */
export function clientReader(trusted: readonly string[]): (request: IncomingMessage) => Client {
  const isProxy = cidrMatcher(trusted)
  /** What is known about the other end of a connection, which sends many requests. */
  const peers = new WeakMap<Socket, Peer>()

  function peerOf(socket: Socket): Peer {
    const known = peers.get(socket)
    if (known) return known
    // IPv4 addresses arrive as `::ffff:1.2.3.4` on dual-stack sockets.
    const ip = unmapIpv4(socket.remoteAddress ?? '')
    const peer = { ip, isProxy: isProxy(ip), isLoopback: parseAddress(ip)?.range() === 'loopback' }
    // A connection that is closing has no address anymore.
    if (ip !== '') peers.set(socket, peer)
    return peer
  }

  return (request) => {
    const { ip: peer, ...from } = peerOf(request.socket)
    const ownHost = (request.headers.host ?? '').toLowerCase()
    const chain = listOf(request.headers['x-forwarded-for'])
    const forwarded = chain.length === 0 ? forwardedElements(request.headers.forwarded) : []
    if (!from.isProxy) {
      // A forwarding header from an untrusted peer shows that there is a proxy, so "loopback" would mean nothing.
      const direct = chain.length === 0 && request.headers.forwarded === undefined
      return { ip: peer, host: ownHost, loopback: direct && from.isLoopback }
    }
    const addresses = chain.length > 0 ? chain : forwarded.map((element) => element.get('for') ?? 'unknown')
    const ip = addresses.map(addressOf).findLast((address) => !isProxy(address))
    const host = listOf(request.headers['x-forwarded-host']).at(-1) ?? forwarded.at(-1)?.get('host') ?? ownHost
    return { ip: ip !== undefined && isIP(ip) !== 0 ? ip : peer, host: host.toLowerCase(), loopback: false }
  }
}

/**
 * The address of a hop: as it is, with a port, or in brackets with and without one, also in quotes. What is none, such as
 * `unknown` or `_name`, stays as it is.
 */
function addressOf(hop: string): string {
  const text = unquoted(hop)
  const [, inBrackets, withPort] = /^(?:\[([^\]]*)\](?::[\w.-]+)?|([\d.]+):[\w.-]+)$/.exec(text) ?? []
  return unmapIpv4(inBrackets ?? withPort ?? text)
}

/** The elements of a `Forwarded` header, the client's first: their pairs by name in lower case. */
function forwardedElements(header: string | undefined): ReadonlyMap<string, string>[] {
  // Commas and semicolons inside quotes separate nothing.
  const pieces = (header ?? '').match(/(?:[^",;]|"(?:[^"\\]|\\.)*"?)+|[,;]/g) ?? []
  const elements = [new Map<string, string>()]
  for (const piece of pieces) {
    const [name = '', value] = piece.split(/=(.*)/s).map((part) => part.trim())
    if (piece === ',') elements.push(new Map())
    else if (value !== undefined) elements.at(-1)?.set(name.toLowerCase(), unquoted(value))
  }
  return elements.filter((element) => element.size > 0)
}

const unquoted = (text: string): string => (/^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : text)

function listOf(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
