import { keysOf } from '#shared/is-one-of.ts'
import { z } from 'zod'
import { parseJson } from '#shared/parse-json.ts'
import { withExpectedFormat, type SettingSchema } from './config/setting-schemas.ts'

/** At most `limit` hits of one key within `seconds`, in any window of that length. */
export interface RateLimit {
  readonly limit: number
  readonly seconds: number
}

/** The default limits (docs/security.md). A key is an account, an address, an organization or a user. */
export const defaultRateLimits = {
  /** Failed logins of one account from one address, from one known device, or in one session. */
  login_account: { limit: 5, seconds: 300 },
  /** Failed logins from one address. */
  login_ip: { limit: 20, seconds: 600 },
  /** Failed logins of one account from all unknown devices together. */
  login_unknown_device: { limit: 50, seconds: 3600 },
  /** Password reset requests for one account, from one known device or one address. */
  reset_account: { limit: 3, seconds: 3600 },
  /**
   * Password reset emails for one account requested from unknown devices: three per hour, spread out. A link is valid for
   * half an hour, so the newest one in the mailbox always works.
   */
  reset_mail: { limit: 1, seconds: 1200 },
  /** Password reset requests from one address. */
  reset_ip: { limit: 3, seconds: 3600 },
  /** Looks at password links from one address: each opened page is one. */
  reset_link_ip: { limit: 30, seconds: 600 },
  /** Sign-ups from one address. */
  signup_ip: { limit: 5, seconds: 3600 },
  /** Verification emails requested in one session. */
  verify_account: { limit: 3, seconds: 3600 },
  /** Sign-up and verification emails to one mailbox, whoever requests them. Each link signs its owner in. */
  verify_mail: { limit: 5, seconds: 3600 },
  /**
   * Emails to one mailbox that accounts want to change their address to; counted separately because these links sign nobody
   * else in.
   */
  change_mail: { limit: 5, seconds: 3600 },
  /** Invitations of one organization. */
  invite_organization: { limit: 50, seconds: 86_400 },
  /** Invitation emails to one mailbox, from all organizations together. */
  invite_mail: { limit: 5, seconds: 3600 },
  /** Invalid API token credentials from one address. */
  token_ip: { limit: 300, seconds: 60 },
  /** Wrong two-factor codes for one account, from one known device or from all others together. */
  two_factor: { limit: 5, seconds: 300 },
  /** Steps of logins through login providers from one address; each login has three. */
  provider_login_ip: { limit: 300, seconds: 600 },
  /** Emails with a login address requested from one address. */
  login_address_ip: { limit: 10, seconds: 3600 },
  /** The same to one mailbox, whoever requests them. */
  login_address_mail: { limit: 1, seconds: 1200 },
  /** Country lookups from one address. */
  geo_ip: { limit: 300, seconds: 60 },
  /** Connection tests of an organization: each sends a request to a vendor. */
  connection_test: { limit: 30, seconds: 300 },
  /** Forms for a payment card of an organization: whoever tries out stolen cards needs many. */
  setup_intent: { limit: 10, seconds: 3600 },
  /** Previews of plans and readings of what an organization pays: each asks the payment provider several times. */
  payment_read: { limit: 120, seconds: 600 },
  /** Looks at machines that an organization wants to add: the form repeats one every 5 seconds until it passes. */
  check_server: { limit: 1000, seconds: 3600 },
  /** Looks at one server by SSH: an open monitoring tab repeats one every minute. */
  look_at_server: { limit: 300, seconds: 600 },
  /** Calls of `ee dash init` from one address: one for each site of a server. */
  easyengine: { limit: 3000, seconds: 3600 },
  /** Requests with samples from one server, which sends one every five minutes. */
  metrics_server: { limit: 240, seconds: 3600 },
  /** Bytes written by the members of one organization: documents, their activity, and uploads. Jobs are not counted. */
  written_bytes: { limit: 500_000_000, seconds: 3600 },
  /** API calls of one user. */
  api_user: { limit: 600, seconds: 60 },
} as const satisfies Record<string, RateLimit>

/** Name of a limit in the table. */
export type RateLimitName = keyof typeof defaultRateLimits

/** Limits that count addresses of clients, and nothing else. */
export type AddressLimitName = Extract<RateLimitName, `${string}_ip`> | 'easyengine'

const rateLimitNames = keysOf(defaultRateLimits)

/** All limits, with `EASYDASH_RATE_LIMITS` applied. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>

/** Highest value of a limit. */
export const maxHits = 1e9

const rateLimit = z.strictObject({
  limit: z.int().min(1).max(maxHits),
  seconds: z.int().min(1).max(2_592_000),
})

/** Parses `EASYDASH_RATE_LIMITS`: JSON that replaces individual limits; the others keep their defaults. */
export const rateLimits: SettingSchema<RateLimits> = withExpectedFormat(
  `JSON such as {"login_ip":{"limit":100,"seconds":60}} with the names ${Object.keys(defaultRateLimits).join(', ')}`,
  z
    .string()
    .transform(parseJson)
    .pipe(z.partialRecord(z.enum(rateLimitNames), rateLimit.readonly()))
    .transform((given) => Object.freeze({ ...defaultRateLimits, ...given })),
)
