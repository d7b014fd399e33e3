import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** Services of a server that a site uses (`read_services`). */
export const siteServices = z.object({
  proxy_cache: described(z.boolean(), 'The web server in front of all sites keeps pages'),
  mail_catcher: described(z.boolean(), 'Emails are kept for developers and not delivered'),
})
