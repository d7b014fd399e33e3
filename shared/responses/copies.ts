import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** What the action `clone` returns. */
export const clonedSite = z.object({
  job: described(z.string(), 'Name of the job that copies the site'),
  name: described(
    z.optional(z.string()),
    'Name of the new site; absent while the job waits for another one of its source',
  ),
})
