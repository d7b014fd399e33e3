import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

const names = z.array(z.string())

/** What `preview_retention` returns. */
export const previewedRetention = z.object({
  keep: described(names, 'Names of backups that stay'),
  delete: described(names, 'Names of backups that would be deleted'),
})

/** What the scheduled backup of a site waits for: other backups on its server, the hours of the schedule, or a job on the site. */
const waitsFor = z.enum(['server', 'hours', 'job'])

/** What `backups.due` returns. */
export const dueBackup = z.object({
  since: described(z.nullable(timestamp), 'When the backup was due; null if none is that has not begun'),
  waits_for: described(z.nullable(waitsFor), 'Null if it begins with the next check, a minute later at most'),
  limit: described(z.number(), 'Backups that can be made at the same time on its server; 0: no limit'),
})

const amount = z.object({ count: z.number(), bytes: z.number() })

/** What `backups.stores` returns. */
export const backupStores = z.object({
  default: described(z.string(), 'The store of backups that name none'),
  stores: z.array(
    z.object({
      store: described(z.string(), '`local`, or the name of a connection'),
      label: described(z.nullable(z.string()), 'Of the connection'),
      status: described(z.nullable(z.string()), 'Of the connection’s last test'),
      usage: described(
        z.nullable(z.object({ backups: z.number(), bytes: z.number() })),
        'Of the site, if one is named; else null for those who do not see all sites',
      ),
      price: described(
        z.nullable(z.object({ amount: z.number(), currency: z.string() })),
        'Of a GB (2^30 bytes) for a month, as entered; null for those who do not see all sites',
      ),
      unknown: described(z.nullable(amount), 'Archives in the bucket that no backup describes'),
    }),
  ),
})

/** What the action `restore` of a backup returns. */
export const startedRestore = z.object({
  job: described(z.string(), 'Name of the job that restores'),
  site: described(z.string(), 'Name of the site that is restored, or made'),
})

/** What the action `contents` of a backup returns. */
export const backupContents = z.object({
  entries: described(
    z.array(z.object({ name: z.string(), is_folder: z.boolean(), files: z.number(), size: z.number() })),
    'Files and folders in the folder; of a folder with the number of files in it, and their bytes together',
  ),
  tables: described(z.array(z.object({ name: z.string(), rows: z.number() })), 'Only without a folder'),
  more: described(z.number(), 'Files of the folder that are in none of these entries'),
})

const count = z.optional(z.number())
/** What a backup counts of a site; only `files` of one without WordPress, or whose WordPress does not run. */
const counts = z.object({
  ...{ posts: count, pages: count, comments: count, uploads: count, users: count, plugins: count, themes: count },
  files: z.number(),
})

/** What the action `compare` of a backup returns. */
export const backupComparison = z.object({
  now: described(counts, 'What the site has now, as `counts` of the backup says what it had'),
  changed: described(
    z.object({ posts: count, orders: count, comments: count, users: count, files: z.number() }),
    'What was added or changed since the backup. Posts are those of all types',
  ),
  is_whole: described(z.boolean(), 'False: there are more files than were counted'),
})

/** What the action `download_link` of a backup returns. */
export const downloadLink = z.object({ url: described(z.string(), 'Works for ten minutes') })

/** What the action `open` of a backup returns. */
export const openedBackup = z.object({
  job: described(z.string(), 'Name of the job that opens it: the page answers when it is done'),
  url: described(z.url(), 'Address of its homepage, for whoever has it'),
  until: described(timestamp, 'When it is gone; a backup that takes long to open is there for as long after that'),
})

/** What the action `easyengine_backup` of a site returns. */
export const easyengineBackup = z.object({
  dash_auth: described(z.string(), 'Value of `--dash-auth` of `ee site backup`, once'),
  until: described(timestamp, 'When it stops working'),
})

/** What the action `download_recovery_key` of an organization returns. */
export const recoveryKey = z.object({
  file_name: described(z.string(), 'Name for the file'),
  content: described(z.string(), 'A key file of age: comments, and a line with the key'),
})
