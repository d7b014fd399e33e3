import * as z from 'zod/mini'
import { inviteStatuses } from '../doctypes/member-invite.ts'
import { organizationRoles } from '../doctypes/organization-member.ts'
import { described, person, sentenceParts, timestamp } from '../schema.ts'

/** What became of one address of `invite_members`: the invitation, or why not. */
export const inviteResult = z.object({
  user: person,
  status: z.enum(['pending', 'failed']),
  name: z.nullable(z.string()),
  message: z.nullable(z.string()),
  sentence: z.optional(sentenceParts),
  mail_server: described(
    z.optional(z.boolean()),
    'Of an invitation: whether the installation has a mail server; without one its mail stays in the outbox',
  ),
  mailed: described(
    z.optional(z.boolean()),
    'Of an invitation: false when it is not mailed, because its address was sent many lately; copy the link then',
  ),
})

/** What became of one address of `invite_members`. */
export type InviteResult = z.infer<typeof inviteResult>

/** An invitation in `list_invitations`; who has joined is there as a member, too. */
export const listedInvitation = z.object({
  name: z.string(),
  organization: z.string(),
  user: described(person, 'The invited address'),
  organization_role: z.enum(organizationRoles),
  status: z.enum(inviteStatuses),
  invited_by: z.nullable(person),
  creation: timestamp,
  sent: z.nullable(timestamp),
  expires: z.nullable(timestamp),
  joined: z.nullable(timestamp),
  declined: z.nullable(timestamp),
})

/** An invitation in `list_invitations`. Times are UTC. */
export type ListedInvitation = z.infer<typeof listedInvitation>
