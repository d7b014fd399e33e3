import { localSiteUrl } from '../local-base.ts'
import type { LocalEngineOptions } from '../options.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/** Hosts of the aliases under which visitors see the site. */
export function servedHosts(options: LocalEngineOptions, { aliases = [] }: Pick<SiteRecord, 'aliases'>): string[] {
  return aliases.filter(({ mode }) => mode === 'serve').map((alias) => new URL(localSiteUrl(options, alias)).hostname)
}
