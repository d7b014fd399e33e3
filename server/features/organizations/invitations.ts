import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { MemberInviteDoctype, inviteDays, type MemberInvite } from '#shared/doctypes/member-invite.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import type { WaitingFor } from '#shared/responses/verification.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { chooseOrganization } from './current-organization.ts'

const dayMs = 86_400_000

/** Gives an invitation a new link, which replaces the previous one. Returns the secret, the only time it is visible. */
export async function renewLink(tx: Tx, invite: string, invitedBy: string): Promise<string> {
  const token = newToken()
  const now = Date.now()
  await tx.update(
    MemberInviteDoctype,
    invite,
    {
      token_hash: hashToken(token),
      status: 'pending',
      invited_by: invitedBy,
      link_created: formatTimestamp(now),
      sent: null,
      // Who signed up with the link that this one replaces, has to open this one.
      signed_up: null,
      expires: formatTimestamp(now + inviteDays * dayMs),
      declined: null,
    },
    { hooks: false, activity: false },
  )
  return token
}

/** Whether the link of an invitation still works. */
export function isOpen(invite: MemberInvite, now = Date.now()): boolean {
  return invite.status === 'pending' && invite.expires !== null && invite.expires > formatTimestamp(now)
}

/** Marks expired invitations, for lists and filters. Links check the time themselves. */
export async function expireInvitations(tx: Tx): Promise<void> {
  await tx.updateWhere(
    MemberInviteDoctype,
    [
      ['status', '=', 'pending'],
      ['expires', '<=', formatTimestamp(Date.now())],
    ],
    { status: 'expired' },
  )
}

function notValid(): AppError {
  return new AppError(
    'gone',
    msg`This invitation is not valid any more: it was withdrawn, or a newer link replaced it.`,
    {
      excType: 'LinkExpired',
      nextAction: msg`Look for a newer link, or ask for a new invitation.`,
    },
  )
}

/** The error for a link whose invitation was used or has expired. */
export function closedInvitationError(invite: MemberInvite): AppError {
  return new AppError(
    'gone',
    invite.status === 'verified' ? msg`This invitation was used already.` : msg`This invitation has expired.`,
    {
      excType: 'LinkExpired',
      nextAction: invite.status === 'verified' ? msg`Log in to work there.` : msg`Ask for a new invitation.`,
    },
  )
}

/**
 * The invitation of a link, with its organization. Throws AppError `gone` for an unknown link, whether it never existed, was
 * revoked or was replaced.
 */
export async function invitationOf(
  tx: Tx,
  token: string,
): Promise<{ invite: MemberInvite; organization: Organization }> {
  const invite = await tx.find(MemberInviteDoctype, [['token_hash', '=', hashToken(token)]])
  const organization = invite ? await tx.get(OrganizationDoctype, invite.organization) : null
  if (!invite || organization?.enabled !== 1) throw notValid()
  return { invite, organization }
}

/** Like `invitationOf`, for acting on it: locks both rows and requires the invitation to be open. */
export async function openInvitation(
  tx: Tx,
  token: string,
): Promise<{ invite: MemberInvite; organization: Organization }> {
  const found = await invitationOf(tx, token)
  // Locks the organization first, as everywhere: a concurrent deletion or ownership transfer waits, or is already visible
  // here.
  const organization = await tx.get(OrganizationDoctype, found.organization.name, { lock: true })
  const invite = await tx.get(MemberInviteDoctype, found.invite.name, { lock: true })
  if (organization?.enabled !== 1 || !invite || invite.token_hash !== found.invite.token_hash) throw notValid()
  if (!isOpen(invite)) throw closedInvitationError(invite)
  return { invite, organization }
}

/**
 * Adds the invited user as a member with the invitation's role. The caller has locked the invitation and knows that the
 * address is verified. Existing members keep their role.
 */
export async function addInvitedMember(tx: Tx, invite: MemberInvite, user: string): Promise<void> {
  const { organization, organization_role } = invite
  const known = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['user', '=', user],
  ])
  if (!known) {
    await tx.insert(
      OrganizationMemberDoctype,
      { parent: organization, parenttype: 'Organization', parentfield: 'members', user, organization_role },
      { owner: invite.invited_by ?? user, activity: false },
    )
  }
  await tx.update(
    MemberInviteDoctype,
    invite.name,
    { status: 'verified', joined: formatTimestamp(Date.now()) },
    { hooks: false, activity: false },
  )
  await chooseOrganization(tx, user, organization)
  await tx.activity({
    action: 'Member Invite.accept',
    organization,
    actor: user,
    reference_doctype: 'Member Invite',
    reference_name: invite.name,
    reference_title: invite.user,
    after: { user, organization_role: known?.organization_role ?? organization_role },
  })
}

/** Expires open invitations sent by a member who left or may no longer grant that role. Others can send them again. */
export async function withdrawInvitationsBy(
  tx: Tx,
  user: string,
  organization: string,
  mayStillGrant: (role: string) => boolean,
): Promise<void> {
  const open = await tx.list(MemberInviteDoctype, [
    ['organization', '=', organization],
    ['invited_by', '=', user],
    ['status', '=', 'pending'],
  ])
  for (const invite of open) {
    if (mayStillGrant(invite.organization_role)) continue
    await tx.update(MemberInviteDoctype, invite.name, { status: 'expired' }, { hooks: false })
  }
}

/** What the accounts feature needs for people who sign up with an invitation. */
export interface InvitationsAtSignUp {
  /**
   * Returns the open invitation for this token and exactly this address. Throws `gone`, or `invalid` on the field `email`.
   */
  check(tx: Tx, token: string, email: string): Promise<string>
  /** Notes that the invited person has an account, which a colleague has to confirm. */
  signedUp(tx: Tx, invite: string): Promise<void>
  /** What a person who waits to be confirmed is told; of an invitation that was withdrawn only that it has ended. */
  waitingFor(tx: Tx, invite: string): Promise<WaitingFor>
  /** Adds the user once their address is verified; does nothing if the invitation has expired by then. */
  joinVerified(tx: Tx, invite: string, email: string): Promise<void>
}

/** Invitations during sign-up: the token permits signing up, and the verified mailbox permits joining. */
export const invitationsAtSignUp: InvitationsAtSignUp = {
  async check(tx, token, email) {
    const { invite } = await invitationOf(tx, token)
    if (!isOpen(invite)) throw closedInvitationError(invite)
    if (invite.user !== email) {
      throw new AppError('invalid', msg`This invitation is for ${invite.user}.`, {
        field: 'email',
        excType: 'ValidationError',
        nextAction: msg`Sign up with that address, or ask for an invitation of yours.`,
      })
    }
    return invite.name
  },

  async signedUp(tx, name) {
    const invite = await tx.get(MemberInviteDoctype, name, { lock: true })
    if (!invite || invite.signed_up !== null) return
    const changes = { signed_up: formatTimestamp(Date.now()) }
    await tx.update(MemberInviteDoctype, name, changes, { hooks: false, activity: false })
  },

  async waitingFor(tx, name) {
    const invite = await tx.get(MemberInviteDoctype, name)
    const organization = invite ? await tx.get(OrganizationDoctype, invite.organization) : null
    if (!invite || organization?.enabled !== 1) return { organization: null, invited_by: null, ended: true }
    const inviter = invite.invited_by === null ? null : await tx.get(UserDoctype, invite.invited_by)
    return {
      organization: organization.title,
      invited_by: inviter?.full_name ?? organization.title,
      ended: !isOpen(invite) || invite.signed_up === null,
    }
  },

  async joinVerified(tx, name, email) {
    const found = await tx.get(MemberInviteDoctype, name)
    const organization = found ? await tx.get(OrganizationDoctype, found.organization, { lock: true }) : null
    const invite = await tx.get(MemberInviteDoctype, name, { lock: true })
    if (organization?.enabled === 1 && invite && invite.user === email && isOpen(invite))
      await addInvitedMember(tx, invite, email)
  },
}
