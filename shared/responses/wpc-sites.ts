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
