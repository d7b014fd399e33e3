import * as z from 'zod/mini'
import { described } from '../schema.ts'

const names = z.array(z.string())

/** What `preview_retention` returns. */
export const previewedRetention = z.object({
  keep: described(names, 'Names of backups that stay'),
  delete: described(names, 'Names of backups that would be deleted'),
})

/** What the action `restore` of a backup returns. */
export const startedRestore = z.object({
  job: described(z.string(), 'Name of the job that restores'),
  site: described(z.string(), 'Name of the site that is restored, or made'),
})

/** What the action `download_link` of a backup returns. */
export const downloadLink = z.object({ url: described(z.string(), 'Works for ten minutes') })

/** What the action `download_recovery_key` of an organization returns. */
export const recoveryKey = z.object({
  file_name: described(z.string(), 'Name for the file'),
  content: described(z.string(), 'A key file of age: comments, and a line with the key'),
})
