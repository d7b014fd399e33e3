import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'
import { siteDatabases, type SiteDatabaseKind } from '#shared/rules/site-databases.ts'

/** A move of a site's database that is going on. */
export interface DatabaseMove {
  readonly to: SiteDatabaseKind
  /** The new database is in use: the one before must come back if the move is taken back. */
  readonly switched?: true
  /** The new database stays; only the one before is still to be removed. */
  readonly finished?: true
}

/** Keeps what is valid of a record. */
export function parseDatabaseMove(value: unknown): { databaseMove?: DatabaseMove } {
  if (!isObject(value)) return {}
  const { to, switched, finished } = value
  if (!isOneOf(siteDatabases, to)) return {}
  return {
    databaseMove: { to, ...(switched === true ? { switched } : {}), ...(finished === true ? { finished } : {}) },
  }
}

/** Whether visitors are kept out because the database is being moved. */
export function isMovingDatabase({ databaseMove }: { readonly databaseMove?: DatabaseMove }): boolean {
  return databaseMove !== undefined && databaseMove.finished !== true
}
