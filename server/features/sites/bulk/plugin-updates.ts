import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { PluginUpdate } from '#shared/responses/bulk.ts'
import { readFacts } from '../wordpress/facts-table.ts'

/** Most plugins in an answer. */
const maxPlugins = 200

/** Plugins with known updates on these sites, from what was last read of them. */
export async function readPluginUpdates(tx: Tx, sites: readonly string[]): Promise<PluginUpdate[]> {
  const { rows } = await sql<PluginUpdate>`
    select plugin ->> 'id' as plugin, min(plugin ->> 'name') as name, max(plugin ->> 'update') as version,
      array_agg(distinct w.site order by w.site) as sites
    from easydash_site_wordpress w, jsonb_array_elements(w.facts -> 'plugins') plugin
    where w.site = any(${[...sites]}) and plugin ->> 'update' is not null
    group by 1 order by count(*) desc, 2 limit ${maxPlugins}`.execute(tx.trx)
  return rows
}

/** Throws `invalid` if the site is not known to have an update of the plugin. */
export async function checkPluginUpdate(tx: Tx, site: string, id: string): Promise<void> {
  const { facts } = await readFacts(tx, site)
  const plugin = facts?.plugins.find((one) => one.id === id)
  if (!plugin) throw new AppError('invalid', msg`The site does not have this plugin.`)
  if (plugin.update === null) throw new AppError('invalid', msg`No newer version of the plugin is known.`)
}
