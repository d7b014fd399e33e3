import * as z from 'zod/mini'
import { described } from '../schema.ts'

const version = z.string().check(z.maxLength(40))

/** Versions of WordPress that a site can get. */
export const wordpressVersions = z.object({
  installed: version,
  reached: described(z.boolean(), 'wordpress.org answered; otherwise only stored versions are listed'),
  offers: described(
    z
      .array(
        z.object({
          version,
          stored: described(z.boolean(), 'This installation has it; others are downloaded from wordpress.org'),
          state: described(
            z.nullable(z.enum(['latest', 'outdated', 'insecure'])),
            'What wordpress.org says about it; null if it was not asked',
          ),
        }),
      )
      .check(z.maxLength(200)),
    'Newest first',
  ),
})

/** Versions of WordPress that a site can get. */
export type WordPressVersions = z.infer<typeof wordpressVersions>

/** The state of WordPress before the last change of its version, which can be rolled back to. */
export const previousCore = z.object({
  version,
  at: described(z.int().check(z.nonnegative()), 'When it was replaced, in seconds since 1970'),
  database: described(z.boolean(), 'Its database is kept, too, because the new version changed the structure'),
})
