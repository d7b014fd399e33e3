import * as z from 'zod/mini'
import { described } from '../schema.ts'

const names = z.array(z.string())

/** What `preview_retention` returns. */
export const previewedRetention = z.object({
  keep: described(names, 'Names of backups that stay'),
  delete: described(names, 'Names of backups that would be deleted'),
})
