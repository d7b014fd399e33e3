/** Changing the version of WordPress itself. */
import type { WordPressVersions } from '#shared/responses/wordpress-core.ts'
import type { EngineStep } from './engine-step.ts'
import type { SiteRef } from './site-ref.ts'

/** What a site's WordPress is changed to. */
export type CoreTarget =
  /** The files of a version. The one that is installed means: its original files. */
  | { readonly version: string }
  /** What the last change replaced; with `database`, also the database as it was then, if it was kept. */
  | { readonly previous: true; readonly database: boolean }

/**
 * What every engine can do with the version of WordPress. The files of WordPress are exchanged; `wp-content`, `wp-config.php` and
 * whatever else is in the folder stay. What is replaced is kept on the site, once, and `inspect` says which version it is.
 */
export interface WordPressCore {
  /** Versions that can be had now. Throws EngineError `unsupported` for a site without WordPress. */
  versions(site: SiteRef, signal?: AbortSignal): Promise<WordPressVersions>
  /**
   * Steps that change the version. Visitors are kept out from the step `pause` until `finishChange` or `undoChange`. Steps that were
   * done are done again if the change was taken back since. Throw EngineError `not_found` for a version that can't be had,
   * `invalid` for one that needs a newer PHP, `conflict` while another change goes on.
   */
  changeSteps(site: SiteRef, to: CoreTarget): EngineStep[]
  /** Keeps what was replaced for a roll back, and lets visitors in. Repeating it is no error. */
  finishChange(site: SiteRef): Promise<void>
  /**
   * Puts files and database back to how they were before the change of this operation, to the byte, and lets visitors in. A change that
   * was finished already stays: the result says so.
   */
  undoChange(site: SiteRef, operationId: string): Promise<'undone' | 'finished'>
}
