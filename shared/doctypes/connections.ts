import type { MessageDescriptor } from '../localized-message.ts'

/** Services an organization can connect to and test. */
export const connectionNames = ['hetzner', 'digitalocean', 'aws', 'wpc', 'bucket', 'github', 'slack'] as const

/** Name of a service, as credentials and tests call it. */
export type ConnectionName = (typeof connectionNames)[number]

/** The `kind` of a service's connections. Those of clouds are also the `cloud_provider` of a server. */
export const connectionKinds = {
  hetzner: 'Hetzner',
  digitalocean: 'DigitalOcean',
  aws: 'AWS',
  wpc: 'WP Cloud',
  bucket: 'Bucket',
  github: 'GitHub',
  slack: 'Slack',
} as const satisfies Record<ConnectionName, string>

/** `kind` of a connection. */
export type ConnectionKind = (typeof connectionKinds)[ConnectionName]

/** The service of a kind; undefined if there is no such kind. */
export function connectionNameOf(kind: string | null): ConnectionName | undefined {
  return connectionNames.find((name) => connectionKinds[name] === kind)
}

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

/** The fields of each service's connections. */
export const connectionFields = {
  hetzner: ['hcloud_token'],
  digitalocean: ['do_token'],
  aws: ['aws_access_key', 'aws_secret_key'],
  wpc: ['wpc_api_key', 'wpc_client_id'],
  bucket: ['bucket_name', 'bucket_region', 'bucket_endpoint', 'bucket_access_key', 'bucket_secret_key'],
  github: ['bot_github_token', 'bot_github_org_name', 'bot_github_teams', 'bot_github_name', 'bot_github_email'],
  slack: ['slack_token', 'slack_webhook_url', 'slack_channel'],
} as const satisfies Record<ConnectionName, readonly string[]>

/** The kind of the connections that have a field. Throws if none has. */
export function connectionKindOf(field: string): ConnectionKind {
  const name = connectionNames.find((one) => connectionFields[one].some((own) => own === field))
  if (!name) throw new Error(`${field} is no field of a connection`)
  return connectionKinds[name]
}
