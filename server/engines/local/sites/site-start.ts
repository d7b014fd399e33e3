import type { BootMessage } from '../child/messages.ts'
import type { ProcessNotes } from '../processes/process-notes.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** How a site's process is started. */
export interface SiteStart {
  boot: BootMessage
  /** Folder of the site: `www/`, `logs/` and `outbox/` in it are all that its process can write. */
  folder: string
  /** Path of the unix socket its HTTP server is to answer on. */
  socket: string
  notes: ProcessNotes
  sandbox: Sandbox
  /** Further arguments of Node, for tests. */
  nodeArguments: readonly string[]
}
