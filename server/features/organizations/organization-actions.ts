import { listAllRows, listScope } from '#server/documents/documents.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { controller, type Controller, type HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { findUndelivered } from '#server/platform/mail/mail-outbox.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'
import type { ListedInvitation } from '#shared/responses/invitations.ts'
import { MemberInviteDoctype } from '#shared/doctypes/member-invite.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { UserDoctype, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { OrganizationsDeps } from './deps.ts'
import { endMembership, memberRow } from './current-organization.ts'
import { ownerChangedMail } from './invite-mail.ts'
import { listMembers } from './list-members.ts'
import { deleteOrganization } from './organization-deletion.ts'

/** Prefix that identifies a leaked token. */
const tokenPrefix = 'edo_'

const inviteFields = [
  'name',
  'organization',
  'user',
  'organization_role',
  'status',
  'invited_by',
  'creation',
  'link_created',
  'sent',
  'expires',
  'signed_up',
  'joined',
  'declined',
] as const

/** Whose a server is: one of the admins, who are told of what it needs. */
export const serverActions: Controller = controller(ServerDoctype, {
  actions: {
    candidates_for_change_owner: (doc, _args, { tx }) => candidates(tx, doc.organization, doc._owner),

    async change_owner(doc, args, { tx }) {
      const newOwner = args.new_owner.trim().toLowerCase()
      const invalid = (message: LocalizedMessage) =>
        new AppError('invalid', message, { field: 'new_owner', excType: 'ValidationError' })
      if (newOwner === doc._owner) throw invalid(msg`${newOwner} is the owner of this server already.`)
      const possible = await candidates(tx, doc.organization, doc._owner)
      if (!possible.some(({ user }) => user === newOwner))
        throw invalid(msg`Only an admin of this organization can own the server.`)
      await tx.update(ServerDoctype, doc.name, { _owner: newOwner })
      return { owner: newOwner }
    },
  },
})

/** Actions of an organization. The store checks permissions, the fresh password and arguments first. */
export function organizationActions(deps: OrganizationsDeps): Controller {
  return controller(OrganizationDoctype, {
    actions: {
      list_invitations: (doc, _args, context) => listInvitations(doc.name, context),
      list_members: (doc, _args, context) => listMembers(deps, doc.name, context),
      candidates_for_change_owner: (doc, _args, { tx }) => candidates(tx, doc.name, doc._owner),
      transfer_ownership: (doc, args, context) => transfer(deps, doc, args.new_owner, context),

      async leave(doc, _args, { session, tx }) {
        await endMembership(tx, doc.name, session.user)
        return null
      },

      async delete_organization(doc, _args, { tx }) {
        await deleteOrganization(tx, doc)
        return null
      },

      async set_modules(doc, args, { tx }) {
        const wanted = Object.entries({ module_ee: args.ee, module_wpc: args.wpc })
        const values = Object.fromEntries(wanted.filter(([, value]) => value !== null))
        const { module_ee, module_wpc } = await tx.update(OrganizationDoctype, doc.name, values)
        return { ee: module_ee === 1, wpc: module_wpc === 1 }
      },

      async require_two_factor(doc, args, { session, tx }) {
        if (args.required === 1) await assertSecondFactor(deps, tx, session.user)
        await tx.update(OrganizationDoctype, doc.name, { require_two_factor: args.required === 1 ? 1 : 0 })
        return null
      },

      async make_server_access_token(doc, _args, { tx }) {
        const token = `${tokenPrefix}${newToken()}`
        const made = formatTimestamp(Date.now())
        await tx.update(
          OrganizationDoctype,
          doc.name,
          { access_token_sha256_hash: hashToken(token), server_access_token_made: made },
          { activity: false },
        )
        return { server_access_token: token, server_access_token_made: made }
      },

      async revoke_server_access_token(doc, _args, { tx }) {
        await tx.update(
          OrganizationDoctype,
          doc.name,
          { access_token_sha256_hash: null, server_access_token_made: null },
          { activity: false },
        )
        return null
      },
    },
  })
}

/** Whoever requires two-factor authentication of others must not lock themselves out. */
async function assertSecondFactor(deps: OrganizationsDeps, tx: Tx, user: string): Promise<void> {
  const [own] = await deps.signInStatuses(tx.trx, [user])
  if (own?.secondFactor === true) return
  throw new AppError('invalid', msg`Your own account has no two-factor authentication.`, {
    field: 'required',
    excType: 'ValidationError',
    nextAction: msg`Set it up in your account’s settings first.`,
  })
}

/** Uses the normal list permissions, for the requested organization. */
async function listInvitations(organization: string, { session, tx }: HookContext): Promise<ListedInvitation[]> {
  const typeByName = typesByName(doctypes)
  const scope = await listScope(tx.trx, { ...session, organization }, MemberInviteDoctype, typeByName)
  const now = formatTimestamp(Date.now())
  const rows = await listAllRows(
    tx.trx,
    { fields: inviteFields, filters: [['organization', '=', organization]] },
    scope,
  )
  const sent = rows.flatMap((row) => (row.sent === null ? [] : [{ to: row.user, at: row.sent }]))
  const undelivered = await findUndelivered(tx.trx, 'invitation', sent)
  // Newest first. GET must not write, so expired invitations are only reported as expired.
  return rows.toReversed().map((row) => {
    const hasEnded = row.status === 'pending' && row.expires !== null && row.expires <= now
    return {
      ...row,
      status: hasEnded ? 'expired' : (row.status ?? 'pending'),
      undelivered: row.sent !== null && undelivered.has(row.user),
    }
  })
}

/** Possible new owners: active, verified admins of the organization. */
async function candidates(
  tx: Tx,
  organization: string,
  owner: string | null,
): Promise<{ user: string; full_name: string | null }[]> {
  const members = await tx.list(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['organization_role', '=', 'Organization Admin'],
    ...(owner === null ? [] : [['user', '!=', owner] as const]),
  ])
  const found = []
  for (const { user } of members) {
    const account = await tx.get(UserDoctype, user)
    if (account && canOwn(account)) found.push({ user, full_name: account.full_name })
  }
  return found
}

const canOwn = (user: User) => user.enabled === 1 && user.email_verified === 1

/**
 * The organization's row is locked: of two concurrent transfers, the second fails because its caller is no longer the owner.
 */
async function transfer(
  deps: OrganizationsDeps,
  doc: Organization,
  wanted: string,
  { session, tx }: HookContext,
): Promise<{ owner: string }> {
  const newOwner = wanted.trim().toLowerCase()
  const invalidOwner = (message: LocalizedMessage) =>
    new AppError('invalid', message, { field: 'new_owner', excType: 'ValidationError' })
  if (newOwner === doc._owner) throw invalidOwner(msg`This is the owner already.`)
  const member = await memberRow(tx, doc.name, newOwner)
  const account = member ? await tx.get(UserDoctype, newOwner) : null
  if (!member || !account || !canOwn(account))
    throw invalidOwner(msg`Only a member of this organization can become its owner.`)
  if (member.organization_role !== 'Organization Admin') throw invalidOwner(msg`Only an admin can become the owner.`)
  const from = doc._owner ?? ''
  // The recovery key of the backups is the earlier owner's: the new one is asked to download it.
  const changed = { _owner: newOwner, new_owner: null, recovery_key_downloaded: null }
  await tx.update(OrganizationDoctype, doc.name, changed, { activity: false })
  await tx.activity({
    action: 'Organization.transfer_ownership',
    organization: doc.name,
    reference_doctype: 'Organization',
    reference_name: doc.name,
    reference_title: doc.title,
    before: { owner: from },
    after: { owner: newOwner },
  })
  const details = { organization: doc.title, from: session.fullName, by: account.full_name ?? newOwner }
  for (const to of [from, newOwner])
    await deps.mailer.send(tx.trx, ownerChangedMail(deps.config, { ...details, to, isNewOwner: to === newOwner }))
  return { owner: newOwner }
}
