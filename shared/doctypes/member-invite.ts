import { doctype, type Doc, type Rule } from '../doctype.ts'
import { data, datetime, link, select } from '../fields.ts'
import * as z from 'zod/mini'
import { timestamp, nothing } from '../schema.ts'
import { organizationRoles, type OrganizationRole } from './organization-member.ts'

/** States of an invitation: joined, waiting, or over without joining (docs/contracts/screens.md, section 4). */
export const inviteStatuses = ['verified', 'pending', 'expired'] as const

/** How long a link of an invitation works, in days (docs/security.md). */
export const inviteDays = 7

const kept = { read_only: true, server_owned: true } as const

/** What API tokens invite as: nobody who got hold of one makes himself an admin. */
export const tokenInviteRole: OrganizationRole = 'Organization User'

/** Managers have to do with invitations of plain members only: nobody invites above the own role. */
const asMember: Rule = ['organization_role', '=', 'Organization User']

const everybodyWhoInvites = { Owner: true, 'Organization Admin': true, 'Organization Manager': asMember } as const

/**
 * An invitation of an address into an organization. Whether the address has an account stays unknown to the inviting side.
 * The link's secret goes out by mail (or once to an admin who copies it); only its hash is kept.
 */
export const MemberInviteDoctype = doctype('Member Invite', {
  module: 'core',
  tenant: 'organization',
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
    /** When the newest link was made. */
    sent: datetime({ ...kept }),
    /** When the newest link was mailed; empty when it was not. */
    mailed: datetime({ ...kept }),
    /** Until when the newest link works. */
    expires: datetime({ ...kept, in_list_view: true }),
    joined: datetime({ ...kept }),
    /** When the invited person said no; the invitation counts as expired then. */
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
      label: 'Send again',
      allow: everybodyWhoInvites,
      returns: z.object({ expires: z.nullable(timestamp) }),
    },
    copy_link: {
      label: 'Copy link',
      allow: everybodyWhoInvites,
      // Whoever has the link needs the mailbox as well, but a program needs neither.
      tokens: false,
      hidden: true,
      returns: z.object({ link: z.string() }),
    },
    revoke: {
      label: 'Revoke invitation',
      allow: { ...everybodyWhoInvites, 'Platform Admin': true },
      confirm: 'Its link stops working.',
      returns: nothing,
      danger: true,
    },
  },
})

/** An invitation document. */
export type MemberInvite = Doc<typeof MemberInviteDoctype>

/** What a link's holder learns of the invitation. Whether the address has an account is not part of it. */
export interface InvitationFacts {
  /** Slug and title of the organization. */
  organization: string
  organization_title: string
  /** Name of the person who invites. */
  invited_by: string
  /** Address that is invited: only its account can accept. */
  user: string
  organization_role: OrganizationRole
  status: (typeof inviteStatuses)[number]
  expires: string | null
}
