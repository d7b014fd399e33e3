import * as z from 'zod/mini'
import { planNames } from '../rules/plans.ts'
import { described, timestamp } from '../schema.ts'

/** Whether thumbnails of sites are taken, and if not, why. */
export const thumbnailStates = ['on', 'off', 'missing', 'sandbox', 'broken'] as const

const thumbnailsHealth = z.object({
  state: z.enum(thumbnailStates),
  next_try: described(z.nullable(timestamp), 'When a browser that does not start is tried again'),
})

/** Whether thumbnails of sites are taken. */
export type ThumbnailsHealth = z.infer<typeof thumbnailsHealth>

const wordPressHealth = z.object({
  versions: z.readonly(z.array(z.string())),
  fallback: z.boolean(),
  last_try: z.nullable(timestamp),
  last_failed: z.boolean(),
})

/** WordPress versions available to new sites; they get the first of `versions`. */
export type WordPressHealth = z.infer<typeof wordPressHealth>

const seconds = z.nullable(z.int())

/** What `easydash.api.platform.health` returns. */
export const health = z.object({
  ok: described(z.boolean(), 'False when database, migrations, disk, queue, mail or payments are not.'),
  version: z.string(),
  node: z.string(),
  uptime_seconds: z.int(),
  database: z.object({
    ok: z.boolean(),
    took_ms: z.number(),
    version: z.nullable(z.string()),
    size_bytes: z.nullable(z.int()),
    connections: z.nullable(z.int()),
  }),
  migrations: z.object({ ok: z.boolean(), schema_version: z.int() }),
  disk: z.object({ ok: z.boolean(), free_bytes: z.nullable(z.int()), total_bytes: z.nullable(z.int()) }),
  memory: z.object({
    process_bytes: z.int(),
    heap_bytes: z.int(),
    web_processes: described(
      z.array(z.int()),
      'Bytes of each further web process that answers (EASYDASH_WEB_PROCESSES); empty where there is only one.',
    ),
    system_free_bytes: z.int(),
    system_total_bytes: z.int(),
  }),
  queue: z.object({
    ok: z.boolean(),
    queued: z.int(),
    running: z.int(),
    lost_contact: z.int(),
    failed_24h: z.int(),
    oldest_queued_seconds: seconds,
  }),
  wordpress_cache: described(
    z.nullable(wordPressHealth),
    'Versions at hand, newest first: new sites get the first. `fallback`: that one is from the package registry and not the newest, because no newer one could be fetched from wordpress.org; `last_try`: when one was last looked for there, null for not since the start; `last_failed`: that look failed, so nobody knows whether there is a newer one. Null where this process makes no sites.',
  ),
  pictures: described(
    z.nullable(thumbnailsHealth),
    'Whether pictures of sites are taken: `on`, `off` by setting, no browser (`missing`), or one that does not start, with when it is tried again. Null where this process has no sites.',
  ),
  mail: z.object({
    ok: z.boolean(),
    smtp: z.boolean(),
    queued: z.int(),
    delayed: described(z.int(), 'Tried before and still waiting after ten minutes, as while the mail server is down'),
    failed: z.int(),
    kept: z.int(),
    oldest_queued_seconds: seconds,
  }),
  payments: described(
    z.nullable(
      z.object({
        ok: z.boolean(),
        last_event: z.nullable(timestamp),
        waiting_events: described(z.int(), 'Without effect for ten minutes'),
        unpaid: described(z.int(), 'Organizations whose renewal is not paid'),
        granted: described(z.int(), 'Organizations that have a plan without paying for it'),
        income: described(
          z.readonly(
            z.array(
              z.object({ plan: z.enum(planNames), organizations: z.int(), amount: z.number(), currency: z.string() }),
            ),
          ),
          'Of a month, by plan and currency',
        ),
      }),
    ),
    'Null where nothing is paid for. `last_event`: when the payment provider last told something.',
  ),
  errors: described(
    z.nullable(z.object({ since_start: z.int(), last_hour: z.int(), last_at: z.nullable(z.string()) })),
    'Errors this process wrote to its log.',
  ),
})

/** What `easydash.api.platform.health` returns. */
export type Health = z.infer<typeof health>
