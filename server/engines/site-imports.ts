/** What every engine can do to make a site of an archive. */
import type { ImportReport } from '#shared/responses/site-imports.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { EngineStep } from './engine-step.ts'
import type { SeenPage } from './seen-pages.ts'
import type { SiteKind, SiteRef } from './site-ref.ts'

/** What an archive contains. */
export interface ArchiveContent {
  readonly siteType: SiteKind
  /** Its title, if the archive names it. */
  readonly title: string | null
  /** The version of PHP that it ran on, if the archive names it. */
  readonly phpVersion: string | null
}

/** A site that is made of an archive. */
export interface ImportSpec extends SiteRef {
  /** The one that was taken. */
  readonly archive: string
  /** Name of its file, for people. */
  readonly fileName: string
  /** Title in WordPress; null: that of the archive. */
  readonly title: string | null
  /** It is the archive of a backup, in the portable format: one that is not as its manifest says is not imported. */
  readonly isBackup?: true
  /** The kind of its database; absent: what the engine has where there is no choice. WordPress only. */
  readonly database?: SiteDatabaseKind
}

/** An imported site, compared with its archive. */
export interface ImportedSite {
  readonly report: ImportReport
  /** Its homepage and some posts, as visitors see them. */
  readonly pages: readonly SeenPage[]
  /** Title in WordPress. */
  readonly title: string | null
  /** The first administrator. */
  readonly admin: { readonly login: string; readonly email: string } | null
}

/** Imports of sites. */
export interface SiteImports {
  /**
   * Keeps an uploaded archive under an id of 32 hexadecimal digits, until it is discarded or three days old, and says what it
   * contains. The file stays where it is. Can be repeated. Throws EngineError `invalid` for anything but an archive with a site:
   * an export of ours, an archive of All-in-One WP Migration, UpdraftPlus or Duplicator, a WordPress export (WXR), a ZIP file with
   * a WordPress and its database as an SQL dump, or with PHP or HTML pages.
   */
  take(archive: string, path: string): Promise<ArchiveContent>
  /** Forgets an archive. */
  discard(archive: string): Promise<void>
  /** Forgets archives that were taken before a time (milliseconds since 1970). */
  expire(before: number): Promise<void>
  /**
   * Steps that create a site of an archive. Its addresses become those of the site, keys are new, sessions are over. After the
   * last step it responds to HTTP requests. `destroy` removes a site that was not finished. Throws EngineError `not_found` if
   * the archive is gone, `invalid` for one that can't be imported, exceeds the quota, or is a damaged backup.
   */
  importSteps(target: ImportSpec): EngineStep[]
  /** Compares an imported site with its archive. Can be called until the archive is discarded; changes nothing. */
  compare(site: ImportSpec, signal: AbortSignal): Promise<ImportedSite>
}
