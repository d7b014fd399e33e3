import { sql } from 'kysely'
import { tableRef } from '#server/documents/store/schema.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { stamp } from '#server/jobs/clock.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import { MemberInviteDoctype, inviteDays, type MemberInvite } from '#shared/doctypes/member-invite.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import { chooseOrganization } from './current-organization.ts'

const dayMs = 86_400_000

/** Gives an invitation a new link, which replaces the one before. The secret is returned this one time. */
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
      sent: stamp(now),
      mailed: null,
      expires: stamp(now + inviteDays * dayMs),
      declined: null,
    },
    { hooks: false, activity: false },
  )
  return token
}

/** Whether the link of an invitation can (still) be followed. */
export function isOpen(invite: MemberInvite, now = Date.now()): boolean {
  return invite.status === 'pending' && invite.expires !== null && invite.expires > stamp(now)
}

/** Marks what is over. Links look at the time themselves; this is for lists and their filters. */
export async function expireInvitations(tx: Tx): Promise<void> {
  const { rows } = await sql<{ name: string; organization: string; modified: string }>`
    update ${tableRef('Member Invite')} set status = 'expired', modified = clock_timestamp() at time zone 'utc'
    where status = 'pending' and expires <= clock_timestamp() at time zone 'utc' returning name, organization, modified`.execute(
    tx.trx,
  )
  tx.wrote(MemberInviteDoctype, rows)
}

function notValid(): AppError {
  return new AppError(
    'gone',
    say`This invitation is not valid any more: it was withdrawn, or a newer link replaced it.`,
    {
      excType: 'LinkExpired',
      nextAction: say`Look for a newer email, or ask for a new invitation.`,
    },
  )
}

/** The refusal of a link whose invitation is over. */
function over(invite: MemberInvite): AppError {
  return new AppError(
    'gone',
    invite.status === 'verified' ? say`This invitation was used already.` : say`This invitation has expired.`,
    {
      excType: 'LinkExpired',
      nextAction: invite.status === 'verified' ? say`Log in to work there.` : say`Ask for a new invitation.`,
    },
  )
}

/**
 * The invitation of a link with its organization. Throws AppError `gone` for an unknown link, alike whether it never
 * existed, was withdrawn or was replaced.
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

/** The same for somebody who acts on it: both rows are locked, and the invitation is open. */
export async function openInvitation(
  tx: Tx,
  token: string,
): Promise<{ invite: MemberInvite; organization: Organization }> {
  const found = await invitationOf(tx, token)
  // The organization first, as everywhere: who deletes or hands it over waits, or we find it gone.
  const organization = await tx.get(OrganizationDoctype, found.organization.name, { lock: true })
  const invite = await tx.get(MemberInviteDoctype, found.invite.name, { lock: true })
  if (organization?.enabled !== 1 || !invite || invite.token_hash !== found.invite.token_hash) throw notValid()
  if (!isOpen(invite)) throw over(invite)
  return { invite, organization }
}

/**
 * Lets the invited person in, in the role of the invitation. The caller has locked the invitation, and knows that the
 * address is verified. Somebody who is a member already keeps the role.
 */
export async function join(tx: Tx, invite: MemberInvite, user: string): Promise<void> {
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
    { status: 'verified', joined: stamp(Date.now()) },
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

/**
 * What somebody invited loses the right to give: open invitations of a person who left, or who may not give that role any
 * more, stop working. Others can send them again.
 */
export async function withdrawInvitationsBy(
  tx: Tx,
  user: string,
  organization: string,
  mayStillGive: (role: string) => boolean,
): Promise<void> {
  const open = await tx.list(MemberInviteDoctype, [
    ['organization', '=', organization],
    ['invited_by', '=', user],
    ['status', '=', 'pending'],
  ])
  for (const invite of open) {
    if (mayStillGive(invite.organization_role)) continue
    await tx.update(MemberInviteDoctype, invite.name, { status: 'expired' }, { hooks: false })
  }
}

/** What the accounts feature needs for people who sign up with an invitation. */
export interface InvitationsAtSignUp {
  /** The open invitation of a token for exactly this address. Throws `gone`, or `invalid` at the field `email`. */
  check(tx: Tx, token: string, email: string): Promise<string>
  /** Lets the person in once the address is verified; does nothing when the invitation is over by then. */
  joinVerified(tx: Tx, invite: string, email: string): Promise<void>
}

/** An invitation carried through sign-up: the token opens the form, the verified mailbox opens the organization. */
export const invitationsAtSignUp: InvitationsAtSignUp = {
  async check(tx, token, email) {
    const { invite } = await invitationOf(tx, token)
    if (!isOpen(invite)) throw over(invite)
    if (invite.user !== email) {
      throw new AppError('invalid', say`This invitation is for ${invite.user}.`, {
        field: 'email',
        excType: 'ValidationError',
        nextAction: say`Sign up with that address, or ask for an invitation of yours.`,
      })
    }
    return invite.name
  },

  async joinVerified(tx, name, email) {
    const found = await tx.get(MemberInviteDoctype, name)
    const organization = found ? await tx.get(OrganizationDoctype, found.organization, { lock: true }) : null
    const invite = await tx.get(MemberInviteDoctype, name, { lock: true })
    if (organization?.enabled === 1 && invite && invite.user === email && isOpen(invite)) await join(tx, invite, email)
  },
}
