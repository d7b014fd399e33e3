import { inviteResult, type InviteResult } from '#shared/responses/invitations.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { organizationRoles, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { MemberInviteDoctype, type InvitationDetails, type MemberInvite } from '#shared/doctypes/member-invite.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { data, json, select } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { timestamp, nothing, person } from '#shared/schema.ts'
import { toDescriptor, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { OrganizationsDeps } from './deps.ts'
import { invitationOf, isOpen, addInvitedMember, openInvitation } from './invitations.ts'

/** Maximum number of addresses per call. */
const maxConcurrent = 50

const account = (name: string) => `easydash.api.account.${name}`
const token = data({ reqd: true, length: 200 })

const invitationSchema = z.object({
  organization: z.string(),
  organization_title: z.string(),
  invited_by: person,
  user: person,
  organization_role: z.enum(organizationRoles),
  status: z.enum(['pending', 'verified', 'expired']),
  expires: z.nullable(timestamp),
})

/** Methods for invitations. */
export function invitationMethods(deps: Pick<OrganizationsDeps, 'config'>): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.organization.invite_members',
      access: 'member',
      tokens: 'members:write',
      verbs: ['POST'],
      description:
        'Invites up to 50 addresses with one role. Each address has a result of its own: the invitation or why not.',
      params: {
        users: json<string[] | string>({ reqd: true }),
        organization_role: select(organizationRoles, { default: 'Organization User' }),
        organization: data({ length: 64 }),
      },
      returns: z.array(inviteResult),
      run: (params, context) => inviteMany(params, context, Boolean(deps.config.smtpUrl)),
    }),
    defineMethod({
      name: account('check_invitation'),
      access: 'guest',
      verbs: ['GET', 'POST'],
      description:
        'What the link of an invitation is about: organization, inviter, role, address, and whether it works.',
      params: { token },
      returns: invitationSchema,
      run: (params, context) => check(params.token, context),
    }),
    defineMethod({
      name: account('accept_invitation'),
      access: 'verified',
      verbs: ['POST'],
      description:
        'Joins the organization of a link. Only the verified account of the invited address can; having the link verifies nothing.',
      params: { token },
      returns: z.object({ organization: z.string() }),
      run: (params, context) => accept(params.token, context),
    }),
    defineMethod({
      name: account('decline_invitation'),
      access: 'verified',
      verbs: ['POST'],
      description: 'Declines an invitation. Only the verified account of the invited address can do so.',
      params: { token },
      returns: nothing,
      run: (params, context) => decline(params.token, context),
    }),
  ]
}

/** Every address is permission checked and inserted on its own; if the first is forbidden, all are. */
async function inviteMany(
  params: Record<string, unknown>,
  context: MethodContext,
  mailServer: boolean,
): Promise<InviteResult[]> {
  const users = addressesOf(params.users)
  const organization = params.organization ?? context.session.organization
  const organization_role = params.organization_role ?? 'Organization User'
  const results: InviteResult[] = []
  for (const user of users) {
    const failed = (message: LocalizedMessage): InviteResult => {
      return { user, status: 'failed', name: null, message: message.text, message_i18n: toDescriptor(message) }
    }
    const email = user.trim().toLowerCase()
    if (results.some((result) => result.user.trim().toLowerCase() === email)) {
      results.push(failed(msg`This address is in the list twice.`))
      continue
    }
    try {
      const { documents, session } = context
      const { name, sent } = await documents.insert(session, 'Member Invite', {
        organization,
        organization_role,
        user: email,
      })
      results.push({ user, status: 'pending', name, message: null, mail_server: mailServer, mailed: sent !== null })
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'not_found') throw error
      results.push(failed(error.nextAction ? msg`${error.localized} ${error.nextAction}` : error.localized))
    }
  }
  return results
}

/** Accepts a list of strings, or one string with addresses separated by commas, semicolons, spaces or line breaks. */
function addressesOf(value: unknown): string[] {
  const list = typeof value === 'string' ? value.split(/[\s,;]+/).filter(Boolean) : value
  const wrong = (message: LocalizedMessage) =>
    new AppError('invalid', message, { field: 'users', excType: 'FrappeTypeError' })
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string'))
    throw wrong(msg`users must be a list of email addresses.`)
  if (list.length === 0) throw wrong(msg`Enter at least one email address.`)
  if (list.length > maxConcurrent) throw wrong(msg`Invite at most ${maxConcurrent} people at once.`)
  return list
}

function check(text: string, { documents, session }: MethodContext): Promise<InvitationDetails> {
  return documents.transaction(session, async (tx) => {
    const { invite, organization } = await invitationOf(tx, text)
    const inviter = invite.invited_by === null ? null : await tx.get(UserDoctype, invite.invited_by)
    return {
      organization: organization.name,
      organization_title: organization.title,
      invited_by: inviter?.full_name ?? organization.title,
      user: invite.user,
      organization_role: invite.organization_role as OrganizationRole,
      status: statusOf(invite),
      expires: invite.expires,
    }
  })
}

function statusOf(invite: MemberInvite): InvitationDetails['status'] {
  if (invite.status === 'verified') return 'verified'
  return isOpen(invite) ? 'pending' : 'expired'
}

/** Throws unless the caller is the invited user. */
function assertInvited(invite: MemberInvite, user: string): void {
  if (invite.user === user) return
  throw new AppError('forbidden', msg`This invitation is for ${invite.user}; you are logged in as ${user}.`, {
    excType: 'PermissionError',
    nextAction: msg`Log out, then log in with that address.`,
  })
}

async function accept(text: string, { documents, session }: MethodContext): Promise<{ organization: string }> {
  // Users cannot give themselves a role; the invitation does, so this runs as a system session for the user.
  return documents.transaction({ ...session, kind: 'system' }, async (tx) => {
    const { invite, organization } = await openInvitation(tx, text)
    assertInvited(invite, session.user)
    await addInvitedMember(tx, invite, session.user)
    return { organization: organization.name }
  })
}

async function decline(text: string, { documents, session }: MethodContext): Promise<null> {
  return documents.transaction(session, async (tx) => {
    const { invite } = await openInvitation(tx, text)
    assertInvited(invite, session.user)
    await tx.update(
      MemberInviteDoctype,
      invite.name,
      { status: 'expired', declined: formatTimestamp(Date.now()) },
      { hooks: false, activity: false },
    )
    await tx.activity({
      action: 'Member Invite.decline',
      organization: invite.organization,
      reference_doctype: 'Member Invite',
      reference_name: invite.name,
      reference_title: invite.user,
    })
    return null
  })
}
