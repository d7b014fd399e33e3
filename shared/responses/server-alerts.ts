import * as z from 'zod/mini'
import { alertMetrics } from '../rules/alert-rules.ts'
import { severities } from '../rules/notification-events.ts'
import { bit, described, messageDescriptor, timestamp } from '../schema.ts'

const metric = z.enum(alertMetrics)
const severity = z.enum(severities)
const threshold = described(z.number(), 'Percent, the load of one processor, or days')
const value = described(z.nullable(z.number()), 'The last value; null for what has none')

const rule = z.object({
  metric,
  name: described(z.nullable(z.string()), 'The Alert Rule it is from; null for a default'),
  source: described(z.enum(['server', 'organization', 'default']), 'Whose rule it is'),
  threshold,
  minutes: z.int(),
  severity,
  enabled: bit,
  state: described(
    z.enum(['firing', 'fine', 'mixed', 'unknown', 'off']),
    'What it finds now; `mixed`: not for long enough; `unknown`: samples are missing',
  ),
  value,
})

/** A rule that holds for a server. */
export type ServerAlertRule = z.infer<typeof rule>

const incident = z.object({
  metric,
  subject: described(z.string(), 'Which service or certificate'),
  started: timestamp,
  ended: z.nullable(timestamp),
  cause: z.nullable(z.string()),
  cause_i18n: z.nullable(messageDescriptor),
  severity,
  threshold,
  value,
})

/** Something that was wrong with a server. */
export type ServerAlertIncident = z.infer<typeof incident>

/** The rules of a server, one for each metric, and its incidents, newest first. */
export const serverAlerts = z.object({ rules: z.array(rule), incidents: z.array(incident) })

export type ServerAlerts = z.infer<typeof serverAlerts>
