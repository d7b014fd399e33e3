import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Doctype } from '#shared/doctype.ts'
import { ApiTokenDoctype } from '#shared/doctypes/api-token.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import type { Field } from '#shared/fields.ts'
import { accountActivity } from './account-activity.ts'
import { forgetKnownDevices } from './sign-in/known-devices.ts'
import type { AccountServices } from './account-services.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'

/** Default names for an account whose owner has not entered any. */
export function namesFrom(email: string): { first_name: string; last_name: null } {
  const [first = email] = email.split('@')
  return { first_name: first.slice(0, 60), last_name: null }
}

/**
 * Removes everything that was set in an account before its address was verified, because anybody could have set it: profile
 * fields, documents that belong to the user (User Meta, SSH keys), personal files, API tokens, the second factor, and known
 * locations and devices. There are no organizations or memberships to remove: unverified users cannot create or join one. The
 * caller handles the password and sessions.
 */
export async function forgetSettings(
  services: Pick<AccountServices, 'secondFactors'>,
  tx: Tx,
  user: string,
): Promise<void> {
  const own = blank(
    UserDoctype,
    (field) => field.write_roles?.includes('Self') === true && field.set_only_once !== true,
  )
  await tx.update(UserDoctype, user, { ...own, org_sku: null, ...namesFrom(user) }, { activity: false })
  await forgetDocuments(tx, user)
  for (const { name } of await tx.list(ApiTokenDoctype, [['user', '=', user]])) await tx.delete(ApiTokenDoctype, name)
  const files = [
    ...(await tx.list(FileDoctype, [
      ['attached_to_doctype', '=', 'User'],
      ['attached_to_name', '=', user],
    ])),
    ...(await tx.list(FileDoctype, [['owner', '=', user]])),
  ]
  for (const name of new Set(files.map((file) => file.name))) await tx.delete(FileDoctype, name)
  await services.secondFactors.disable(tx.trx, user)
  await sql`delete from easydash_known_place where "user" = ${user}`.execute(tx.trx)
  await forgetKnownDevices(tx.trx, user)
  await tx.activity(accountActivity('account.forget_settings', user))
}

/**
 * Removes documents of the doctypes that belong to one user by their description. Documents named after the user (User Meta)
 * must exist for every account, so their fields are reset instead.
 */
async function forgetDocuments(tx: Tx, user: string): Promise<void> {
  for (const type of doctypes) {
    if (type.name === UserDoctype.name || type.tenant.kind !== 'user') continue
    for (const { name } of await tx.list(type.name, [[type.tenant.field, '=', user]])) {
      if (type.naming === 'random') await tx.delete(type.name, name)
      else await tx.update(type.name, name, blank(type, isResettable), { activity: false })
    }
  }
}

const isResettable = (field: Field) => field.fieldtype !== 'Table' && field.set_only_once !== true

/** Default values of the selected fields. */
function blank(type: Doctype, isCleared: (field: Field) => boolean): Record<string, unknown> {
  const fields = Object.entries(type.fields).filter(([, field]) => isCleared(field))
  return Object.fromEntries(
    fields.map(([name, field]) => [name, field.default ?? (field.fieldtype === 'Check' ? 0 : null)]),
  )
}
