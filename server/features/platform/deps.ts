import type { Tx } from '#server/contracts/transaction.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { ErrorFigures } from '#server/platform/log/error-count.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { PicturesHealth } from '#shared/responses/health.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import type { ByResource } from '#shared/rules/plans.ts'

/** Whether pictures of sites are taken, as the engine tells it. */
export interface PicturesFigures {
  readonly state: PicturesHealth['state']
  /** Milliseconds since 1970. */
  readonly nextTry: number | null
}

/** Which WordPress new sites get, as the engine tells it. */
export interface WordPressFigures {
  /** Versions at hand, newest first: new sites get the first. */
  readonly versions: readonly string[]
  /** That one is from the package registry: no newer one could be fetched from wordpress.org. */
  readonly fallback: boolean
  /** When a newer one was last looked for, in milliseconds since 1970; null: not since the start. */
  readonly lastTry: number | null
}

/** What the platform feature needs of the program. */
export interface PlatformDeps {
  readonly config: Pick<Config, 'dataDir' | 'smtpUrl'>
  readonly database: Pick<Database, 'db'>
  readonly log: Pick<Log, 'error'>
  readonly version: string
  /** Number of the database's schema this program needs, and whether the database has it. */
  readonly schema: { readonly version: number; isCurrent(): Promise<boolean> }
  /** Limits, granted limits and usage of each of these organizations, in their order. */
  readonly figuresOf: (
    tx: Tx,
    organizations: readonly Organization[],
  ) => Promise<{ limits: ByResource; overrides: ByResource<number | null>; usage: ByResource }[]>
  /** Which WordPress new sites get; null where this process makes no sites. */
  readonly wordpressVersions: () => Promise<WordPressFigures | null>
  /** Whether this process takes pictures of its sites; null where it has none. */
  readonly pictures: () => PicturesFigures | null
  /** Errors this process wrote to its log; null where nobody counts. */
  readonly errors: () => ErrorFigures | null
}
