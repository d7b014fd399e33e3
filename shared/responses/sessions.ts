import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

/** One session of the caller (`easydash.api.sessions.list`). */
export const sessionRow = z.object({
  id: described(z.string(), 'Names the session for `easydash.api.sessions.end`; not the cookie'),
  current: z.boolean(),
  device: described(z.string(), 'In one phrase, e.g. "Firefox on Windows"'),
  browser: z.nullable(z.string()),
  os: z.nullable(z.string()),
  ip: described(z.nullable(z.string()), 'Address it was started from'),
  country_code: described(z.string(), 'Two lower-case letters, empty when unknown'),
  country: z.string(),
  created: timestamp,
  last_used: described(timestamp, 'Correct to a minute'),
  login_provider: described(z.nullable(z.string()), 'Host of the login provider that the session began through'),
})

/** Sessions of the caller (`easydash.api.sessions.list`). */
export const sessionRows = z.array(sessionRow)

/** One session of the caller. Times are UTC. */
export type SessionRow = z.infer<typeof sessionRow>
