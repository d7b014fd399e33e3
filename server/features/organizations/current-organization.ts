import type { Tx } from '#server/contracts/transaction.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import type { OrganizationMember } from '#shared/doctypes/organization-member.ts'

/** Makes an organization the one a user works in. */
export async function chooseOrganization(tx: Tx, user: string, organization: string | null): Promise<void> {
  const row = await tx.get('User Meta', user)
  if (row) await tx.update('User Meta', user, { current_organization: organization }, { activity: false })
  else await tx.insert('User Meta', { user, current_organization: organization }, { owner: user, activity: false })
}

/** Lets a user who worked in the organization work in the next one, or in none. */
export async function leave(tx: Tx, user: string, organization: string): Promise<void> {
  const meta = await tx.get<AnyDoc>('User Meta', user)
  if (meta?.['current_organization'] !== organization) return
  const rows = await tx.list<OrganizationMember>('Organization Member', [['user', '=', user]])
  await chooseOrganization(tx, user, rows.find((row) => row.parent !== organization)?.parent ?? null)
}
