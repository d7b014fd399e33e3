import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import type { Trees } from '../trees/trees.ts'
import type { AccessLog } from './access-log.ts'

/** What logs need of the engine. */
export interface LocalLogsOptions {
  readonly store: SiteStore
  readonly trees: Trees
  readonly access: AccessLog
  /** User of a site's files; null if all sites belong to one user. */
  userOf(record: SiteRecord): number | null
  /** Called after a log among the site's own files was emptied. */
  onFilesChanged(id: string): void
}
