/**
 * What every engine can do with the WordPress of a site. Values come from the site, which may lie: they are bounded and
 * checked for their shape, and rendered as text.
 */
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import type { WordPressFacts, WordPressPlugin, WordPressUsers } from '#shared/responses/wordpress.ts'
import type { ChecksumReport } from '#shared/responses/wordpress-checksum.ts'
import type { SiteRef } from './site-ref.ts'
import type { WordPressPerson } from './wordpress-person.ts'

/** Result of a change. */
export interface WordPressChangeResult {
  /** How many scheduled events ran; otherwise null. */
  ran: number | null
}

/** Management of a site's WordPress. Every call wakes a sleeping site. */
export interface WordPressManagement {
  /**
   * Reads plugins, themes, users, scheduled events and counts. If the site's own code keeps WordPress from loading, they are
   * read without that code (`broken` then says why). Throws EngineError `unsupported` for a site without WordPress,
   * `conflict` while it is not ready, `unavailable` if it can't be read at all.
   */
  inspect(site: SiteRef, signal?: AbortSignal): Promise<WordPressFacts>
  /**
   * The plugins alone, which a sleeping site names sooner than `inspect`: counts and everything else need the whole of WordPress.
   * Throws like `inspect`.
   */
  plugins(site: SiteRef, signal?: AbortSignal): Promise<WordPressPlugin[]>
  /** A page of its users (from 0), oldest first; `search` finds a part of login name, address or display name. */
  users(site: SiteRef, query: { readonly search: string; readonly page: number }): Promise<WordPressUsers>
  /**
   * Makes one change. It is done with all code of the site loaded, as wp-admin does it, unless `safe`: then without plugins,
   * must-use plugins, drop-ins and theme, for a site that does not load. With `operationId`, a change of what is active and a deletion
   * can be undone by `undo`; after a deletion, visitors are kept out until then or until `finish`. Repeating a change that was made is no
   * error.
   * Throws EngineError `invalid` with the reason if WordPress refuses it, `not_found` if what it names doesn't exist,
   * `unavailable` if the site's code failed; a fatal error of a plugin that is being activated leaves it inactive.
   */
  change(
    site: SiteRef,
    change: WordPressChange,
    options?: { readonly safe?: boolean; readonly signal?: AbortSignal; readonly operationId?: string },
  ): Promise<WordPressChangeResult>
  /**
   * Puts back which plugins and which theme were active before the operation's `change`, or the deleted files and the whole database
   * as they were before a deletion, without the site's own code. Nothing happens if the operation changed nothing yet, was undone
   * already or finished. Files that the plugin's own routine removes outside of its folder do not come back.
   */
  undo(site: SiteRef, operationId: string): Promise<void>
  /** Ends a deletion that can be undone: what was kept of it is gone, and visitors are let in. Repeating it is no error. */
  finish(site: SiteRef, operationId: string): Promise<void>
  /**
   * Sets a new password for a WordPress user and ends their sessions. The password is never logged, and not part of
   * `change` because changes are stored with their jobs.
   */
  setPassword(site: SiteRef, login: string, password: string): Promise<void>
  /**
   * A link like `Engine.loginLink` that signs the person in as this WordPress user of the site instead of their own, and creates
   * none. The session belongs to the person: `Engine.syncUsers` ends it, with unused links, once they may do less. Throws EngineError
   * `not_found` without such a user, and `conflict` for one who may do more than the role of the person, or is another person's
   * own: that one alone acts under their name.
   */
  loginAs(site: SiteRef, person: WordPressPerson, login: string, ttlSeconds: number): Promise<string>
  /** Compares the files of WordPress itself with the pristine package of its version. */
  verifyChecksums(site: SiteRef, signal?: AbortSignal): Promise<ChecksumReport>
}
