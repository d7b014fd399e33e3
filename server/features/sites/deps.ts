import type { Documents } from '#server/contracts/documents.ts'
import type { OrganizationSecrets } from '#server/contracts/organization-secrets.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import type { Clock } from '#server/jobs/clock.ts'
import type { Jobs } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { GitHub } from '#server/providers/github/github.ts'
import type { S3Bucket } from '#server/providers/aws/s3-bucket.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Session } from '#server/contracts/session.ts'
import type { ClaimedUpload } from '#server/contracts/resumable-upload.ts'
import type { VisitPublic } from './portable/compare-original.ts'

/** Dependencies of the sites feature. */
export interface SitesDeps {
  documents: () => Documents
  /** Engines of this process by name (`local`, `fake`, …). */
  engines: Readonly<Record<string, Engine>>
  /** Machines that this process works on now, and the engines it works on them with. */
  hosts: () => Promise<readonly EngineHost[]>
  jobs: () => Jobs
  log: Log
  /** Folder of this machine for backups. */
  backupsFolder: string
  /** Opens the bucket of a connection of an organization. Throws AppError `invalid` (field `store`) without one. */
  bucketOf(tx: Tx, organization: string, connection: string): Promise<S3Bucket>
  /** GitHub, as an organization's connection sees it. Throws AppError `invalid` (field `connection`) without one. */
  gitHubOf(tx: Tx, organization: string): Promise<GitHub>
  /** What GitHub signs its calls of our webhook with, for an organization; null if it has set nothing. */
  gitHubSecretOf(tx: Tx, organization: string): Promise<string | null>
  secrets: OrganizationSecrets
  /** Looks at the pages of sites that are imported, at their old address. */
  visitPublic: VisitPublic
  /** The private key of the installation as PEM, which documents are signed with. */
  installationKey(): Promise<string>
  /** Takes a complete upload of the caller. Throws AppError `invalid` (the field) without one. */
  claimUpload(tx: Tx, session: Session, id: string, field: string): Promise<ClaimedUpload>
  clock?: Clock
  /** Host name of the dashboard, which no site can have. */
  dashboardHost?: string
  /** Sites of one organization that bulk runs work on at the same time. Default 2. */
  bulkAtOnce?: number
  /**
   * Id of this machine if several share one database; sites of an engine on this machine are then handled only by its own
   * process. Pass the same id to the servers feature, and `ENGINE:MACHINE` to the jobs as `hosts`.
   */
  machine?: string
}
