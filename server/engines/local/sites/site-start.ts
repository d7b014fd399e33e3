import type { MysqlAddress } from '#server/platform/mysql/mysql-client.ts'
import type { BootMessage } from '../child/messages.ts'
import type { ProcessNotes } from '../processes/process-notes.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** How to start a site's process. */
export interface SiteStart {
  boot: BootMessage
  /** Folder of the site: its process can only write to `www/`, `logs/`, `outbox/` and `temporary/` in it. */
  folder: string
  /** Path of the unix socket its HTTP server listens on. */
  socket: string
  /** Where its MySQL database is; null if it has none. */
  database: MysqlAddress | null
  /** It reaches nothing but its database. */
  isClosed: boolean
  notes: ProcessNotes
  sandbox: Sandbox
  /** Additional Node arguments, for tests. */
  nodeArguments: readonly string[]
}
