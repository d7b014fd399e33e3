import type { Tx } from '#server/contracts/transaction.ts'
import { hasFacets } from '#server/engines/facets.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import type { SitesDeps } from './deps.ts'

/**
 * The machine of this installation, which has the folder of backups and an engine that can try them out. `host`: the one whose process runs
 * its jobs; null: any. A worker of its own has no such engine, but knows the servers that have.
 */
export async function archiveMachine(
  deps: Pick<SitesDeps, 'engines' | 'machine'>,
  tx: Tx,
): Promise<{ engine: string; host: string | null } | null> {
  const own = Object.values(deps.engines).find((one) => one.reach === 'machine' && hasFacets(one, 'rehearsals'))
  if (own) return { engine: own.name, host: deps.machine ? engineHostOf(own.name, deps.machine) : null }
  const server = await tx.find(ServerDoctype, [
    ['engine', '=', 'local'],
    ['engine_host', 'is', 'set'],
  ])
  return server ? { engine: 'local', host: server.engine_host } : null
}
