import { z } from 'zod'
import { parseJson } from './parse-json.ts'
import { expecting, type SettingSchema } from './config/setting-schemas.ts'

/** At most `limit` hits of one key within `seconds`, in any window of that length. */
export interface RateLimit {
  readonly limit: number
  readonly seconds: number
}

/** The built-in table (docs/security.md). A key is an account, an address, an organization or a user. */
export const defaultRateLimits = {
  /** Failed logins of one account from one address, from one device it knows, or in one session. */
  login_account: { limit: 5, seconds: 300 },
  /** Failed logins from one address. */
  login_ip: { limit: 20, seconds: 600 },
  /** Failed logins of one account from all devices together that it does not know. */
  login_unknown_device: { limit: 50, seconds: 3600 },
  /** Requests to reset the password of one account, from one device it knows or one address. */
  reset_account: { limit: 3, seconds: 3600 },
  /**
   * Reset mails to one account that devices ask for which it does not know: three an hour, apart. A link works for half
   * an hour, so that the newest one in the mailbox always does.
   */
  reset_mail: { limit: 1, seconds: 1200 },
  /** Password reset requests from one address. */
  reset_ip: { limit: 3, seconds: 3600 },
  /** Sign-ups from one address. */
  signup_ip: { limit: 5, seconds: 3600 },
  /** Verification mails asked for in one session. */
  verify_account: { limit: 3, seconds: 3600 },
  /** Mails of sign-ups and verifications to one mailbox, whoever causes them. The link of each leads its owner in. */
  verify_mail: { limit: 5, seconds: 3600 },
  /** Mails to one mailbox that accounts want to take as their address; apart, because these lead nobody else in. */
  change_mail: { limit: 5, seconds: 3600 },
  /** Invitations of one organization. */
  invite_organization: { limit: 50, seconds: 86_400 },
  /** Mails of invitations to one mailbox, from all organizations together. */
  invite_mail: { limit: 5, seconds: 3600 },
  /** Wrong credentials of API tokens from one address. */
  token_ip: { limit: 300, seconds: 60 },
  /** Wrong codes of one account's second factor, from one device it knows or from all others together. */
  two_factor: { limit: 5, seconds: 300 },
  /** Look-ups of countries from one address. */
  geo_ip: { limit: 300, seconds: 60 },
  /** Tests of an organization's connections: each asks a vendor something. */
  connection_test: { limit: 30, seconds: 300 },
  /** Bytes that people write in one organization: documents, their activity, and uploads. Jobs are not counted. */
  written_bytes: { limit: 500_000_000, seconds: 3600 },
  /** Calls of the API by one user. */
  api_user: { limit: 600, seconds: 60 },
} as const satisfies Record<string, RateLimit>

/** A limit of the table. */
export type RateLimitName = keyof typeof defaultRateLimits

const rateLimitNames = Object.keys(defaultRateLimits) as RateLimitName[]

/** The whole table after `EASYDASH_RATE_LIMITS`. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>

/** Most hits a limit may allow. */
export const mostHits = 1e9

const rateLimit = z.strictObject({
  limit: z.int().min(1).max(mostHits),
  seconds: z.int().min(1).max(2_592_000),
})

/** Reads `EASYDASH_RATE_LIMITS`: JSON that replaces single limits of the table, the other ones stay. */
export const rateLimits: SettingSchema<RateLimits> = expecting(
  `JSON such as {"login_ip":{"limit":100,"seconds":60}} with the names ${Object.keys(defaultRateLimits).join(', ')}`,
  z
    .string()
    .transform(parseJson)
    .pipe(z.partialRecord(z.enum(rateLimitNames), rateLimit.readonly()))
    .transform((given) => Object.freeze({ ...defaultRateLimits, ...given })),
)
