import type { Db } from '#server/contracts/transaction.ts'
import type { Clock } from '#server/jobs/clock.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import type { MailSender } from '#server/platform/mail/render-mail.ts'
import { headFilePath } from './head-file.ts'
import type { HeadLine, LineSeals } from './head-lines.ts'

/** Dependencies of the head export. */
export interface HeadExportDeps {
  readonly db: Db
  readonly dataDir: string
  readonly seals: LineSeals
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly sender: MailSender
  readonly send: (mail: Mail) => Promise<void>
  /** Whether the newest lines are emailed to the platform admins every day. */
  readonly mailsCheckpoints: boolean
  /** `EASYDASH_AUDIT_HEADS_URL`: receives each new line. */
  readonly url: string | null
}

/** What is known of the head file. */
export interface FileState {
  readonly id: string
  last: HeadLine | null
  /** The last line of each chain. */
  readonly heads: Map<string, HeadLine>
  bytes: number
}

/** State of the head export in this process. */
export interface HeadExportContext {
  readonly deps: HeadExportDeps
  /** Path of the head file. */
  readonly path: string
  /** Findings of this process and who was emailed about them. Kept until the process ends. */
  readonly findings: Map<string, Set<string>>
  /** Null before the first recording and after the file was cut. */
  file: FileState | null
  /** Lines the service has not received; null before the first load. */
  waiting: HeadLine[] | null
}

/** A context that has read and found nothing yet. */
export function openHeadExportContext(deps: HeadExportDeps): HeadExportContext {
  return { deps, path: headFilePath(deps.dataDir), findings: new Map(), file: null, waiting: null }
}
