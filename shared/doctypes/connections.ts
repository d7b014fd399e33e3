import * as z from 'zod/mini'
import { timestamp, described, sentenceParts } from '../schema.ts'
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

/** The result of a connection test, in words for people. Never holds a credential. */
export const connectionCheckSchema = z.object({
  outcome: z.enum(connectionOutcomes),
  message: described(z.string(), 'What was seen there, or what the answer means'),
  message_parts: sentenceParts,
  advice: z.nullable(described(z.string(), 'What to do about it')),
  advice_parts: z.nullable(sentenceParts),
  status: z.nullable(described(z.int(), 'HTTP status of the answer')),
  took_ms: z.int(),
  checked_at: timestamp,
  stored: described(z.boolean(), 'Whether the stored credentials were tested, not ones given with the call'),
})

/** The result of a connection test; tests that were remembered before there were parts have none. */
export type ConnectionCheck = Omit<z.infer<typeof connectionCheckSchema>, 'message_parts' | 'advice_parts'> & {
  message_parts?: SentenceParts
  advice_parts?: SentenceParts | null
}

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
