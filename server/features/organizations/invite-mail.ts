import type { Mail } from '#server/platform/mail/mail.ts'
import { renderMail, type MailSender } from '#server/platform/mail/render-mail.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { inviteDays } from '#shared/doctypes/member-invite.ts'
import { roleLabels } from '#shared/rules/role-labels.ts'

/**
 * A user-chosen name, made safe for our emails: nothing in it can be clicked as a link, so that nobody can use our emails to
 * send links to strangers.
 */
export function neutralizeLinks(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/(?<![a-z0-9+.-])[a-z0-9+.-]+:\/{2,}/gi, '')
    .replaceAll(/([\p{L}\p{N}])([.@])(?=[\p{L}\p{N}])/gu, '$1$2\u200B')
    .trim()
}

/** Email with the invitation link. The same for addresses with and without an account. */
export function inviteMail(
  sender: MailSender,
  invite: { to: string; organization: string; inviter: string; role: OrganizationRole; link: string },
): Mail {
  const organization = neutralizeLinks(invite.organization)
  return renderMail(sender, {
    to: invite.to,
    kind: 'invitation',
    subject: `Invitation to ${organization} on ${sender.productName}`,
    before: [
      `${neutralizeLinks(invite.inviter)} invited you to ${organization} on ${sender.productName}, as ${roleLabels[invite.role]}.`,
    ],
    button: { label: 'Open invitation', url: invite.link },
    after: [
      `The link works for ${inviteDays} days and only for the account of ${invite.to}.`,
      'If you do not know who this is, ignore this email: nothing happens without your consent.',
    ],
  })
}

/** Sent to both owners after an ownership transfer, so that it cannot go unnoticed. */
export function ownerChangedMail(
  sender: MailSender,
  change: { to: string; organization: string; from: string; by: string; isNewOwner: boolean },
): Mail {
  const organization = neutralizeLinks(change.organization)
  return renderMail(sender, {
    to: change.to,
    kind: 'owner_changed',
    subject: `${organization} has a new owner`,
    before: [
      change.isNewOwner
        ? `${neutralizeLinks(change.from)} transferred the organization "${organization}" on ${sender.productName} to you.`
        : `You transferred the organization "${organization}" on ${sender.productName} to ${neutralizeLinks(change.by)}. You stay an admin.`,
    ],
    button: { label: 'Open the dashboard', url: `${sender.url}/web` },
    after: ['If this is not right, contact the other person or the operator of this installation.'],
  })
}
