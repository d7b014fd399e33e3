import type { inviteStatuses } from '../doctypes/member-invite.ts'
import type { OrganizationRole } from '../doctypes/organization-member.ts'
import type { SentenceParts } from '../sentence.ts'

/** What became of one address of `invite_members`. */
export interface InviteResult {
  readonly user: string
  /** `pending`: invited; its mail waits for delivery. */
  readonly status: 'pending' | 'failed'
  /** Name of the invitation. */
  readonly name: string | null
  /** Why not, and what to do. */
  readonly message: string | null
  /** The parts of `message`, for other languages. */
  readonly sentence?: SentenceParts
  /** Of an invitation: whether a mail server is set up; without one its mail stays in the outbox. */
  readonly mail_server?: boolean
  /** Of an invitation: false when it is not mailed, because its address was sent many lately. The link can be copied. */
  readonly mailed?: boolean
}

/** An invitation as `list_invitations` gives it; who has joined is there as a member, too. Times are UTC. */
export interface ListedInvitation {
  readonly name: string
  readonly organization: string
  readonly user: string
  readonly organization_role: OrganizationRole
  readonly status: (typeof inviteStatuses)[number]
  readonly invited_by: string | null
  readonly creation: string
  readonly sent: string | null
  readonly expires: string | null
  readonly joined: string | null
  readonly declined: string | null
}
