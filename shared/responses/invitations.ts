import * as z from 'zod/mini'
import { inviteStatuses } from '../doctypes/member-invite.ts'
import { organizationRoles } from '../doctypes/organization-member.ts'
import { described, person, messageDescriptor, timestamp } from '../schema.ts'

/** Result for one address of `invite_members`: the invitation, or why it failed. */
export const inviteResult = z.object({
  user: person,
  status: z.enum(['pending', 'failed']),
  name: z.nullable(z.string()),
  message: z.nullable(z.string()),
  message_i18n: z.optional(messageDescriptor),
  mail_server: described(
    z.optional(z.boolean()),
    'Of an invitation: whether the installation has a mail server; without one its mail stays in the outbox',
  ),
  mailed: described(
    z.optional(z.boolean()),
    'Of an invitation: whether it is emailed; if not (no mail server, or its address was sent many lately), copy the link',
  ),
})

/** Result for one address of `invite_members`. */
export type InviteResult = z.infer<typeof inviteResult>

/** An invitation in `list_invitations`. People who joined also appear as members. */
export const listedInvitation = z.object({
  name: z.string(),
  organization: z.string(),
  user: described(person, 'The invited address'),
  organization_role: z.enum(organizationRoles),
  status: z.enum(inviteStatuses),
  invited_by: z.nullable(person),
  creation: timestamp,
  link_created: z.nullable(timestamp),
  sent: described(z.nullable(timestamp), 'When the latest link was emailed; null if it was not'),
  undelivered: described(z.boolean(), 'Whether that email could not be delivered, and is not tried any more'),
  expires: z.nullable(timestamp),
  signed_up: described(z.nullable(timestamp), 'Since when the person waits to be confirmed, without a mail server'),
  joined: z.nullable(timestamp),
  declined: z.nullable(timestamp),
})

/** What `list_invitations` returns. */
export const listedInvitations = z.array(listedInvitation)

/** What `copy_link` of an invitation returns. */
export const invitationLink = z.object({ link: z.string() })

/** What `confirm` of an invitation returns. */
export const invitedConfirmed = z.object({
  link: described(
    z.nullable(z.string()),
    'Where the person chooses a new password, if the address was signed up with different ones; to be passed on',
  ),
})

/** An invitation in `list_invitations`. Times are UTC. */
export type ListedInvitation = z.infer<typeof listedInvitation>
