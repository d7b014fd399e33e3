import type { Documents } from '#server/contracts/documents.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { Schedule } from '#server/jobs/schedule.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'

/** What the organizations feature needs of the program. Its hooks and methods get the store with each call. */
export interface OrganizationsDeps {
  readonly config: Pick<Config, 'url' | 'productName'> &
    Partial<Pick<Config, 'allowPrivateCidrs' | 'addressMap' | 'smtpUrl'>>
  /** Late bound: the store needs our controllers before we can have it. */
  readonly documents: () => Documents
  /** Where repeated work is entered; without it (tests) nothing repeats. */
  readonly schedule?: () => Pick<Schedule, 'add'>
  /** The address an unverified account's link was sent to, when it is not its own. */
  readonly pendingEmail: (user: string) => Promise<string | null>
  /** How people sign in, and when they used a session last (UTC); the accounts know. */
  readonly signInFacts: (
    db: Db,
    users: readonly string[],
  ) => Promise<readonly { user: string; secondFactor: boolean; lastUsed: string | null }[]>
  /** Puts a mail into the outbox, in the given transaction. */
  readonly mailer: { send(trx: Database['db'] | null, mail: Mail): Promise<unknown> }
  readonly rateLimiter: Pick<RateLimiter, 'hit'>
  /** Makes everything that was sealed for an organization unreadable for good. Late bound: the key ring opens later. */
  readonly forgetSecrets: (organization: string, trx: Database['db']) => Promise<void>
}
