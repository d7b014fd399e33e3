import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { EngineStep } from './engine-step.ts'
import type { SiteRef } from './site-ref.ts'

/** Moves of WordPress sites between SQLite and MySQL (capability `mysql`). */
export interface SiteDatabaseMoves {
  /** The kind that a site has now. */
  kind(site: SiteRef): Promise<SiteDatabaseKind>
  /**
   * Steps that copy the content to the other kind of database, compare it and use it. Visitors are kept out from the first
   * step until `finish` or `undo`.
   */
  steps(site: SiteRef, to: SiteDatabaseKind): EngineStep[]
  /** Lets visitors in again, and removes the database before. Nothing happens without a move. */
  finish(site: SiteRef): Promise<void>
  /**
   * Goes back to the database before, whatever step was reached; a move that was finished stays. Returns the kind that the
   * site has now.
   */
  undo(site: SiteRef): Promise<SiteDatabaseKind>
}
