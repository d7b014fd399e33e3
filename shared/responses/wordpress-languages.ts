import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** Translations that wordpress.org has for the WordPress of a site. */
export const languageOffers = z.object({
  reached: described(z.boolean(), 'wordpress.org answered; otherwise nothing is listed'),
  languages: z
    .array(
      z.object({
        locale: described(z.string().check(z.maxLength(40)), 'As WordPress names it, e.g. de_DE'),
        name: described(z.string().check(z.maxLength(100)), 'In English'),
        native: described(z.string().check(z.maxLength(100)), 'In the language itself'),
      }),
    )
    .check(z.maxLength(500)),
})

/** Translations that wordpress.org has for the WordPress of a site. */
export type LanguageOffers = z.infer<typeof languageOffers>
