/** What happens to visitors of an alias: they are sent to the primary domain, or see the site under this name. */
export const aliasModes = ['redirect', 'serve'] as const

/** One of `aliasModes`. */
export type AliasMode = (typeof aliasModes)[number]

/** Most aliases of a site. */
export const maxAliases = 30

/** An alias of a site, as its document shows it. */
export interface SiteAlias {
  /** As in the field `domain` of a site: the first label of a name directly below the sites' domain, or a full domain. */
  readonly domain: string
  /** Without a trailing slash. */
  readonly url: string
  readonly mode: AliasMode
  /** While this site was archived, another site of the organization got the name. */
  readonly taken?: 1
}
