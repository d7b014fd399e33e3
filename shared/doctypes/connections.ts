import type { MessageDescriptor } from '../localized-message.ts'

/** Services an organization can connect to and test. */
export const connectionNames = ['hetzner', 'digitalocean', 'aws', 'wpc', 'bucket', 'github', 'slack'] as const

/** Name of a connection. */
export type ConnectionName = (typeof connectionNames)[number]

/**
 * Outcome of a connection test. `ok`: it works; `wrong_key`: the vendor doesn't know the credentials; `wrong_scope`: the
 * credentials are valid but lack permissions; `rate_limited`: too many requests to the vendor; `unreachable`: no response;
 * `unexpected`: a response we can't interpret; `missing`: a required value isn't set.
 */
export const connectionOutcomes = [
  'ok',
  'wrong_key',
  'wrong_scope',
  'rate_limited',
  'unreachable',
  'unexpected',
  'missing',
] as const

/** Outcome of a connection test. */
export type ConnectionOutcome = (typeof connectionOutcomes)[number]

/** Result of a connection test, as text for people. Never contains credentials. */
export interface ConnectionCheck {
  outcome: ConnectionOutcome
  message: string
  message_i18n: MessageDescriptor
  advice: string | null
  advice_i18n: MessageDescriptor | null
  /** HTTP status of the answer. */
  status: number | null
  took_ms: number
  checked_at: string
  stored: boolean
}

/** State of an organization's connections: when the credentials were set, and the result of the last test. */
export type Connections = Partial<
  Record<ConnectionName, { set_at: string | null; check: ConnectionCheck | null } | null>
>

/** Organization fields used by each connection test. Values passed with the test replace the stored ones. */
export const connectionFields = {
  hetzner: ['hcloud_token'],
  digitalocean: ['do_token'],
  aws: ['aws_access_key', 'aws_secret_key'],
  wpc: ['wpc_api_key', 'wpc_client_id'],
  bucket: ['bucket_name', 'bucket_region', 'bucket_endpoint', 'bucket_access_key', 'bucket_secret_key'],
  github: ['bot_github_token', 'bot_github_org_name', 'bot_github_teams'],
  slack: ['slack_token'],
} as const satisfies Record<ConnectionName, readonly string[]>
