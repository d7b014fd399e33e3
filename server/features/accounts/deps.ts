import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Countries } from '#server/platform/network/country.ts'
import type { Database } from '#server/platform/database/database.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'

/** A mail to one person, in both forms. */
export interface AccountMail {
  to: string
  subject: string
  text: string
  html: string
  kind: string
}

/** How passwords are hashed: Argon2id, except in tests of what is around it. */
export interface Hashing {
  hash(password: string, group?: QueueGroup): Promise<string>
  /** False for null, after the same work. */
  verify(hash: string | null, password: string, group?: QueueGroup): Promise<boolean>
  needsRehash(hash: string): boolean
}

/** What the accounts feature needs of the program. */
export interface AccountsDeps {
  readonly config: Pick<Config, 'url' | 'signup' | 'productName'> & Partial<Pick<Config, 'smtpUrl'>>
  readonly database: Pick<Database, 'db' | 'pool' | 'listen' | 'notify'>
  /** Late bound: the store needs our controllers before we can have it. */
  readonly documents: () => Documents
  /** Puts a mail into the outbox, in the given transaction. */
  readonly mailer: { send(trx: Database['db'] | null, mail: AccountMail): Promise<unknown> }
  readonly rateLimiter: Pick<RateLimiter, 'hit' | 'refund'>
  readonly countries: Countries
  /** Asks the operator's own service for the country of an address; '' when it does not know. Absent: `countries` answers. */
  readonly findCountry?: (ip: string) => Promise<string>
  readonly log: Log
  /** Invitations of organizations, for people who sign up with one. */
  readonly invitations: {
    /** The open invitation of a token for exactly this address. Throws `gone`, or `invalid` at the field `email`. */
    check(tx: Tx, token: string, email: string): Promise<string>
    /** Lets the person in once the address is verified; does nothing when the invitation is over by then. */
    joinVerified(tx: Tx, invite: string, email: string): Promise<void>
  }
  /** Encryption at rest of what the feature keeps itself; `aad` is the exact place of a value. */
  readonly secrets: {
    seal(aad: string, text: string): Promise<string>
    open(aad: string, sealed: string): Promise<string>
  }
  /** Milliseconds since epoch, for codes by time; replaced in tests. */
  readonly now?: () => number
  /** Replaces Argon2id where its price does not matter: tests. */
  readonly hashing?: Hashing
}
