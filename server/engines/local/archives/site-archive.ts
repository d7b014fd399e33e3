import type { UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import type { ImportSource } from '#shared/responses/site-imports.ts'
import type { WxrContent } from './wxr/wxr-sql.ts'

/** What an archive says about its site, besides the files. */
export interface ArchiveFacts {
  /** Member with the dump of the database; null if it is looked for among the files. */
  readonly dump: string | null
  /** Prefix of the tables in the dump; null if it is not known. */
  readonly prefix: string | null
  /** Prefix that the tables get; null if they keep theirs. */
  readonly newPrefix: string | null
  /** Whether it has a network of sites. */
  readonly isNetwork: boolean
  /** First two numbers of the version of PHP that the site ran on. */
  readonly phpVersion: string | null
  readonly title: string | null
  /** Options that the dump doesn't have: what was active. */
  readonly active: ActiveParts | null
  /** Content for a new WordPress, whose dump has only its rows; null: the dump has a whole database. */
  readonly content: WxrContent | null
  /** Files of a set that are not there, by their names. */
  readonly missingParts: readonly string[]
  /** Files of a set that are not imported, by their names. */
  readonly leftOutParts: readonly string[]
}

/** Plugins by their main files below `wp-content/plugins`, and the theme with its parent. */
export interface ActiveParts {
  readonly plugins: readonly string[]
  readonly template: string | null
  readonly stylesheet: string | null
}

/** An open archive. Its members can be read until the files it was read from are closed. */
export interface SiteArchive {
  /** System that wrote it; null: a ZIP file, whose content tells. */
  readonly source: Extract<ImportSource, 'wpress' | 'updraftplus' | 'duplicator' | 'wxr'> | null
  readonly members: readonly UnpackMember[]
  readonly facts: ArchiveFacts
}

/** The facts of an archive that says nothing. */
export const noFacts: ArchiveFacts = {
  dump: null,
  prefix: null,
  newPrefix: null,
  isNetwork: false,
  phpVersion: null,
  title: null,
  active: null,
  content: null,
  missingParts: [],
  leftOutParts: [],
}
