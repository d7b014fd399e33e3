import type { Engine } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { sameValue } from '#shared/same-value.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { aliasFields } from './alias-fields.ts'

/** Updates the stored URLs of aliases on a host to the current settings (port, domain, public pattern). */
export async function refreshAliases(deps: SitesDeps, engine: Engine, engineHost: string): Promise<void> {
  const documents = deps.documents()
  const sites = await documents.transaction(systemSession('schedule'), (tx) =>
    tx.listFields(
      SiteDoctype,
      ['name', 'aliases'],
      [
        ['engine_host', '=', engineHost],
        ['usr_alias_domains', 'is', 'set'],
      ],
    ),
  )
  for (const { name } of sites) {
    await documents.transaction(systemSession('schedule'), async (tx) => {
      const site = await tx.get(SiteDoctype, name, { lock: true })
      if (site === null) return
      const fields = await aliasFields(tx, site, engine, thisMachine)
      if (!sameValue(fields.aliases, site.aliases)) await writeSite(tx, name, fields)
    })
  }
}
