import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

/** A country with the provider's regions there (docs/contracts/screens.md, section 3, region mapping). */
const providerCountry = z.object({
  code: described(z.string(), 'ISO 3166-1 alpha-2'),
  name: described(z.string(), 'English name'),
  regions: z.array(z.object({ regionCode: z.string(), regionDescription: z.string() })),
})

/** A country in which a provider has regions. */
export type ProviderCountry = z.infer<typeof providerCountry>

/** Where each provider offers machines, known without calling it (`get_cloud_provider_metadata`). */
export const providerMetadata = described(
  z.record(
    z.string(),
    z.object({
      countries: z.array(providerCountry),
      regions: described(
        z.record(z.string(), z.object({ region_description: z.string(), country: z.string() })),
        'By code of the region',
      ),
      images: described(z.array(z.string()), 'Operating systems of new servers'),
    }),
  ),
  'By label of the provider',
)

/** What `get_cloud_provider_metadata` returns. */
export type ProviderMetadata = z.infer<typeof providerMetadata>

const price = z.nullable(z.number())

/** What can be ordered in a region (`get_machine_types`). */
export const machineTypes = z.array(
  z.object({
    name: described(z.string(), 'As the vendor’s API names it'),
    label: described(z.string(), 'Its name for people, and what kind it is'),
    architecture: described(z.enum(['x86', 'arm']), 'Of its processor'),
    cpu: described(z.number(), 'Virtual processors'),
    ram: described(z.number(), 'Bytes'),
    disk: described(z.nullable(z.number()), 'Bytes; null if the disk is chosen with the machine'),
    price_monthly: described(price, 'Without tax; null if the vendor doesn’t tell it'),
    price_hourly: price,
    currency: described(z.nullable(z.string().check(z.regex(/^[A-Z]{3}$/))), 'ISO 4217'),
    available: z.boolean(),
    reason: described(z.nullable(z.string()), 'Why it is not available'),
  }),
)

/** A machine type of a provider as seen from a region. */
export type MachineType = z.infer<typeof machineTypes>[number]

/** What a server costs (`get_costs`). */
export const serverCosts = z.object({
  this_month: described(price, 'Since the month began, without tax; null if its price is not known'),
  currency: described(z.nullable(z.string()), 'ISO 4217'),
  oversized: described(z.boolean(), 'Its processor was hardly used for seven days'),
})

/** What `get_costs` returns. */
export type ServerCosts = z.infer<typeof serverCosts>

/** What a look at a machine found that Easydash is to manage (`check_server`). */
export const serverChecks = z.object({
  host_key: described(z.nullable(z.string()), 'Fingerprint of its host key; null if it did not answer'),
  checks: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      state: z.enum(['ok', 'warn', 'failed', 'waiting']),
      detail: described(z.nullable(z.string()), 'What was found, or what to do'),
    }),
  ),
})

/** What `check_server` returns. */
export type ServerChecks = z.infer<typeof serverChecks>

/** What `make_server_access_token` of an organization returns. */
export const serverAccessToken = z.object({
  server_access_token: described(z.string(), 'Shown this one time'),
  server_access_token_made: timestamp,
})
