import * as z from 'zod/mini'
import { described, messageDescriptor, timestamp } from '../schema.ts'
import { uptimeRangeKeys, uptimeStates } from '../rules/uptime.ts'

const count = z.int().check(z.nonnegative())
const milliseconds = described(z.nullable(z.number()), 'Milliseconds; null: nothing was measured')

const counts = {
  up: count,
  slow: count,
  down: count,
  asleep: count,
  paused: count,
}

const bucket = z.object({
  at: described(count, 'Its start, in seconds since 1970'),
  ...counts,
  median_ms: milliseconds,
  p95_ms: milliseconds,
  ttfb_ms: described(z.nullable(z.number()), 'Median time to first byte in milliseconds; null: nothing was measured'),
})

/** What the checks of a site found during one interval. */
export type UptimeBucket = z.infer<typeof bucket>

const incident = z.object({
  started: timestamp,
  ended: described(z.nullable(timestamp), 'Null: it goes on'),
  reason: z.string().check(z.maxLength(500)),
  reason_i18n: z.nullable(messageDescriptor),
  change: described(z.nullable(z.string()), 'Name of the activity entry of the last change before it'),
})

/** A time during which a site was down. */
export type UptimeIncident = z.infer<typeof incident>

/** Most incidents of a range that are returned. */
export const mostIncidents = 100

/** What the checks of a site found in a range. */
export const uptime = z.object({
  range: z.enum(uptimeRangeKeys),
  from: described(count, 'Start of the first interval, in seconds since 1970'),
  to: described(count, 'Now, in seconds since 1970'),
  bucket_seconds: described(count, 'Length of an interval'),
  buckets: described(
    z.array(bucket).check(z.maxLength(305)),
    'Oldest first; an interval without samples is missing. Sleeping and paused sites have a sample every five minutes.',
  ),
  totals: z.object({
    ...counts,
    availability: described(
      z.nullable(z.number()),
      'Share of the checks that got an answer, 0 to 1. Time asleep or paused does not count; null: nothing was checked',
    ),
    median_ms: milliseconds,
    p95_ms: milliseconds,
    ttfb_ms: milliseconds,
  }),
  incidents: described(z.array(incident).check(z.maxLength(mostIncidents)), 'Newest first, the last 100'),
})

/** What the checks of a site found in a range. */
export type Uptime = z.infer<typeof uptime>

/** The checks of a site in slots of equal length (`easydash.api.site.uptime`). */
export const uptimeSamples = z.object({
  interval: described(z.int(), 'Seconds of a slot'),
  samples: described(
    z.array(
      z.object({
        timestamp: described(count, 'Start of the slot, in seconds since 1970'),
        status: described(
          z.nullable(z.enum(['up', 'slow', 'down', 'asleep'])),
          'The worst of its checks; null: there was none',
        ),
        ms: milliseconds,
        missing: described(z.literal([0, 1]), '1: nothing was checked, also on purpose (maintenance, suspension)'),
      }),
    ),
    'One for each slot of the range, oldest first',
  ),
  availability: described(z.nullable(z.number()), 'As in `uptime` of the site'),
  incidents: described(
    z
      .array(z.object({ started: timestamp, ended: z.nullable(timestamp), cause: incident.shape.reason }))
      .check(z.maxLength(mostIncidents)),
    'Newest first',
  ),
})

/** The checks of a site in slots of equal length. */
export type UptimeSamples = z.infer<typeof uptimeSamples>

/** Result of a check that somebody asked for. */
export const checkedSite = z.object({
  state: z.enum(['up', 'slow', 'down']),
  status: described(z.nullable(z.int()), 'HTTP status; null: no answer'),
  total_ms: milliseconds,
})

/** Hours of `recentUptime`; the last one is that of now. */
export const recentHours = 24

const recent = z.object({
  states: described(
    z.array(z.nullable(z.enum(uptimeStates))).check(z.length(recentHours)),
    'The worst of each hour; null: nothing was measured',
  ),
  ms: described(z.array(z.nullable(z.number())).check(z.length(recentHours)), 'Average milliseconds of the answers'),
  availability: described(
    z.nullable(z.number()),
    'Share of the checks that got an answer, 0 to 1; null: none was made',
  ),
})

/** What the checks of a site found in each of the last hours. */
export type RecentUptime = z.infer<typeof recent>

/** Of several sites (`easydash.api.site.recent_uptime`). */
export const recentUptime = z.array(z.nullable(recent))
