import type { Tx } from '#server/contracts/transaction.ts'
import { hasFacets } from '#server/engines/facets.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import type { SitesDeps } from './deps.ts'

/**
 * The machine that Easydash runs on: it has the folder of backups, and an engine that can try them out. `host` names the machine whose
 * process has to run the jobs; null if any process can. A separate worker process has no engine of this machine, so there the machine is
 * found by the server document that stands for it. Null if there is none.
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
