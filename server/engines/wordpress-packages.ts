/** Installing, updating and rolling back plugins and themes of a site. */
import type { StagedPackage } from '#shared/responses/wordpress-packages.ts'
import type { SiteRef } from './site-ref.ts'

/** Kinds of packages. */
export type PackageType = 'plugin' | 'theme'

/** Where a package comes from. */
export type PackageSource =
  /** A plugin or theme of wordpress.org, in its newest version. */
  | { readonly slug: string }
  /** Id of a file that was staged. */
  | { readonly staged: string }

/** A plugin or theme after it was installed or rolled back. */
export interface InstalledPackage {
  readonly id: string
  readonly name: string
  readonly version: string
  /** Version that was replaced and can be rolled back to; null if there was none. */
  readonly replaced: string | null
}

/**
 * What every engine can do with packages. The version before of each is kept on the site. Repeating the last operation with its id
 * changes nothing, and one that was cut off is completed or taken back.
 */
export interface WordPressPackages {
  /**
   * Checks a ZIP file on this machine and keeps its content beside the site's packages for a day, without installing it: says what
   * it is, and which version of it the site has. `id`: `[\w-]{1,64}`. Throws EngineError `invalid` if it is no ZIP file or a hostile
   * one, is neither a plugin nor a theme, or needs a newer PHP or WordPress than the site has.
   */
  stage(
    site: SiteRef,
    file: string,
    options: { readonly id: string; readonly signal?: AbortSignal },
  ): Promise<StagedPackage>
  /** Deletes what was staged; no error if there is nothing. */
  discard(site: SiteRef, id: string): Promise<void>
  /**
   * Installs a plugin (inactive) or theme. With `replace`, an installed one of that folder is replaced and stays active; without, it is
   * an error. Throws EngineError `invalid` if it is no such package (a theme for a plugin), `conflict` if it is installed already,
   * `not_found` if wordpress.org has no such package or nothing is staged, `unavailable` if wordpress.org can't be reached.
   */
  install(
    site: SiteRef,
    type: PackageType,
    source: PackageSource,
    options: { readonly operationId: string; readonly replace?: boolean; readonly signal?: AbortSignal },
  ): Promise<InstalledPackage>
  /** Exchanges a plugin or theme with the version that was kept of it. Throws EngineError `not_found` if there is none. */
  rollBack(site: SiteRef, type: PackageType, id: string, operationId: string): Promise<InstalledPackage>
  /**
   * Replaces the installed version of a package by its original, which was kept when it was installed (`restorable` in
   * `WordPressFiles.verifyPackages`); what is replaced can be rolled back to. Throws EngineError `not_found` if none is kept.
   */
  restore(
    site: SiteRef,
    type: PackageType,
    folder: string,
    options: { readonly operationId: string; readonly signal?: AbortSignal },
  ): Promise<InstalledPackage>
  /**
   * Undoes the `install`, `restore` or `rollBack` of an operation, without the site's own code. Does nothing if the operation changed nothing, or
   * another one came after it.
   */
  undo(site: SiteRef, operationId: string): Promise<void>
}
