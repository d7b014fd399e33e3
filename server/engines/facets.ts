import {
  capabilityNames,
  type Capability,
  type CapabilityName,
  type Engine,
  type EngineFacets,
  type SiteSpec,
} from './engine.ts'
import type { ServerRef } from './site-ref.ts'

/** Facets that an engine needs for each capability. Of those without any, engines say themselves which they lack. */
export const capabilityFacets = {
  create_wp: [],
  create_php: [],
  create_html: [],
  archive: ['archiveSteps', 'restoreArchiveSteps'],
  login_link: ['loginLink', 'syncUsers'],
  php_version: ['setPhpVersion'],
  cron: ['wordpress', 'runCron'],
  logs: ['logs'],
  php_limits: ['settings'],
  debug_mode: ['settings'],
  maintenance: ['settings'],
  http_auth: ['settings'],
  preview_link: ['settings'],
  wordpress_settings: ['settings', 'languages'],
  suspend: ['settings'],
  restart: ['restart'],
  containers: ['restart'],
  backup: ['backups'],
  rehearse: ['rehearsals'],
  restore: ['restores'],
  tls: ['certificates'],
  object_cache: [],
  proxy_cache: ['services'],
  mail_catcher: ['services'],
  thumbnail: ['thumbnail'],
  facts: ['hostInfo'],
  wordpress: ['wordpress', 'health', 'packages'],
  checksums: ['wordpress', 'originals'],
  core_version: ['core', 'wordpress'],
  protections: ['settings'],
  files: ['files', 'filesFolder'],
  clone: ['copies'],
  staging: ['copies', 'staging'],
  export: ['exports'],
  import: ['imports'],
  aliases: ['domains'],
  domain_change: ['domains'],
  database: ['database'],
  sql_console: ['database'],
  php_console: ['console'],
  wp_cli: ['commands'],
  create_multisite: [],
  multisite_subdomains: [],
  multisite: ['networks', 'wordpress'],
  mysql: ['databaseMoves'],
  vip: [],
  wordpress_choice: [],
  php_database: [],
} as const satisfies Record<CapabilityName, readonly (keyof EngineFacets)[]>

/** Capabilities that a new site needs for what only some servers can give it. */
export function optionalNeeds({
  objectCache,
  vip,
  withDatabase,
  locale,
  wordpressVersion,
}: SiteSpec): CapabilityName[] {
  return [
    ...(objectCache ? ['object_cache' as const] : []),
    ...(vip ? ['vip' as const] : []),
    ...(locale === undefined && wordpressVersion === undefined ? [] : ['wordpress_choice' as const]),
    ...(withDatabase ? ['php_database' as const] : []),
  ]
}

/** An engine that has some facets. */
export type WithFacets<F extends keyof EngineFacets> = Engine & Pick<EngineFacets, F>

/** An engine that has the facets of a capability. */
export type EngineWith<K extends CapabilityName> = K extends CapabilityName
  ? WithFacets<(typeof capabilityFacets)[K][number]>
  : never

/** Whether an engine has all of the facets. */
export function hasFacets<F extends keyof EngineFacets>(
  engine: Engine,
  ...facets: readonly F[]
): engine is WithFacets<F> {
  return facets.every((facet) => engine[facet] !== undefined)
}

/** Whether an engine has the facets of a capability, on whatever server. */
export function isEngineWith<K extends CapabilityName>(engine: Engine, name: K): engine is Engine & EngineWith<K> {
  return hasFacets(engine, ...capabilityFacets[name])
}

/** Why a capability is not there if the engine says nothing about it. */
export const notSupported = 'Sites on this server don’t support this.'

/** What can be done on a server: what its engine has the facets for, unless the server lacks it. */
export function capabilitiesOf(engine: Engine, server: ServerRef): Readonly<Record<CapabilityName, Capability>> {
  const lacks = engine.lacks(server)
  const capabilityOf = (name: CapabilityName): Capability => {
    const reason = lacks[name] ?? (isEngineWith(engine, name) ? null : notSupported)
    return reason === null ? { supported: true } : { supported: false, reason }
  }
  return Object.fromEntries(capabilityNames.map((name) => [name, capabilityOf(name)])) as ReturnType<
    typeof capabilitiesOf
  >
}
