import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { EngineAlias } from '../../site-domains.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalEngineOptions } from '../options.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { RecordNetwork } from './record-network.ts'

/** Host of a site with its port, if it has one: what a network has in its database and in wp-config.php. */
export const networkHost = (options: LocalEngineOptions, site: { readonly domain: string }): string =>
  new URL(localSiteUrl(options, site)).host

/** For the record of a network whose database has the current address of the site. */
export const networkAt = (
  options: LocalEngineOptions,
  site: { readonly domain: string },
): NonNullable<RecordNetwork['network']> => ({ origin: new URL(localSiteUrl(options, site)).origin })

/** For the record of a network whose database now knows it under this name; nothing for other sites. */
export const renamedNetwork = (
  options: LocalEngineOptions,
  { network }: RecordNetwork,
  domain: string,
): Pick<RecordNetwork, 'network'> => (network === undefined ? {} : { network: networkAt(options, { domain }) })

/** Throws EngineError `conflict` if a network should answer under another name than its own: WordPress finds its sites by it. */
export function assertOneName({ network }: Pick<SiteRecord, 'network'>, aliases: readonly EngineAlias[]): void {
  const served = aliases.find(({ mode }) => mode === 'serve')
  if (network === undefined || served === undefined) return
  throw new EngineError('conflict', msg`A network answers under its primary domain only.`, {
    nextAction: msg`Let the alias ${served.domain} redirect to it.`,
  })
}
