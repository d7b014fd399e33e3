import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** Longest difference in characters. */
export const maxDiffLength = 200_000

/** A file of a site beside its original. */
export const fileComparison = z.object({
  path: z.string().check(z.maxLength(300)),
  result: described(
    z.enum(['text', 'same', 'binary', 'too_long', 'too_different', 'no_original']),
    'Only `text` has a difference; `too_long`: one of the two is larger than 1 MB; `no_original`: there is nothing to compare with',
  ),
  diff: described(z.nullable(z.string().check(z.maxLength(maxDiffLength))), 'Unified, from the original to the file'),
  truncated: described(z.boolean(), 'The difference is longer than what is shown'),
  original_bytes: described(z.nullable(z.int()), 'Null: the original does not have this file, or is not known'),
  bytes: described(z.nullable(z.int()), 'Null: the site does not have this file'),
})

/** A file of a site beside its original. */
export type FileComparison = z.infer<typeof fileComparison>
