import * as z from 'zod/mini'
import { described } from '../schema.ts'

const short = z.string().check(z.maxLength(1_000))

/** The settings of WordPress as a site has them (`read_wordpress_settings`). */
export const wordpressSettings = z.object({
  values: z.object({
    title: short,
    tagline: short,
    timezone: described(short, 'Europe/Berlin, or an offset such as UTC+5.5'),
    language: described(short, 'Locale; English is en_US'),
    search_engines: z.union([z.literal(0), z.literal(1)]),
    permalinks: described(short, 'Empty: ?p=123'),
    admin_email: short,
    start_page: described(short, 'Id of the page that is the homepage; empty: the latest posts'),
  }),
  timezones: z.array(short).check(z.maxLength(1_000)),
  languages: described(z.array(short).check(z.maxLength(300)), 'Installed locales'),
  pages: described(
    z.array(z.object({ id: short, title: short })).check(z.maxLength(200)),
    'Published pages, the first 200 by title',
  ),
})

/** The settings of WordPress as a site has them. */
export type WordPressSettings = z.infer<typeof wordpressSettings>
