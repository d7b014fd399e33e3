/** A WordPress that sites can be made from. */
export interface CachedCore {
  version: string
  source: 'wordpress.org' | 'npm'
  /** Folder with the complete site files: core, SQLite drop-in and plugin; no configuration, no database. */
  files: string
  /** JSON file: path → MD5 of the pristine core (of our copy, since the npm one has its comments stripped). */
  checksums: string
}

/** What preparing needs from its caller. */
export interface PrepareContext {
  log(line: string): void
  progress(fraction: number): void
  signal: AbortSignal
}
