import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { holdsForNew, present, standingTowards, writableValues } from '../permissions/access.ts'
import { grantFor, organizationOf, accessContextIn } from '../permissions/gate.ts'
import { checkLinks } from '../permissions/links.ts'
import { actor, lockRights } from './locks.ts'
import { personalValues, withPersonal, writePersonal } from './personal.ts'
import { creationRefused, notPermitted, refuseGuest } from '../permissions/access-errors.ts'
import type { OpenTransaction } from './transaction-context.ts'
import type { Session } from '#server/contracts/session.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/**
 * Creates a document for a caller in a running transaction. Checks the role first, so that callers without permission don't
 * learn which fields are required; then fields, row rule and links; then inserts. Returns what the caller can see.
 */
export async function createIn(
  tx: OpenTransaction,
  type: Doctype,
  values: Record<string, unknown>,
  typeByName: TypeByName,
): Promise<AnyDoc> {
  const { session, connection: trx } = tx
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
  // Links are resolved in the organization of the new document, not in the caller's selected one.
  const there = { ...session, organization: organization ?? session.organization }
  await checkLinks(trx, there, type, tenant ? organization : null, wanted, typeByName)
  const stored = await tx.insert(type.name, wanted)
  // A new organization is returned as seen from within it.
  const inside = { ...there, organization: organizationOf(type, stored, there) }
  const now = await standingTowards(trx, inside, type, stored)
  await writePersonal(trx, session, type, stored.name, personalValues(type, values))
  const shown = await withPersonal(trx, session, type, present(stored, now ?? accessContext, type))
  return stored.job === undefined ? shown : Object.assign(shown, { job: shown.job ?? stored.job })
}

/** The organization to create in; the selected one if the client doesn't name one. */
function organizationWanted(type: Doctype, value: unknown, session: Session): string {
  const wanted = value === undefined || value === null || value === '' ? session.organization : value
  if (typeof wanted !== 'string') throw notPermitted(type, 'create')
  return wanted
}
