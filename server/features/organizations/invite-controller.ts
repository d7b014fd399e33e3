import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { withinLimit } from '#server/platform/files/within-limit.ts'
import { MemberInviteDoctype, tokenInviteRole, type MemberInvite } from '#shared/doctypes/member-invite.ts'
import {
  OrganizationMemberDoctype,
  type OrganizationMember,
  type OrganizationRole,
} from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import type { OrganizationsDeps } from './deps.ts'
import { inviteMail } from './invite-mail.ts'
import { addInvitedMember, closedInvitationError, isOpen, renewLink } from './invitations.ts'

/** Behavior of invitations: who can be invited, the email with the link, new links, revocation. */
export function inviteController(deps: OrganizationsDeps): Controller {
  return controller(MemberInviteDoctype, {
    async before_insert(doc, { session, tx }) {
      const email = typeof doc.user === 'string' ? doc.user.trim().toLowerCase() : ''
      assertTokenMayInvite(session, doc.organization_role)
      // Empty addresses are rejected by field validation.
      doc.user = email
      Object.assign(doc, {
        status: 'pending',
        signed_up: null,
        joined: null,
        declined: null,
        token_hash: null,
        link_created: null,
        sent: null,
      })
      doc.invited_by = session.user
      const organization = doc.organization
      // Serialized per organization: of two invitations for one address, the second finds the first.
      if (!(await tx.get(OrganizationDoctype, organization, { lock: true })))
        throw new AppError('not_found', msg`Organization ${organization} not found`)
      if (email !== '') await assertNotMember(tx, organization, email, session.user)
    },

    async after_insert(invite, context) {
      await deps.rateLimiter.hit('invite_organization', invite.organization, context.tx.trx)
      // If others have flooded this mailbox with invitations, the invitation is still created without email: its link can be
      // copied.
      if (await withinLimit(deps.rateLimiter.hit('invite_mail', invite.user, context.tx.trx)))
        await sendLink(deps, invite, context)
      else await renewLink(context.tx, invite.name, context.session.user)
    },

    actions: {
      async resend(invite, _args, context) {
        assertTokenMayInvite(context.session, invite.organization_role)
        await assertNotJoined(context.tx, invite)
        await deps.rateLimiter.hit('invite_organization', invite.organization, context.tx.trx)
        if (!(await withinLimit(deps.rateLimiter.hit('invite_mail', invite.user, context.tx.trx))))
          throw new AppError('rate_limited', msg`${invite.user} was invited many times recently.`, {
            retryAfterSeconds: 3600,
            retryable: true,
            nextAction: isOpen(invite)
              ? msg`The last link still works. Try again in an hour, or copy the link.`
              : msg`Try again in an hour, or copy a new link.`,
          })
        await sendLink(deps, invite, context)
        return { expires: (await context.tx.get(MemberInviteDoctype, invite.name))?.expires ?? null }
      },

      async copy_link(invite, _args, { session, tx }) {
        await assertNotJoined(tx, invite)
        const token = await renewLink(tx, invite.name, session.user)
        return { link: linkOf(deps, token) }
      },

      async confirm(invite, _args, { tx }) {
        assertWaits(deps, invite)
        const { name: invitation, organization } = invite
        const key = await deps.confirmInvited(tx, invite.user, { invitation, organization })
        await addInvitedMember(tx, invite, invite.user)
        return { link: key === null ? null : `${deps.config.url}/web/reset-password?key=${key}` }
      },

      async revoke(doc, _args, { tx }) {
        await tx.delete(MemberInviteDoctype, doc.name)
        return null
      },
    },
  })
}

/** Throws unless the invited person has signed up and no email can verify them. */
function assertWaits({ config }: OrganizationsDeps, invite: MemberInvite): void {
  const invalid = (message: LocalizedMessage, nextAction: LocalizedMessage) =>
    new AppError('invalid', message, { field: 'signed_up', excType: 'ValidationError', nextAction })
  if (config.smtpUrl)
    throw invalid(msg`${invite.user} confirms by email.`, msg`Send the invitation again if the email was lost.`)
  if (!isOpen(invite)) throw closedInvitationError(invite)
  if (invite.signed_up === null)
    throw invalid(msg`${invite.user} has not signed up yet.`, msg`Send them the link of the invitation.`)
}

/** API tokens may only invite people as plain members. */
function assertTokenMayInvite({ kind }: Session, role: unknown): void {
  if (kind !== 'token' || role === tokenInviteRole) return
  throw new AppError('forbidden', msg`API tokens invite people as ${labelMessage(tokenInviteRole)} only.`, {
    field: 'organization_role',
    excType: 'PermissionError',
  })
}

const linkOf = (deps: OrganizationsDeps, token: string) => `${deps.config.url}/web/invitation?token=${token}`

async function sendLink(deps: OrganizationsDeps, invite: MemberInvite, { session, tx }: HookContext): Promise<void> {
  const token = await renewLink(tx, invite.name, session.user)
  const organization = await tx.get(OrganizationDoctype, invite.organization)
  const inviter = await tx.get(UserDoctype, session.user)
  await deps.mailer.send(
    tx.trx,
    inviteMail(deps.config, {
      to: invite.user,
      organization: organization?.title ?? invite.organization,
      inviter: inviter?.full_name ?? session.user,
      role: invite.organization_role as OrganizationRole,
      link: linkOf(deps, token),
    }),
  )
  if (!deps.config.smtpUrl) return
  await tx.update(
    MemberInviteDoctype,
    invite.name,
    { sent: formatTimestamp(Date.now()) },
    { hooks: false, activity: false },
  )
}

function isMember(tx: Tx, organization: string, user: string): Promise<OrganizationMember | null> {
  return tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['user', '=', user],
  ])
}

/** Rejects addresses that need no invitation. An expired invitation for the same address is replaced. */
async function assertNotMember(tx: Tx, organization: string, email: string, inviter: string): Promise<void> {
  const invalidUser = (message: LocalizedMessage, nextAction: LocalizedMessage) =>
    new AppError('invalid', message, { field: 'user', excType: 'ValidationError', nextAction })
  if (email === inviter) throw invalidUser(msg`This is your own address.`, msg`You are in this organization already.`)
  if (await isMember(tx, organization, email))
    throw invalidUser(msg`${email} is a member already.`, msg`Change the role in the list of members.`)
  const earlier = await tx.list(MemberInviteDoctype, [
    ['organization', '=', organization],
    ['user', '=', email],
  ])
  if (earlier.some((invite) => isOpen(invite)))
    throw invalidUser(msg`${email} is invited already.`, msg`Copy the link of that invitation, or revoke it first.`)
  for (const invite of earlier) await tx.delete(MemberInviteDoctype, invite.name, { activity: false })
}

/** Rejects a new link for somebody who has already joined. */
async function assertNotJoined(tx: Tx, invite: MemberInvite): Promise<void> {
  if (invite.status !== 'verified' && !(await isMember(tx, invite.organization, invite.user))) return
  throw new AppError('invalid', msg`${invite.user} has joined already.`, {
    field: 'status',
    excType: 'ValidationError',
  })
}
