import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { holdsForNew, present, standingTowards, writableValues } from '../permissions/access.ts'
import { grantFor, organizationOf, accessContextIn } from '../permissions/gate.ts'
import { checkLinks } from '../permissions/links.ts'
import { actor, lockRights } from './locks.ts'
import { personalValues, withPersonal, writePersonal } from './personal.ts'
import { creationRefused, notPermitted, refuseGuest } from '../permissions/access-errors.ts'
import type { OpenTransaction } from './transaction.ts'
import type { Session } from '#server/contracts/session.ts'
import type { TypeByName } from '../type-by-name.ts'

/**
 * Makes a document for a caller in a running transaction: the role's right first, so that who has none learns nothing
 * of what a document needs; then fields, the rule of rows and links; then its insertion. Returns what the caller may see.
 */
export async function createIn(
  tx: OpenTransaction,
  type: Doctype,
  values: Record<string, unknown>,
  typeByName: TypeByName,
): Promise<AnyDoc> {
  const { session, trx } = tx
  refuseGuest(session, type, 'create')
  const tenant = tenantField(type)
  const organization = tenant ? organizationWanted(type, values[tenant], session) : session.organization
  await lockRights(trx, organization, new Map([actor(session)]))
  const accessContext = await accessContextIn(trx, session, organization)
  const grant = grantFor(accessContext, type, 'create')
  if (grant === false) throw creationRefused(type, accessContext)
  const wanted = writableValues(type, accessContext, values, null)
  if (tenant) wanted[tenant] = organization
  const context = { accessContext, typeByName }
  if (!(await holdsForNew(trx, grant, type, { ...wanted }, context))) throw creationRefused(type, accessContext)
  // Where he creates, not where he looks: links are read in the organization of the new document.
  const there = { ...session, organization: organization ?? session.organization }
  await checkLinks(trx, there, type, tenant ? organization : null, wanted, typeByName)
  const stored = await tx.insert(type.name, wanted)
  // A new organization is shown as to somebody who works in it.
  const inside = { ...there, organization: organizationOf(type, stored, there) }
  const now = await standingTowards(trx, inside, type, stored)
  await writePersonal(trx, session, type, stored.name, personalValues(type, values))
  const shown = await withPersonal(trx, session, type, present(stored, now ?? accessContext, type))
  return stored.job === undefined ? shown : Object.assign(shown, { job: shown.job ?? stored.job })
}

/** The organization a client wants to create in; the chosen one when he names none. */
function organizationWanted(type: Doctype, value: unknown, session: Session): string {
  const wanted = value === undefined || value === null || value === '' ? session.organization : value
  if (typeof wanted !== 'string') throw notPermitted(type, 'create')
  return wanted
}
