import type { Tx } from '#server/contracts/transaction.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { ErrorStats } from '#server/platform/log/error-count.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Health, ThumbnailsHealth } from '#shared/responses/health.ts'
import type { LimitedOrganization } from '#shared/doctypes/organization.ts'
import type { PlatformOrganization } from '#shared/responses/platform.ts'

/** Screenshot state as reported by the engine. */
export interface ThumbnailStats {
  readonly state: ThumbnailsHealth['state']
  /** Milliseconds since epoch. */
  readonly nextTry: number | null
}

/** WordPress versions as reported by the engine. */
export interface WordPressStats {
  /** Available versions, newest first: new sites get the first. */
  readonly versions: readonly string[]
  /** Whether the version is from the package registry, because no newer one could be fetched from wordpress.org. */
  readonly fallback: boolean
  /** Time of the last check for a newer version, in milliseconds since epoch; null if none since the start. */
  readonly lastTry: number | null
  /** Whether that check could not be made, or did not get the newer release. */
  readonly lastFailed: boolean
}

/** Dependencies of the platform feature. */
export interface PlatformDeps {
  readonly config: Pick<Config, 'dataDir' | 'smtpUrl'>
  readonly database: Pick<Database, 'db'>
  readonly log: Pick<Log, 'error'>
  readonly version: string
  /** Schema version this program needs, and whether the database has it. */
  readonly schema: { readonly version: number; isCurrent(): Promise<boolean> }
  /** Limits, overrides, usage and customer of each organization, in the given order. */
  readonly figuresOf: (
    tx: Tx,
    organizations: readonly LimitedOrganization[],
  ) => Promise<Pick<PlatformOrganization, 'limits' | 'overrides' | 'usage' | 'customer_url'>[]>
  /** WordPress versions for new sites; null if this process creates no sites. */
  readonly wordpressVersions: () => Promise<WordPressStats | null>
  /** Screenshot state of this process; null if it has no sites. */
  readonly thumbnails: () => ThumbnailStats | null
  /** What is known of payments; null where nothing is paid for. */
  readonly payments: () => Promise<Health['payments']>
  /** Bytes in memory of each of the other web processes. */
  readonly webProcesses: () => Promise<number[]>
  /** Errors this process logged; null if they are not counted. */
  readonly errors: () => ErrorStats | null
}
