import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** Installation details for admins (`easydash.api.connections.facts`). */
export const installationInfo = z.object({
  egress_ips: described(z.readonly(z.array(z.string())), 'Addresses it connects from, for allow-lists'),
  bot_name: described(z.string(), 'Account of the bot at GitHub'),
  default_public_key: described(z.string(), 'Public SSH key it signs in to servers with'),
})

/** What `easydash.api.connections.facts` returns. */
export type InstallationInfo = z.infer<typeof installationInfo>
