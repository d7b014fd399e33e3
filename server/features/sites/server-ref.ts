import type { Tx } from '#server/contracts/transaction.ts'
import { serverRef } from '#server/engines/hosts.ts'
import type { ServerRef } from '#server/engines/site-ref.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

/** The server of a site as it is now; without an address if it was deleted. */
export async function serverOf(tx: Tx, site: { readonly server: string }): Promise<ServerRef> {
  return serverRef((await tx.get(ServerDoctype, site.server)) ?? { name: site.server })
}
