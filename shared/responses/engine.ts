import * as z from 'zod/mini'
import { serverCategories } from '../doctypes/server.ts'
import { engineNames } from '../rules/engines.ts'
import { described } from '../schema.ts'

/** PHP versions a site can be created with, ascending (`easydash.api.site.php.get_versions`). */
export const phpVersions = z.array(z.string())

/** What the engine of a server can do (`easydash.api.engine.capabilities`); what it cannot, with the reason. */
export const engineCapabilities = z.object({
  engine: z.string(),
  php_versions: phpVersions,
  site_names: described(
    z.enum(['label', 'domain']),
    'What its sites are named by: a label below the domain of all sites, or a full domain',
  ),
  capabilities: z.record(
    z.string(),
    z.union([z.object({ supported: z.literal(true) }), z.object({ supported: z.literal(false), reason: z.string() })]),
  ),
})

/** What forms show of the chosen server, by `frappe.client.get_value`; nothing if it can't be used. */
export const chosenServer = z.object({
  hostname: z.optional(z.string()),
  server_category: z.optional(z.nullable(z.enum(serverCategories))),
  engine: z.optional(z.nullable(z.enum(engineNames))),
})
