import * as z from 'zod/mini'
import { connectionOutcomes, type ConnectionCheck } from '../doctypes/connections.ts'
import { described, messageDescriptor, timestamp, type ResponseSchema } from '../schema.ts'

/** Result of a connection test. */
export const connectionCheck: ResponseSchema<ConnectionCheck> = z.object({
  outcome: z.enum(connectionOutcomes),
  message: described(z.string(), 'What was seen there, or what the answer means'),
  message_i18n: messageDescriptor,
  advice: z.nullable(described(z.string(), 'What to do about it')),
  advice_i18n: z.nullable(messageDescriptor),
  status: z.nullable(described(z.int(), 'HTTP status of the answer')),
  took_ms: z.int(),
  checked_at: timestamp,
  stored: described(z.boolean(), 'Whether the stored credentials were tested, not ones given with the call'),
})
