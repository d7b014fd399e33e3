/** What every engine can do to hand out a whole site. */
import type { EngineStep } from './engine-step.ts'
import type { SiteFileDownload } from './site-files.ts'
import type { SiteRef } from './site-ref.ts'

/** Exports of sites. Each site has at most one, which the next one replaces. */
export interface SiteExports {
  /**
   * Steps that pack the files of a site and, of WordPress, a dump of its database for MySQL and MariaDB into one ZIP archive with
   * a manifest. The site goes on meanwhile; its database is packed as it was at one moment. Left out: keys and passwords of
   * `wp-config.php`, caches, and what connects WordPress to this engine. A failed or canceled one leaves nothing. Throws
   * EngineError `conflict` while the site is not ready, `invalid` if it has no room for the dump, `unavailable` if the disk has
   * none.
   */
  exportSteps(site: SiteRef): EngineStep[]
  /** The finished archive. Throws EngineError `not_found` if there is none. */
  open(site: SiteRef): Promise<SiteFileDownload>
  /** Removes the archive, also an unfinished one. Does nothing without one. */
  remove(site: SiteRef): Promise<void>
}
