import type { Controller } from './controller.ts'
import type { JobDefinition } from './job.ts'
import type { Method } from './method.ts'
import type { Metric } from './metric.ts'
import type { RawRoute } from './raw-route.ts'
import type { ScheduledWork, Sweep, WorkOnHosts } from './schedule.ts'
import type { UploadKind } from './resumable-upload.ts'
import type { StreamKind } from './socket-stream.ts'
import type { DocumentEvent, Trx } from './transaction.ts'

/**
 * Creates what is missing of the tables that a feature has besides those of doctypes. Runs at each start, in the migration,
 * after the tables of doctypes.
 */
export type CreateTables = (trx: Trx) => Promise<void>

/**
 * Everything a feature brings. It is listed once in `server/create-features.ts`; the composition root collects what is declared
 * here, so that a new job or schedule of a feature needs no edit elsewhere.
 */
export interface Feature {
  /**
   * A constant of its module that `server/tables.ts` lists: the database is migrated before features are created, by commands
   * that create none, too. A start fails if it is not listed.
   */
  readonly tables?: CreateTables
  readonly controllers?: readonly Controller[]
  readonly methods?: readonly Method[]
  /** Routes outside of Frappe's protocol. */
  readonly routes?: readonly RawRoute[]
  /** Kinds of large files that clients send in parts. */
  readonly uploads?: readonly UploadKind[]
  /** Streams of bytes to and from pages. */
  readonly streams?: readonly StreamKind[]
  /** Types of jobs that workers of any process can run. */
  readonly jobs?: readonly JobDefinition[]
  readonly schedules?: readonly (ScheduledWork | WorkOnHosts)[]
  readonly sweeps?: readonly Sweep[]
  readonly metrics?: readonly Metric[]
  /** Called in this process after each committed change of a document, in any process. Must not block. */
  on?(event: DocumentEvent): void
  /** Called once the database is migrated and the document store is open, before anything is served or started. */
  prepare?(): Promise<void>
  /** Starts background work of this process other than jobs and schedules, which start after it. */
  start?(): Promise<void> | void
  /** Stops what `start` started and waits for it. */
  stop?(): Promise<void>
}
