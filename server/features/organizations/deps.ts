import type { Documents } from '#server/contracts/documents.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'

/** Dependencies of the organizations feature. Hooks and methods receive the store with each call. */
export interface OrganizationsDeps {
  readonly config: Pick<Config, 'url' | 'productName'> &
    Partial<Pick<Config, 'allowPrivateCidrs' | 'addressMap' | 'smtpUrl'>>
  /** Late bound: the store is created with our controllers. */
  readonly documents: () => Documents
  /** The address a pending verification link was sent to, if it differs from the account's own; else null. */
  readonly pendingEmail: (user: string) => Promise<string | null>
  /** How users sign in, and when they last used a session (UTC); provided by the accounts feature. */
  readonly signInStatuses: (
    db: Db,
    users: readonly string[],
  ) => Promise<readonly { user: string; secondFactor: boolean; lastUsed: string | null }[]>
  /**
   * Verifies an invited person's account where no email can; provided by the accounts feature. Returns a key for choosing a new
   * password if one is needed.
   */
  readonly confirmInvited: (
    tx: Tx,
    user: string,
    vouched: { readonly invitation: string; readonly organization: string },
  ) => Promise<string | null>
  /** Puts an email into the outbox, in the given transaction. */
  readonly mailer: { send(trx: Database['db'] | null, mail: Mail): Promise<unknown> }
  readonly rateLimiter: Pick<RateLimiter, 'hit'>
  /** Makes everything encrypted for an organization permanently unreadable. Late bound: the key ring opens later. */
  readonly forgetSecrets: (organization: string, trx: Database['db']) => Promise<void>
}
