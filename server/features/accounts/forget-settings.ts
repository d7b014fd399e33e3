import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Doctype } from '#shared/doctype.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import type { Field } from '#shared/fields.ts'
import { forgetRequesters } from './sign-in/known-devices.ts'
import type { AccountServices } from './account-services.ts'
import { FileDoctype } from '#shared/doctypes/file.ts'

/** Default names for an account whose owner has not entered any. */
export function namesFrom(email: string): { first_name: string; last_name: null } {
  const [first = email] = email.split('@')
  return { first_name: first.slice(0, 60), last_name: null }
}

/**
 * Removes everything that was set in an account before its address was verified, because anybody could have set it: profile
 * fields, the User Meta row with its SSH keys, personal files, API tokens, the second factor, and known locations and
 * devices. There are no organizations or memberships to remove: unverified users cannot create or join one. The caller
 * handles the password and sessions.
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
  const settings = blank(UserMetaDoctype, (field) => field.fieldtype !== 'Table' && field.set_only_once !== true)
  await tx.update(UserMetaDoctype, user, settings, { activity: false })
  for (const [doctype, field] of [
    ['SSH Key', 'parent'],
    ['API Token', 'user'],
  ] as const)
    for (const { name } of await tx.list(doctype, [[field, '=', user]])) await tx.delete(doctype, name)
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
  await forgetRequesters(tx.trx, user)
  await tx.activity({
    action: 'account.forget_settings',
    actor: user,
    reference_doctype: 'User',
    reference_name: user,
    reference_title: user,
  })
}

/** Default values of the selected fields. */
function blank(type: Doctype, takes: (field: Field) => boolean): Record<string, unknown> {
  const fields = Object.entries(type.fields).filter(([, field]) => takes(field))
  return Object.fromEntries(
    fields.map(([name, field]) => [name, field.default ?? (field.fieldtype === 'Check' ? 0 : null)]),
  )
}
