import * as z from 'zod/mini'
import { connectionOutcomes, type ConnectionCheck } from '../doctypes/connections.ts'
import { described, sentenceParts, timestamp, type ResponseSchema } from '../schema.ts'

/** Result of a connection test. */
export const connectionCheck: ResponseSchema<Required<ConnectionCheck>> = z.object({
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
