import type { Session } from '#server/contracts/session.ts'
import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import {
  accessContextFor,
  accessContextToDoc,
  type CallerContext,
  grantAppliesToNew,
  visibleDoc,
  writableValues,
} from '../permissions/access.ts'
import { creationDenied, notPermitted, rejectGuest } from '../permissions/access-errors.ts'
import { grantFor, isMember, organizationOf, accessContextIn } from '../permissions/gate.ts'
import { checkLinks } from '../permissions/links.ts'
import { actingAsMember, lockActor } from '../store/locks.ts'
import { personalValues, withPersonalValues, writePersonal } from '../store/personal.ts'
import type { OpenTransaction } from '../store/transaction-context.ts'
import type { DocumentsContext } from './documents-context.ts'

/** A document to insert. */
export interface NewDocument {
  readonly type: Doctype
  readonly values: Record<string, unknown>
}

/** Inserts documents in one transaction: all or none. Returns them as the caller can read them. */
export async function insertDocuments(
  context: DocumentsContext,
  session: Session,
  docs: readonly NewDocument[],
): Promise<AnyDoc[]> {
  return context.transactions.run(session, async (tx) => {
    const made: AnyDoc[] = []
    for (const doc of docs) made.push(await insertIn(context, tx, doc))
    return made
  })
}

/** Inserts a document. Returns it as the caller can read it. */
export async function insertDocument(context: DocumentsContext, session: Session, doc: NewDocument): Promise<AnyDoc> {
  return context.transactions.run(session, (tx) => insertIn(context, tx, doc))
}

/**
 * Inserts a document in a running transaction. Checks the role first, so that callers without permission don't learn which
 * fields are required; then fields, row rule and links; then inserts.
 */
async function insertIn(
  { typeByName }: DocumentsContext,
  tx: OpenTransaction,
  { type, values }: NewDocument,
): Promise<AnyDoc> {
  const { session, connection } = tx
  const caller = { db: connection, session, typeByName }
  const { organization, accessContext, targetSession, wanted } = await admitInsert(caller, type, values)
  const stored = await tx.insert(type.name, wanted)
  // A new organization is returned as seen from within it.
  const inside = { ...targetSession, organization: organizationOf(type, stored, targetSession) }
  const isInside =
    type.tenant.kind !== 'organization' && type.tenant.kind !== 'attachment' && inside.organization === organization
  const now = isInside
    ? await accessContextToDoc(connection, { ...accessContext, session: inside }, type, stored)
    : await accessContextFor(connection, inside, type, stored)
  const own = personalValues(type, values)
  await writePersonal(connection, session, type, stored.name, own)
  const shown = withPersonalValues(type, visibleDoc(stored, now ?? accessContext, type), [], own)
  return stored.job === undefined ? shown : Object.assign(shown, { job: shown.job ?? stored.job })
}

/** What a caller may insert. */
interface AdmittedInsert {
  readonly organization: string | null
  readonly accessContext: Awaited<ReturnType<typeof accessContextIn>>
  /** The caller in the organization of the new document. */
  readonly targetSession: Session
  /** The values the caller may set. */
  readonly wanted: Record<string, unknown>
}

/**
 * Checks that a caller may create a document with these values, in a running transaction. Throws DeniedError or AppError. For
 * actions that create another document on behalf of the caller: they insert what it returns.
 */
export async function admitInsert(
  caller: CallerContext,
  type: Doctype,
  values: Readonly<Record<string, unknown>>,
): Promise<AdmittedInsert> {
  const { db, session, typeByName } = caller
  rejectGuest(session, type, 'create')
  const tenant = tenantField(type)
  const organization = tenant ? organizationWanted(type, values[tenant], session) : session.organization
  await lockActor(db, session, organization)
  const accessContext = await accessContextIn(db, session, organization)
  if (organization !== null && isMember(accessContext)) actingAsMember(db, organization, session.user)
  const grant = grantFor(accessContext, type, 'create')
  if (grant === false) throw creationDenied(type, accessContext)
  const wanted = writableValues(type, accessContext, values, null)
  if (tenant) wanted[tenant] = organization
  if (!(await grantAppliesToNew(db, grant, type, { ...wanted }, { accessContext, typeByName })))
    throw creationDenied(type, accessContext)
  // Links are resolved in the organization of the new document, not in the caller's selected one.
  const targetSession = { ...session, organization: organization ?? session.organization }
  await checkLinks({ db, session: targetSession, typeByName }, type, tenant ? organization : null, wanted)
  return { organization, accessContext, targetSession, wanted }
}

/**
 * Whether the caller's roles allow a document with these values, for answers that depend on it. Takes no locks, so `admitInsert` still
 * decides about the document itself.
 */
export async function mayInsert(
  { db, session, typeByName }: CallerContext,
  type: Doctype,
  values: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const tenant = tenantField(type)
  const organization = tenant ? organizationWanted(type, values[tenant], session) : session.organization
  const accessContext = await accessContextIn(db, session, organization)
  const grant = grantFor(accessContext, type, 'create')
  return grantAppliesToNew(db, grant, type, values, { accessContext, typeByName })
}

/** The organization to create in; the selected one if the client doesn't name one. */
function organizationWanted(type: Doctype, value: unknown, session: Session): string {
  const wanted = value === undefined || value === null || value === '' ? session.organization : value
  if (typeof wanted !== 'string') throw notPermitted(type, 'create')
  return wanted
}
