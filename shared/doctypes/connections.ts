import {
  booleanShape,
  datetimeShape,
  described,
  objectShape,
  oneOfShape,
  orNull,
  sentenceShape,
  textShape,
} from '../json-schema.ts'
import type { SentenceParts } from '../sentence.ts'

/** What an organization can be connected to, and what its Test button asks. */
export const connectionNames = ['hetzner', 'digitalocean', 'aws', 'wpc', 'bucket', 'github', 'slack'] as const

/** One of them. */
export type ConnectionName = (typeof connectionNames)[number]

/**
 * How a test ended. `ok` it works; `wrong_key` the vendor does not know the credentials; `wrong_scope` it knows them and
 * they may not do what is needed; `rate_limited` asked too often there; `unreachable` no answer; `unexpected` an answer
 * that says nothing; `missing` something has to be entered first.
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

/** One of them. */
export type ConnectionOutcome = (typeof connectionOutcomes)[number]

/** A test's answer in words for people. Never holds a credential. */
export interface ConnectionCheck {
  outcome: ConnectionOutcome
  /** What the vendor said or what was seen, one sentence in English. */
  message: string
  /** The same in parts; tests that were remembered before there were parts have none. */
  message_parts?: SentenceParts
  /** What to do about it; null when nothing is to do. */
  advice: string | null
  advice_parts?: SentenceParts | null
  /** The vendor's HTTP status; null without an answer. */
  status: number | null
  took_ms: number
  checked_at: string
  /** The stored credentials were tested, not ones just typed: only that is remembered. */
  stored: boolean
}

/** The shape of `ConnectionCheck`, for the reference documentation. */
export const connectionCheckShape = objectShape({
  outcome: oneOfShape(connectionOutcomes),
  message: described(textShape, 'What was seen there, or what the answer means'),
  message_parts: sentenceShape,
  advice: orNull(described(textShape, 'What to do about it')),
  advice_parts: orNull(sentenceShape),
  status: orNull(described({ type: 'integer' }, 'HTTP status of the answer')),
  took_ms: { type: 'integer' },
  checked_at: datetimeShape,
  stored: described(booleanShape, 'Whether the stored credentials were tested, not ones given with the call'),
})

/** What is known of an organization's connections: when the credentials were set, and the last test of them. */
export type Connections = Partial<
  Record<ConnectionName, { set_at: string | null; check: ConnectionCheck | null } | null>
>

/** Fields of the organization that a test looks at, by connection. Given with the test they stand for the stored ones. */
export const connectionFields = {
  hetzner: ['hcloud_token'],
  digitalocean: ['do_token'],
  aws: ['aws_access_key', 'aws_secret_key'],
  wpc: ['wpc_api_key', 'wpc_client_id'],
  bucket: ['bucket_name', 'bucket_region', 'bucket_endpoint', 'bucket_access_key', 'bucket_secret_key'],
  github: ['bot_github_token', 'bot_github_org_name', 'bot_github_teams'],
  slack: ['slack_token'],
} as const satisfies Record<ConnectionName, readonly string[]>
