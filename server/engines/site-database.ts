import type { DatabaseRows, DatabaseTables, DatabaseValue } from '#shared/responses/site-database.ts'
import type { CellOperator } from '#shared/rules/site-database.ts'
import type { SqlResult } from '#shared/responses/site-console.ts'
import type { SiteRef } from './site-ref.ts'

/** A condition of the rows to read. */
export interface RowFilter {
  readonly column: string
  readonly operator: CellOperator
  /** Ignored by operators without a value. */
  readonly value: string
}

/** Which rows of a table to read. */
export interface RowQuery {
  readonly table: string
  readonly filter?: RowFilter
  readonly sort?: { readonly column: string; readonly descending: boolean }
  /** Rows to leave out, from 0. */
  readonly start: number
}

/** A value of a row. */
export interface CellQuery {
  readonly table: string
  readonly column: string
  /** As in `DatabaseRows`. */
  readonly row: string
  /** Characters of a text, or bytes, to leave out. */
  readonly start: number
}

/**
 * The database of a WordPress site. Browsing never changes anything and runs no code of the site; secrets such as hashes of
 * passwords are neither returned nor compared with. All results are bounded (`databaseLimits`). Throws EngineError
 * `unsupported` for a site without WordPress, `conflict` if it is not ready, `not_found` for a table, column or row that does
 * not exist, `invalid` for a filter or sort by a hidden column, and `unavailable` if the database can't be read in time.
 */
export interface SiteDatabase {
  tables(site: SiteRef, signal?: AbortSignal): Promise<DatabaseTables>
  rows(site: SiteRef, query: RowQuery, signal?: AbortSignal): Promise<DatabaseRows>
  cell(site: SiteRef, query: CellQuery, signal?: AbortSignal): Promise<DatabaseValue>
  /**
   * Runs one MySQL statement on a connection that cannot write. Null: the statement writes, and nothing was changed. Throws
   * `invalid` with what the database says about it.
   */
  query(site: SiteRef, sql: string, signal?: AbortSignal): Promise<SqlResult | null>
  /** Runs one statement that may write. The state before is kept, instead of that of the statement before. */
  write(site: SiteRef, sql: string, signal?: AbortSignal): Promise<SqlResult>
  /**
   * Puts back the state before a statement; the one that it replaces is kept instead. Throws `not_found` if it is not kept any
   * more, and `conflict` if the database was changed since, which `anyway` loses.
   */
  undo(site: SiteRef, undo: string, anyway: boolean): Promise<{ undo: string }>
}
