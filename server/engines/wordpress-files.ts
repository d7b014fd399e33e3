/** Whether files of WordPress, plugins and themes are the original ones. */
import type { FileComparison } from '#shared/responses/file-comparison.ts'
import type { PackageChecksum } from '#shared/responses/package-checksums.ts'
import type { SiteRef } from './site-ref.ts'

/** Comparison with originals, beside `WordPressManagement.verifyChecksums`. Every call wakes a sleeping site. */
export interface WordPressFiles {
  /** Compares each plugin and theme with what is known of its version; without the site's own code. */
  verifyPackages(site: SiteRef, signal?: AbortSignal): Promise<PackageChecksum[]>
  /**
   * What differs between a file and its original. `path`: below the folder of WordPress, and in WordPress itself, a plugin or a theme.
   * Throws EngineError `invalid` for any other, `not_found` if neither the site nor the original has it.
   */
  compare(site: SiteRef, path: string, signal?: AbortSignal): Promise<FileComparison>
}
