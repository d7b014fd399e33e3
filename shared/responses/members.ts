import * as z from 'zod/mini'
import { organizationRoles } from '../doctypes/organization-member.ts'
import { described, person, timestamp } from '../schema.ts'

/** A member in `list_members`. */
export const listedMember = z.object({
  name: described(z.string(), 'Name of the member row'),
  user: person,
  full_name: z.nullable(person),
  user_image: z.nullable(person),
  organization_role: z.enum(organizationRoles),
  is_owner: z.boolean(),
  joined: timestamp,
  sites: described(z.nullable(z.int()), 'Sites a plain member sees; null for those who see all'),
  ssh_keys: described(z.nullable(z.int()), 'For owner and admins, else null'),
  two_factor: described(z.nullable(z.boolean()), 'For owner and admins, else null'),
  last_active: described(z.nullable(timestamp), 'In this organization; for owner and admins, else null'),
})

/** What `list_members` returns. */
export const listedMembers = z.array(listedMember)

/** Members who can become the owner (`candidates_for_change_owner`). */
export const possibleOwners = z.array(z.object({ user: person, full_name: z.nullable(person) }))

/** What `password_link` of a member returns. */
export const passwordLink = z.object({
  link: described(z.string(), 'Where the person chooses a new password within 30 minutes; shown this one time'),
})

/** A member in `list_members`. Times are UTC. */
export type ListedMember = z.infer<typeof listedMember>
