import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { WaitingFor } from '#shared/responses/verification.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { ProviderNetwork } from './login-provider/openid-provider.ts'
import type { Countries } from '#server/platform/network/country.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'

/** An email to one person, as text and HTML. */
export interface AccountMail {
  to: string
  subject: string
  text: string
  html: string
  kind: string
}

/** Password hashing: Argon2id, except in tests that do not need it. */
export interface Hashing {
  hash(password: string, group?: QueueGroup): Promise<string>
  /** Returns false for null after doing the same amount of work. */
  verify(hash: string | null, password: string, group?: QueueGroup): Promise<boolean>
  needsRehash(hash: string): boolean
}

/** Dependencies of the accounts feature. */
export interface AccountsDeps {
  readonly config: Pick<Config, 'url' | 'signup' | 'productName'> &
    Partial<Pick<Config, 'smtpUrl' | 'allowPrivateCidrs' | 'addressMap'>>
  readonly database: Pick<Database, 'db' | 'pool' | 'listen' | 'notify'>
  /** Late bound: the store is created with our controllers. */
  readonly documents: () => Documents
  /** Puts an email into the outbox, in the given transaction. */
  readonly mailer: { send(trx: Database['db'] | null, mail: AccountMail): Promise<unknown> }
  readonly rateLimiter: Pick<RateLimiter, 'hit' | 'check' | 'refund'>
  readonly countries: Countries
  /** Asks the operator's own service for the country of an IP address; '' if unknown. Without it, `countries` is used. */
  readonly findCountry?: (ip: string) => Promise<string>
  readonly log: Log
  /**
   * Drops the sessions of a user, or all, from the caches of the other processes that serve this one's callers; resolves when they
   * are gone. Processes elsewhere learn it from the database.
   */
  readonly forgetElsewhere?: ((user: string | null) => Promise<void>) | undefined
  /** Organization invitations, for people who sign up with one. */
  readonly invitations: {
    /**
     * Returns the open invitation for this token and exactly this address. Throws `gone`, or `invalid` on the field `email`.
     */
    check(tx: Tx, token: string, email: string): Promise<string>
    /**
     * Adds the user to the organization once their address is verified; does nothing if the invitation has expired by then.
     */
    joinVerified(tx: Tx, invite: string, email: string): Promise<void>
    /** Notes that the invited person has an account, which a colleague has to confirm. */
    signedUp(tx: Tx, invite: string): Promise<void>
    /** What a person who waits to be confirmed is told; of an invitation that was withdrawn only that it has ended. */
    waitingFor(tx: Tx, invite: string): Promise<WaitingFor>
  }
  /** Encryption at rest for the feature's own data; `aad` binds a value to where it is stored. */
  readonly secrets: {
    seal(aad: string, text: string): Promise<string>
    open(aad: string, sealed: string): Promise<string>
  }
  /** Milliseconds since epoch, for time-based codes; replaced in tests. */
  readonly now?: () => number
  /** How login providers are reached; in tests, where they have certificates and names of their own. */
  readonly providerNetwork?: ProviderNetwork
  /** Replaces Argon2id in tests, where its cost does not matter. */
  readonly hashing?: Hashing
  /** Replaces the timer of `withMinimumDuration` in tests that would only wait for it. */
  readonly sleep?: (ms: number) => Promise<unknown>
}
