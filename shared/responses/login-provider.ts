import * as z from 'zod/mini'
import { described, person, timestamp } from '../schema.ts'

/** Where the members of an organization log in through its provider. */
export const loginAddress = z.object({ address: described(z.url(), 'To be passed on to the members') })

/** What a test of a login provider found out; what fails is an error. */
export const loginProviderTest = z.object({
  issuer: z.string(),
  client: described(
    z.enum(['accepted', 'unknown']),
    'Whether the provider said that it knows the client and its secret; unknown: it looks at them later only',
  ),
})

/** Result of a test of a login provider. */
export type LoginProviderTest = z.infer<typeof loginProviderTest>

/** Members who log in through the provider. */
export const loginLinks = z.array(z.object({ user: person, linked: timestamp, last_used: z.nullable(timestamp) }))

/** A member who logs in through the provider. */
export type LoginLink = z.infer<typeof loginLinks>[number]

/** Login providers that the caller logs in through. */
export const ownLoginLinks = z.array(
  z.object({
    organization: z.string(),
    title: described(z.string(), 'Of the organization'),
    host: described(z.string(), 'Of the provider'),
    linked: timestamp,
    last_used: z.nullable(timestamp),
  }),
)

/** A login provider that the caller logs in through. */
export type OwnLoginLink = z.infer<typeof ownLoginLinks>[number]

/** Answer to removing one's own link. */
export const unlinked = z.object({
  logged_out: described(z.boolean(), 'The session of this request had begun through the provider, and has ended'),
})
