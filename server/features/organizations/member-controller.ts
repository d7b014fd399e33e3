import { controller, type HookContext } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { DocShareDoctype } from '#shared/doctypes/doc-share.ts'
import {
  OrganizationMemberDoctype,
  organizationRoles,
  type OrganizationMember,
} from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { leaveOrganization } from './current-organization.ts'
import { withdrawInvitationsBy } from './invitations.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

/** Behavior of member rows: the owner stays, and nobody can change their own role or grant a higher one. */
export const memberController = controller(OrganizationMemberDoctype, {
  async before_insert(doc, { session, tx }) {
    const organization = await tx.get(OrganizationDoctype, doc.parent)
    // The owner's row is not a grant: it is created with the organization, and recreated if it is missing.
    if (organization?._owner === doc.user) doc.organization_role = 'Organization Admin'
    else await assertNotAboveOwnRole(doc, { session, tx })
  },

  async after_insert(doc, { tx }) {
    notifyColleagues(tx, doc, 'insert')
  },

  async validate(doc, before, context) {
    if (!before || doc.organization_role === before.organization_role) return
    const organization = await context.tx.get(OrganizationDoctype, doc.parent)
    if (organization?._owner === doc.user && doc.organization_role !== 'Organization Admin') {
      throw roleDenied(msg`The owner keeps the role Admin. Transfer the ownership first.`)
    }
    if (doc.user === context.session.user && context.session.kind !== 'system')
      throw roleDenied(msg`You cannot change your own role.`)
    if (context.session.kind === 'token' && rank(doc.organization_role) < rank(before.organization_role))
      throw roleDenied(msg`API tokens can’t grant a higher role.`)
    await assertNotAboveOwnRole(doc, context)
    await assertNotAboveOwnRole(before, context)
  },

  async before_delete(doc, { tx }) {
    const organization = await tx.get(OrganizationDoctype, doc.parent)
    if (organization?._owner === doc.user)
      throw roleDenied(msg`The owner cannot be removed. Transfer the ownership first.`)
  },

  async on_update(doc, before, { tx }) {
    if (rank(doc.organization_role) <= rank(before.organization_role)) return
    await withdrawInvitationsBy(tx, doc.user, doc.parent, (role) => mayInvite(doc, role))
  },

  async after_delete(doc, { tx }) {
    const [user, organization] = [doc.user, doc.parent]
    notifyColleagues(tx, doc, 'delete')
    await leaveOrganization(tx, user, organization)
    await withdrawInvitationsBy(tx, user, organization, () => false)
    const shares = await tx.list(DocShareDoctype, [
      ['organization', '=', organization],
      ['user', '=', user],
    ])
    for (const share of shares) await tx.delete(DocShareDoctype, share.name, { activity: false })
  },
})

/** Announces the account to the list of colleagues or removes it, also for members who cannot read other member rows. */
function notifyColleagues(tx: Tx, { user, parent, modified }: OrganizationMember, kind: 'insert' | 'delete'): void {
  tx.emitEvents(UserDoctype, [{ name: user, organization: parent, modified }], kind)
}

/** Admins may invite with any role, managers plain members, and members nobody. */
function mayInvite(member: OrganizationMember, role: string): boolean {
  const own = member.organization_role
  return own === 'Organization Admin' || (own === 'Organization Manager' && role === 'Organization User')
}

function roleDenied(message: LocalizedMessage): AppError {
  return new AppError('forbidden', message, { field: 'organization_role', excType: 'PermissionError' })
}

/** Roles are ordered highest first: a lower index is a higher role. */
const rank = (role: unknown) => organizationRoles.findIndex((known) => known === role)

async function assertNotAboveOwnRole(
  doc: OrganizationMember,
  { session, tx }: { session: HookContext['session']; tx: Tx },
): Promise<void> {
  if (session.kind === 'system' || session.platformAdmin) return
  // Unknown roles are rejected by field validation.
  if (rank(doc.organization_role) < 0) return
  const own = await tx.find(OrganizationMemberDoctype, [
    ['parent', '=', doc.parent],
    ['user', '=', session.user],
  ])
  if (!own || rank(doc.organization_role) < rank(own.organization_role))
    throw roleDenied(msg`You cannot give or take a role above your own.`)
}
