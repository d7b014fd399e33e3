import { sql } from 'kysely'
import { accountActivity } from './account-activity.ts'
import { renameUserInTombstones, lockRights, tableRef } from '#server/documents/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Doctype } from '#shared/doctype.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { doctypes } from '#shared/doctypes/registry.ts'

/**
 * Renames a document named after the user, and its child rows: otherwise they would go to the next owner of the old address.
 */
async function renameRows(tx: Tx, type: Doctype, from: string, to: string): Promise<void> {
  await sql`update ${tableRef(type.name)} set name = ${to} where name = ${from}`.execute(tx.trx)
  for (const { fieldtype, options } of Object.values(type.fields)) {
    if (fieldtype !== 'Table') continue
    await sql`update ${tableRef(String(options))} set parent = ${to}
      where parent = ${from} and parenttype = ${type.name}`.execute(tx.trx)
  }
}

/**
 * Changes the address of an account: its name, every link to it and every owner, in the transaction. The activity log keeps
 * the old text. The new name must be free. Uses SQL, because the store never changes names, owners and links of many doctypes
 * at once, and a new address is not an edit of the documents that mention it.
 */
export async function renameUser(tx: Tx, from: string, to: string): Promise<void> {
  const members = await tx.list(OrganizationMemberDoctype, [['user', '=', from]], {
    order_by: 'parent',
  })
  for (const { parent } of members) await lockRights(tx.trx, parent, new Map([[from, 'change']]))
  for (const type of doctypes) {
    if (type.append_only) continue
    const links = Object.entries(type.fields).filter(
      ([, field]) => field.fieldtype === 'Link' && field.options === 'User',
    )
    for (const column of ['owner', 'modified_by', ...links.map(([name]) => name)]) {
      await sql`update ${tableRef(type.name)} set ${sql.id(column)} = ${to} where ${sql.id(column)} = ${from}`.execute(
        tx.trx,
      )
    }
    // Documents named after the user, e.g. User Meta.
    const namedAfter = type.naming === 'random' ? null : links.find(([name]) => type.naming === `field:${name}`)
    if (namedAfter) await renameRows(tx, type, from, to)
  }
  await sql`update ${tableRef('File')} set attached_to_name = ${to}
    where attached_to_doctype = 'User' and attached_to_name = ${from}`.execute(tx.trx)
  await renameUserInTombstones(tx.trx, from, to)
  await sql`update ${tableRef('User')} set name = ${to}, email = ${to} where name = ${from}`.execute(tx.trx)
  for (const table of [
    'easydash_session',
    'easydash_credential',
    'easydash_token',
    'easydash_known_place',
    'easydash_known_device',
    'easydash_personal',
    'easydash_provider_link',
  ]) {
    await sql`update ${sql.id(table)} set "user" = ${to} where "user" = ${from}`.execute(tx.trx)
  }
  await tx.activity(accountActivity('account.change_email', to, { before: { email: from }, after: { email: to } }))
}
