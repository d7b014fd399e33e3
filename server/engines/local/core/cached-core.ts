/** A cached WordPress release for creating sites. */
export interface CachedCore {
  version: string
  source: 'wordpress.org' | 'npm'
  /** Folder with the complete site files: core, SQLite drop-in and plugin; no configuration, no database. */
  files: string
  /** JSON file: path → MD5 of the original core (of our copy, because comments are stripped from the npm one). */
  checksums: string
}

/** Context that the caller of a preparation provides. */
export interface PrepareContext {
  log(line: string): void
  progress(fraction: number): void
  signal: AbortSignal
}
