import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationMemberDoctype, type OrganizationMember } from '#shared/doctypes/organization-member.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'

/** Makes an organization the user's current one. */
export async function chooseOrganization(tx: Tx, user: string, organization: string | null): Promise<void> {
  const row = await tx.get(UserMetaDoctype, user)
  if (row) await tx.update(UserMetaDoctype, user, { current_organization: organization }, { activity: false })
  else await tx.insert(UserMetaDoctype, { user, current_organization: organization }, { owner: user, activity: false })
}

/** Switches a user whose current organization is this one to another of theirs, or to none. */
export async function leaveOrganization(tx: Tx, user: string, organization: string): Promise<void> {
  const meta = await tx.get(UserMetaDoctype, user)
  if (meta?.['current_organization'] !== organization) return
  const rows = await tx.list(OrganizationMemberDoctype, [['user', '=', user]])
  await chooseOrganization(tx, user, rows.find((row) => row.parent !== organization)?.parent ?? null)
}

/** A user's member row in an organization. */
export function memberRow(tx: Tx, organization: string, user: string): Promise<OrganizationMember | null> {
  return tx.find(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['user', '=', user],
  ])
}

/** Removes a user from an organization at their own request. Throws `forbidden` for the owner and `not_found` for others. */
export async function endMembership(tx: Tx, organization: string, user: string): Promise<void> {
  const own = await memberRow(tx, organization, user)
  if (!own) throw new AppError('not_found', msg`Organization ${organization.slice(0, 64)} not found`)
  // Leaving is the entry of the activity.
  await tx.delete(OrganizationMemberDoctype, own.name, { activity: false })
}
