import * as z from 'zod/mini'
import { described } from '../schema.ts'

const name = z.string().check(z.maxLength(200))
const count = z.int().check(z.nonnegative())

/** A part of what changing the primary domain would replace in the database (`preview_domain_change`). */
export const domainChangePreview = z.object({
  domain: described(z.string(), 'The new primary domain as it would be stored'),
  url: described(z.string(), 'The new address of the site'),
  tables: described(
    z.array(z.object({ table: name, rows: count, places: count })).check(z.maxLength(200)),
    'Tables with rows that would change, and the number of addresses in them',
  ),
  options: described(z.array(z.object({ option: name, places: count })).check(z.maxLength(100)), 'Options among them'),
  examples: z
    .array(z.object({ table: name, column: name, before: z.string(), after: z.string() }))
    .check(z.maxLength(20)),
  skipped: described(count, 'Damaged values and unusual tables that would stay as they are'),
  after: described(z.nullable(z.string()), 'Pass it to get the next part; null: this was the last one'),
})

/** A part of what changing the primary domain would replace. */
export type DomainChangePreview = z.infer<typeof domainChangePreview>

/** What the dry run of `change_domain` returns. */
export const dryDomainChange = z.object({
  tables: described(
    z.array(z.object({ table: name, rows: count, replacements: count })),
    'Tables with rows that would change, and the number of addresses in them',
  ),
  replacements: described(count, 'In all of them'),
})

/** What `set_aliases` returns. */
export const aliasesChanged = z.object({ domains: described(z.array(z.string()), 'As stored') })

/** What changing an alias returns. */
export const aliasChanged = z.object({ domain: described(z.string(), 'As stored') })

const dnsRecord = { type: z.enum(['A', 'AAAA']), address: z.string().check(z.maxLength(45)) }

/** Whether a domain leads to a server (`look_up_domain`), and its records as they are and as they have to be. */
export const domainLookUp = z.object({
  state: described(z.enum(['here', 'not_here', 'unknown']), '`unknown`: no name server said anything'),
  expected: described(
    z.array(z.object(dnsRecord)).check(z.maxLength(2)),
    'Records that lead to the server; none for those who cannot create a site there',
  ),
  found: described(
    z.array(z.object({ ...dnsRecord, is_here: described(z.boolean(), 'Whether it is an address of the server') })),
    'Some of the records that it has now, for those who can create a site there; no addresses inside a network',
  ),
})

/** A record that leads to a server. */
export type DnsRecord = DomainLookUp['expected'][number]

/** See `domainLookUp`. */
export type DomainLookUp = z.infer<typeof domainLookUp>
