import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
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
