import { doctype, type Doc, type Rule } from '../doctype.ts'
import { data, datetime, link, select } from '../fields.ts'
import { organizationRoles, type OrganizationRole } from './organization-member.ts'

/** States of an invitation: accepted, pending, or ended without being accepted (docs/contracts/screens.md, section 4). */
export const inviteStatuses = ['verified', 'pending', 'expired'] as const

/** Days until an invitation link expires (docs/security.md). */
export const inviteDays = 7

const kept = { read_only: true, server_owned: true } as const

/** The only role API tokens can invite with, so that a leaked token can't be used to create an admin. */
export const tokenInviteRole: OrganizationRole = 'Organization User'

/** Managers can only handle invitations of plain members: nobody can invite above their own role. */
const asMember: Rule = ['organization_role', '=', 'Organization User']

const everybodyWhoInvites = { Owner: true, 'Organization Admin': true, 'Organization Manager': asMember } as const

/**
 * An invitation of an email address to an organization. The inviting side can't learn whether the address has an account.
 * The link's secret is emailed (or shown once to an admin who copies it); only its hash is stored.
 */
export const MemberInviteDoctype = doctype('Member Invite', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'members',
  naming: 'random',
  title_field: 'user',
  plural: 'Invitations',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    user: data({ reqd: true, format: 'email', length: 254, set_only_once: true, in_list_view: true, label: 'Email' }),
    organization_role: select(organizationRoles, {
      reqd: true,
      default: 'Organization User',
      set_only_once: true,
      label: 'Role',
      in_list_view: true,
    }),
    status: select(inviteStatuses, { ...kept, default: 'pending', in_list_view: true, in_standard_filter: true }),
    invited_by: link('User', { ...kept }),
    /** When the latest link was created. */
    link_created: datetime({ ...kept }),
    /** When the latest link was emailed; empty if it wasn't, as without a mail server. */
    sent: datetime({ ...kept }),
    /** When the latest link expires. */
    expires: datetime({ ...kept, in_list_view: true }),
    /** Without a mail server: when the invited person made an account, which waits for a colleague to confirm it. */
    signed_up: datetime({ ...kept }),
    joined: datetime({ ...kept }),
    /** When the invitee declined; the invitation then counts as expired. */
    declined: datetime({ ...kept }),
    token_hash: data({ server_owned: true, hidden: true, length: 64 }),
  },
  list: { order_by: 'creation desc' },
  indexes: [{ fields: ['token_hash'], unique: true }, { fields: ['status', 'expires'] }],
  permissions: {
    'Platform Admin': { read: true, delete: true },
    Owner: { read: true, create: true, delete: true },
    'Organization Admin': { read: true, create: true, delete: true },
    'Organization Manager': { read: asMember, create: asMember, delete: asMember },
  },
  actions: {
    resend: {
      label: 'Renew invitation',
      activity: 'renewed an invitation',
      allow: everybodyWhoInvites,
      returns: 'InvitationSent',
    },
    copy_link: {
      label: 'Copy link',
      activity: 'copied the link of an invitation',
      allow: everybodyWhoInvites,
      // The link alone isn't enough to accept, the mailbox is needed too; programs have no use for either.
      tokens: false,
      hidden: true,
      returns: 'InvitationLink',
    },
    confirm: {
      label: 'Confirm',
      activity: 'confirmed an invited person',
      allow: everybodyWhoInvites,
      tokens: false,
      returns: 'InvitedConfirmed',
    },
    revoke: {
      label: 'Revoke invitation',
      activity: 'revoked an invitation',
      allow: { ...everybodyWhoInvites, 'Platform Admin': true },
      confirm: 'Its link stops working.',
      returns: 'Nothing',
      danger: true,
    },
  },
})

/** An invitation document. */
export type MemberInvite = Doc<typeof MemberInviteDoctype>

/** Invitation details shown to anyone with the link. They don't reveal whether the address has an account. */
export interface InvitationDetails {
  /** Slug and title of the organization. */
  organization: string
  organization_title: string
  /** Name of the inviter. */
  invited_by: string
  /** Invited address; only its account can accept. */
  user: string
  organization_role: OrganizationRole
  status: (typeof inviteStatuses)[number]
  expires: string | null
}
