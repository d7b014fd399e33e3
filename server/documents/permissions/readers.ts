import type { Doctype } from '#shared/doctype.ts'
import { sql } from 'kysely'
import { readableNames } from './rule-sql.ts'
import { grantFor, accessContextIn, accessContextsIn } from './gate.ts'
import type { PermissionBits } from './permission-bits.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db, DocumentEvent } from '#server/contracts/transaction.ts'

/** Dependencies of the reader lookup. */
interface ReadersContext {
  readonly db: Db
  readonly bits: Pick<PermissionBits, 'allowed'>
  readonly typeByName: TypeByName
}

/** Maximum number of sessions whose rules are evaluated in one statement. */
const batchSize = 50

/**
 * Returns the sessions that can read a document of an organization, or could when it was deleted. If a role can read all
 * documents of the doctype, no query is needed; rules are evaluated in batches.
 */
export async function filterReaders(
  { db, bits, typeByName }: ReadersContext,
  sessions: readonly Session[],
  type: Doctype,
  { name, organization, kind }: Pick<DocumentEvent, 'name' | 'organization'> & Partial<Pick<DocumentEvent, 'kind'>>,
): Promise<ReadonlySet<Session>> {
  const all = [...new Set(sessions)]
  const readers = new Set<Session>()
  // Someone who left was a colleague of everyone here, so after a deletion the permission on the doctype decides.
  if (isDecidedByRow(type)) {
    const subject = kind === 'delete' ? null : name
    for (const session of all) if (await bits.allowed(session, type, subject, 'read')) readers.add(session)
    return readers
  }
  // Users working in another organization can't see it, except platform admins.
  const here = all.filter((one) => one.organization === organization || one.platformAdmin)
  const restricted: { session: Session; readable: ReturnType<typeof readableNames> }[] = []
  for (const accessContext of await accessContextsIn(db, here, organization)) {
    const grant = grantFor(accessContext, type, 'read')
    if (grant === true) readers.add(accessContext.session)
    else if (grant !== false)
      restricted.push({
        session: accessContext.session,
        readable: readableNames(grant, type, { accessContext, typeByName }, [name]),
      })
  }
  for (let at = 0; at < restricted.length; at += batchSize) {
    const batch = restricted.slice(at, at + batchSize)
    const found = await sql<{ may: boolean[] }>`select array[${sql.join(
      batch.map(({ readable }) => sql`exists (${readable})`),
    )}] as may`.execute(db)
    for (const [index, may] of (found.rows[0]?.may ?? []).entries()) {
      const one = batch[index]
      if (may && one) readers.add(one.session)
    }
  }
  return readers
}

/** Whether a user can read one of these documents of their current organization, or could when it was deleted. */
export async function readsOneOf(
  { db, bits, typeByName }: ReadersContext,
  session: Session,
  type: Doctype,
  names: readonly string[],
): Promise<boolean> {
  if (names.length === 0) return false
  if (isDecidedByRow(type)) {
    for (const name of names) if (await bits.allowed(session, type, name, 'read')) return true
    return false
  }
  const accessContext = await accessContextIn(db, session, session.organization)
  const grant = grantFor(accessContext, type, 'read')
  if (typeof grant === 'boolean') return grant
  const readable = readableNames(grant, type, { accessContext, typeByName }, names)
  const found = await sql<{ may: boolean }>`select exists (${readable}) as may`.execute(db)
  return found.rows[0]?.may === true
}

/** User and platform rows: access depends on who the row belongs to. */
function isDecidedByRow(type: Doctype): boolean {
  return ['user', 'platform'].includes(type.tenant.kind)
}
