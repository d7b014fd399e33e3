import { unmapIpv4 } from '#server/platform/network/addresses.ts'
import type { Server } from '#shared/doctypes/server.ts'

const addressesOf = (server: Server) => [
  server.public_ipv4,
  server.public_ipv4_server_import,
  server.floating_ip,
  server.public_ipv6,
  server.private_ipv4,
  server.private_ipv6,
]

/**
 * The server on which `ee dash init` runs. It says the host name of its machine only, which several machines can have, and which is not what people call
 * the server here. So servers whose machines call themselves otherwise are ruled out, and the address of the caller decides among the others.
 * It does not have to be known: calls can come by IPv6 or through a proxy. Null if more than one is possible: sites of one machine must not
 * become those of another.
 */
export function callingServer(servers: readonly Server[], hostname: string, ip: string): Server | null {
  const same = (name: string | null) => name?.toLowerCase() === hostname.toLowerCase()
  const possible = servers.filter(({ machine_hostname: own }) => own === null || same(own))
  const sure = possible.filter(({ machine_hostname: own }) => own !== null)
  const isThere = (server: Server) => addressesOf(server).includes(unmapIpv4(ip))
  const only = (found: readonly Server[]) => (found.length === 1 ? (found[0] ?? null) : null)
  if (possible.length === 1)
    return only(possible.filter((one) => same(one.machine_hostname) || same(one.hostname) || isThere(one)))
  return only((sure.length > 0 ? sure : possible).filter((one) => isThere(one)))
}
