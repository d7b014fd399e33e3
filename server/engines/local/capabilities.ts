import { labelMessage, msg } from '#shared/localized-message.ts'
import { optionalNeeds } from '../facets.ts'
import { EngineError, type CapabilityName, type SiteSpec } from '../engine.ts'

/** Installed PHP versions, ascending. */
export const localPhpVersions: readonly string[] = ['8.2', '8.3', '8.4', '8.5']

/** Why nothing is reloaded or rebuilt. */
export const noContainers = 'Sites on this machine have no containers: restart them.'

/** What no machine can do for its sites, with the reason. Screenshots and MySQL depend on what is installed. */
export const localLacks: Partial<Record<CapabilityName, string>> = {
  tls: 'Sites on this machine answer over plain HTTP; put a TLS proxy in front to change that.',
  multisite_subdomains: 'Networks with subdomains need a wildcard name, which this machine lacks.',
  php_database: 'PHP sites on this machine have no database.',
  wp_cli: 'WP-CLI needs a process of its own, which PHP on this machine has not: use the PHP console.',
  containers: noContainers,
  wordpress_choice: 'On this machine, language and version are chosen once the site is there.',
  vip: 'Sites on this machine have the ordinary folders of WordPress.',
  object_cache: 'PHP on this machine has no shared memory for an object cache.',
}

/** Throws EngineError `unsupported`, with the reason, if a new site is to have what this machine lacks. */
export function assertOptions(spec: SiteSpec): void {
  if (spec.multisite !== undefined) assertNetwork(spec)
  const reason = optionalNeeds(spec)
    .map((name) => localLacks[name])
    .find((found) => found !== undefined)
  if (reason !== undefined)
    throw new EngineError('unsupported', labelMessage(reason), { nextAction: msg`Choose another server.` })
}

function assertNetwork({ siteType, multisite }: SiteSpec): void {
  const reason = localLacks[multisite === 'subdom' ? 'multisite_subdomains' : 'create_multisite']
  if (siteType === 'wp' && reason === undefined) return
  throw new EngineError(
    'unsupported',
    reason === undefined ? msg`Only WordPress has networks of sites.` : labelMessage(reason),
    {
      nextAction: msg`Choose a WordPress network in subdirectories.`,
    },
  )
}
