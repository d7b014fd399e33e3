import type { Tx } from '#server/contracts/transaction.ts'
import { thisMachine, type ServerRef } from '#server/engines/site-ref.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'

/** The server as its engine needs it. */
export function serverRef(server: Server): ServerRef {
  const address = server.floating_ip ?? server.public_ipv4 ?? server.public_ipv6
  return {
    id: server.name,
    address,
    port: server.ssh_port ?? thisMachine.port,
    credentials: address === null ? null : { doctype: ServerDoctype.name, name: server.name, field: 'ssh_private_key' },
    version: server.easyengine,
  }
}

/** The server of a site as it is now; without an address if it was deleted. */
export async function serverOf(tx: Tx, site: { readonly server: string }): Promise<ServerRef> {
  const server = await tx.get(ServerDoctype, site.server)
  return server ? serverRef(server) : { ...thisMachine, id: site.server }
}
