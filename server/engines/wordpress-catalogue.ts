import type { ChecksumReport } from '#shared/responses/wordpress-checksum.ts'
import type { PackageChecksum } from '#shared/responses/package-checksums.ts'
import type { FileContent } from './file-comparison.ts'
import type { Translation } from './translations.ts'
import type { PackageType } from './wordpress-packages.ts'

/** Paths, each with the MD5 of its content in hexadecimal digits; an empty text where any content is right. */
export type Sums = readonly (readonly [string, string])[]

/** A release of WordPress. */
export interface CoreRelease {
  readonly version: string
  readonly state: 'latest' | 'outdated' | 'insecure'
}

/** Checksums of WordPress itself, by paths below its folder, and where they come from. */
export interface CoreSums {
  readonly source: ChecksumReport['source']
  readonly sums: Sums
}

/** A plugin or theme of a site. */
export interface PackageAbout {
  readonly type: PackageType
  /** Its folder; null: a plugin that is a single file. */
  readonly folder: string | null
  /** File whose header says the version, below the folder of plugins or themes. */
  readonly main: string
  readonly version: string
}

/** Checksums of a package and where they come from, or why there are none. */
export type Original =
  | {
      readonly source: NonNullable<PackageChecksum['source']>
      readonly sums: Sums
      /** The package itself is kept. */
      readonly isKept: boolean
    }
  | { readonly unchecked: NonNullable<PackageChecksum['unchecked']> }

/**
 * What wordpress.org publishes about WordPress, and what of it this installation has already. For engines whose servers run WordPress: what
 * is original, these servers can't be asked. Everything is bounded and checked.
 */
export interface WordPressCatalogue {
  /** Translations for a version of WordPress; null if wordpress.org does not answer. */
  translations(version: string, signal: AbortSignal): Promise<readonly Translation[] | null>
  /** Releases that sites can run, newest first, with what wordpress.org says about them; null if it does not answer. */
  releases(signal: AbortSignal): Promise<readonly CoreRelease[] | null>
  /**
   * Of the package in a language, whose files differ from the others' (null: the usual one). Throws EngineError `unavailable` if nobody
   * knows them now.
   */
  coreSums(version: string, locale: string | null, signal: AbortSignal): Promise<CoreSums>
  /** Finds the checksums of packages. wordpress.org is not asked again once it did not answer. */
  originals(signal: AbortSignal): (about: PackageAbout) => Promise<Original>
  /**
   * A file as it is in a version of WordPress, or in the version of a package that comes with a WordPress; `file` is null if that does not
   * have it. Null: nobody knows what the original is. `names`: of its path below the folder of WordPress.
   */
  original(
    of: { readonly core: string } | { readonly package: PackageAbout },
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly file: FileContent | null } | null>
}
