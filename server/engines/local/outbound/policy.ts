import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { cidrMatcher, isPublicUnicast } from '#server/platform/network/addresses.ts'
import type { Resolve } from '#server/platform/network/name-resolver.ts'

/**
 * Addresses of this machine. Sites can connect to its web ports, which are public anyway, but to nothing else on it (a
 * database on a public interface, the dashboard's own port).
 */
function isOwnInterface(ip: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries = []) => entries.map(({ address }) => address))
  // Not compared as text: an IPv6 address has many spellings.
  return cidrMatcher(own)(ip)
}

/**
 * Ports of mail servers (RFC 5321, RFC 8314; 2525 is what providers offer beside them). Mail of local sites stays in their mailboxes: a plugin
 * that sends by itself must not reach customers from a copy.
 */
const mailPorts: ReadonlySet<number> = new Set([25, 465, 587, 2525])

/** Whether a site may connect to this address and port. */
export function isAllowed(ip: string, port: number): boolean {
  if (!isPublicUnicast(ip) || mailPorts.has(port)) return false
  return port === 80 || port === 443 || !isOwnInterface(ip)
}

/** Where a site with a MySQL database finds it, wherever the server really is: its configuration never has to change. */
export const databaseAddress = { host: '127.0.0.1', port: 3306 } as const

/** The same, as WordPress takes it (`DB_HOST`). */
export const databaseHost = `${databaseAddress.host}:${databaseAddress.port}` as const

/** Whether a connection is one to the site's own database. */
export function isDatabase(host: string, port: number): boolean {
  return host === databaseAddress.host && port === databaseAddress.port
}

/**
 * Resolves and checks a host, and returns the one address to connect to. All addresses of a name must be public: a name with
 * both public and private ones is an attempt to bypass the check. The name is resolved once: a second response (DNS
 * rebinding) is never used.
 * @returns null if the connection is rejected
 */
export async function checkedAddress(host: string, port: number, resolve: Resolve): Promise<string | null> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null
  if (isIP(host) !== 0) return isAllowed(host, port) ? host : null
  try {
    const addresses = await resolve(host)
    const first = addresses[0]
    return first !== undefined && addresses.every(({ address }) => isAllowed(address, port)) ? first.address : null
  } catch {
    // An unknown name: PHP sees a refused connection, as with any other resolver failure.
    return null
  }
}
