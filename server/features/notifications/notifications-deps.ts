import type { Documents } from '#server/contracts/documents.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Mailer } from '#server/platform/mail/mail.ts'
import type { MailSender } from '#server/platform/mail/render-mail.ts'

/** Dependencies of notifications. */
export interface NotificationsDeps {
  readonly documents: () => Documents
  readonly log: Log
  readonly mailer: Pick<Mailer, 'send'>
  /** What emails say about this installation. */
  readonly sender: MailSender
}
