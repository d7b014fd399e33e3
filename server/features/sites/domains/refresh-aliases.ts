import type { EngineHost } from '#server/engines/hosts.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { sameValue } from '#shared/same-value.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { aliasFields } from './alias-fields.ts'

/** Updates the stored URLs of aliases on a host to the current settings (port, domain, public pattern). */
export async function refreshAliases(deps: SitesDeps, { engine, name: host, server }: EngineHost): Promise<void> {
  const documents = deps.documents()
  const sites = await documents.transaction(systemSession('schedule'), (tx) =>
    tx.listFields(
      SiteDoctype,
      ['name', 'aliases'],
      [
        ['engine_host', '=', host],
        ['usr_alias_domains', 'is', 'set'],
      ],
    ),
  )
  for (const { name } of sites) {
    await documents.transaction(systemSession('schedule'), async (tx) => {
      const site = await tx.get(SiteDoctype, name, { lock: true })
      if (site === null) return
      const fields = await aliasFields(tx, site, engine, server)
      if (!sameValue(fields.aliases, site.aliases)) await writeSite(tx, name, fields)
    })
  }
}
