/** What every engine can do with the names of a site. */
import type { AliasMode } from '#shared/rules/site-aliases.ts'
import type { EngineStep } from './engine-step.ts'
import type { HttpAuth } from './site-settings.ts'
import type { SiteRef } from './site-ref.ts'

/** A further name of a site. */
export interface EngineAlias {
  /** In the form of `SiteRef.domain`. */
  readonly domain: string
  readonly mode: AliasMode
}

/** Whether both lists have the same aliases, in any order. */
export function sameAliases(a: readonly EngineAlias[], b: readonly EngineAlias[]): boolean {
  const keys = (list: readonly EngineAlias[]) => new Set(list.map(({ domain, mode }) => `${mode} ${domain}`))
  return keys(a).symmetricDifference(keys(b)).size === 0
}

/** The names of a site as its engine has them. */
export interface EngineDomains {
  /** The primary one. */
  readonly domain: string
  readonly aliases: readonly EngineAlias[]
  /** The new primary domain while a change of it is neither finished nor taken back; else null. */
  readonly changingTo: string | null
  /** Names that came from elsewhere and that the last change of the primary domain lost. */
  readonly lost?: readonly string[]
}

/** Where a change of the primary domain would replace addresses: one part of the database. */
export interface FoundAddresses {
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly places: number }[]
  readonly options: readonly { readonly option: string; readonly places: number }[]
  readonly examples: readonly {
    readonly table: string
    readonly column: string
    readonly before: string
    readonly after: string
  }[]
  /** Values and tables that would stay as they are. */
  readonly skipped: number
  /** Where the next part begins; null at the end. */
  readonly after: string | null
}

/** Names of sites. That no two sites have the same is checked by the caller, too. */
export interface SiteDomains {
  /** Nothing is started for it. Throws EngineError `not_found` for an unknown site. */
  read(site: SiteRef): Promise<EngineDomains>
  /**
   * Sets all aliases; those that are left out are gone when it resolves. `redirect` sends visitors to the primary domain with
   * path and query, `serve` shows the site under the alias. Possible in every state, also for archived sites. Throws
   * EngineError `conflict` if another site has one of the names, `unsupported` for a mode the engine doesn't have (on WP Cloud
   * it belongs to all aliases of a site).
   */
  setAliases(site: SiteRef, aliases: readonly EngineAlias[]): Promise<void>
  /**
   * Finds the addresses that `changeSteps` would replace, without changing anything. Takes a few seconds at most; a larger
   * database is read in parts. Nothing is found on a site without WordPress. `after` comes from a client.
   */
  findAddresses(site: SiteRef, to: string, after: string | null, signal?: AbortSignal): Promise<FoundAddresses>
  /**
   * Steps that make `to` the primary domain and `aliases` all others. While the site changes, visitors get a page that says so
   * (503), until `finishChange` or `undoChange`; our own requests pass. In the database of WordPress, addresses of the old
   * domain become those of the new one. After the last step the site answers under `to`. The site passed is the one before the
   * change. Throws EngineError `conflict` if another site has the name or the site is not ready.
   * @param httpAuth what visitors of the site are asked for, for engines that make the site anew
   */
  changeSteps(site: SiteRef, to: string, aliases: readonly EngineAlias[], httpAuth?: HttpAuth | null): EngineStep[]
  /**
   * Lets visitors in again, and forgets the state before. Does nothing if no change is going on. What `read` says then may lack aliases that
   * the server refused. Whatever was begun when `signal` aborts, a later call of this or of `undoChange` goes on with.
   */
  finishChange(site: SiteRef, signal?: AbortSignal): Promise<void>
  /** Takes back a change that was not finished: database and names are as before. Does nothing if none is going on. */
  undoChange(site: SiteRef, signal?: AbortSignal): Promise<void>
}
