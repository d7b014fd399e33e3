import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { cidrMatcher, isPublicUnicast } from '#server/platform/network/addresses.ts'
import type { Resolve } from '#server/platform/network/name-resolver.ts'

/**
 * Addresses of this machine. Being reachable from the internet, its web ports are open to sites;
 * everything else on it is not (a database on a public interface, the dashboard's own port).
 */
function isOwnInterface(ip: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((entries = []) => entries.map(({ address }) => address))
  // Not as texts: an IPv6 address has many spellings.
  return cidrMatcher(own)(ip)
}

/** Whether a site may connect to this address and port. */
export function isAllowed(ip: string, port: number): boolean {
  if (!isPublicUnicast(ip)) return false
  return port === 80 || port === 443 || !isOwnInterface(ip)
}

/**
 * The one address to connect to. All addresses of a name must be public: a name that mixes
 * public and private ones is an attempt to get past the check. The name is asked for once: a second answer
 * (DNS rebinding) is never used.
 * @returns null when the connection is refused
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
