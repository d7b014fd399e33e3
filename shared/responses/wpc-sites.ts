import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'
import { wpcBackupKinds } from '../rules/wp-cloud.ts'

/** What a new site at WP Cloud can be given (`get_options`). */
export const wpcOptions = z.object({
  data_centers: described(z.array(z.string()), 'Codes of data centers with room'),
  php_versions: z.array(
    z.object({
      version: z.string(),
      is_default: z.boolean(),
      until: described(z.nullable(z.string()), 'When WP Cloud removes it; null if it does not say'),
    }),
  ),
})

/** What a new site at WP Cloud can be given. */
export type WpcOptions = z.infer<typeof wpcOptions>

/** Backups of a site at WP Cloud (`list_backups`), newest first. */
export const wpcBackups = z.object({
  backups: z.array(
    z.object({
      backup: z.string(),
      kind: described(z.enum(wpcBackupKinds), '`fs`: files, `db`: database'),
      on_demand: described(z.boolean(), 'Somebody asked for it: it stays until it is deleted'),
      creation: timestamp,
    }),
  ),
})

/** Backups of a site at WP Cloud, newest first. */
export type WpcBackups = z.infer<typeof wpcBackups>

/** SSH users of a site at WP Cloud (`list_ssh_users`). */
export const wpcSshUsers = z.object({ host: z.string(), logins: z.array(z.string()) })

/** A part of a log of a site at WP Cloud (`read_log`), newest first. */
export const wpcLog = z.object({
  lines: z.array(
    z.object({
      at: z.nullable(timestamp),
      level: z.enum(['error', 'warning', 'notice', 'info']),
      text: z.string(),
    }),
  ),
  cursor: described(z.nullable(z.string()), 'For the next, older part; null at the end'),
})

/** What WP Cloud measured of a site (`get_metrics`), oldest first. */
export const wpcMetrics = z.object({
  interval: described(z.number(), 'Seconds, as WP Cloud chose it'),
  samples: z.array(
    z.object({
      timestamp: z.number(),
      requests: z.nullable(z.number()),
      response_seconds: z.nullable(z.number()),
      cache_percent: described(z.nullable(z.number()), 'Requests that the edge cache answered'),
    }),
  ),
})

/** A part of a log. */
export type WpcLog = z.infer<typeof wpcLog>
/** What WP Cloud measured. */
export type WpcMetrics = z.infer<typeof wpcMetrics>

/** Sites of the account at WP Cloud that the organization does not have here (`list_unmanaged`). */
export const wpcUnmanaged = z.array(z.object({ atomic_site_id: z.string(), domain: z.string() }))

/** Sites of the account at WP Cloud that the organization does not have here. */
export type WpcUnmanaged = z.infer<typeof wpcUnmanaged>

/** What became of sites that were to be added (`import_sites`). */
export const wpcImported = z.object({
  added: z.array(z.string()),
  failed: z.array(z.object({ domain: z.string(), message: z.string() })),
})
