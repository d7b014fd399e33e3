import type { EngineHost } from '#server/engines/hosts.ts'
import type { HostedSite } from '#server/engines/site-host.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'

/** A site of a machine, by the name of its document. */
export type KnownSite = HostedSite & { readonly id: string }

/**
 * The sites that a machine says it has, with one question for all. Nothing there tells which document those have that were there before
 * the server was added: they are found by their domain. Those without a document are left out.
 */
export async function hostedSites(deps: SitesDeps, { engine, server, name }: EngineHost<'host'>): Promise<KnownSite[]> {
  const sites = await engine.host.sites(server)
  const unnamed = sites.filter(({ id }) => id === null).map(({ domain }) => domain)
  const found = await (unnamed.length === 0 ? [] : foundSites(deps, name, unnamed))
  const idOf = new Map(found.map((site) => [site.domain, site.name]))
  return sites.flatMap((site) => {
    const id = site.id ?? idOf.get(site.domain)
    return id === undefined ? [] : [{ ...site, id }]
  })
}

/** What a machine has of a site: under another domain it is none that can be served or changed. Undefined: nothing. */
export type SeenState = HostedSite['state'] | { readonly renamedTo: string } | undefined

/** Finds sites among those of their machine. On this machine nobody but Easydash gives them names. */
export function stateFinder(
  hosted: readonly KnownSite[],
  { engine }: Pick<EngineHost<'host'>, 'engine'>,
): (site: Pick<Site, 'name' | 'domain'>) => SeenState {
  const all = Map.groupBy(hosted, ({ id }) => id)
  return ({ name, domain }) => {
    // While its domain changes, a site has a second one.
    const rows = all.get(name) ?? []
    const own = engine.reach === 'network' ? rows.find((one) => one.domain === domain) : rows.at(-1)
    if (own) return own.state
    const [other] = rows
    return other && { renamedTo: other.domain }
  }
}

function foundSites(deps: SitesDeps, host: string, domains: readonly string[]) {
  return deps.documents().transaction(systemSession('schedule'), (tx) =>
    tx.listFields(
      SiteDoctype,
      ['name', 'domain'],
      [
        ['engine_host', '=', host],
        ['domain', 'in', domains],
        ['is_found', '=', 1],
      ],
    ),
  )
}
