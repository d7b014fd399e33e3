import type { Doctype } from '#shared/doctype.ts'
import { sql } from 'kysely'
import { tableRef } from '../store/schema.ts'
import { readableNames } from './rule-sql.ts'
import {
  accessContextIn,
  accessContextsIn,
  grantFor,
  isMember,
  listAccessContext,
  organizationSql,
  type AccessContext,
} from './gate.ts'
import type { ReadersQuestion } from '#server/contracts/documents.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'

/** Dependencies of the reader lookup. */
interface ReadersContext {
  readonly db: Db
  readonly typeByName: TypeByName
}

/** Maximum number of sessions whose rules are evaluated in one statement. */
const batchSize = 50

/**
 * Returns the sessions that can read a document, or could when it was deleted. However many they are, it takes a query or two:
 * if a role can read all documents of the doctype, nothing else is asked; rules are evaluated in batches.
 */
export async function filterReaders(
  { db, typeByName }: ReadersContext,
  sessions: readonly Session[],
  type: Doctype,
  document: ReadersQuestion,
): Promise<ReadonlySet<Session>> {
  const readers = new Set<Session>()
  const restricted: { session: Session; readable: ReturnType<typeof readableNames> }[] = []
  for (const accessContext of await accessContextsTo(db, [...new Set(sessions)], type, document)) {
    const grant = grantFor(accessContext, type, 'read')
    if (grant === true) readers.add(accessContext.session)
    else if (grant !== false)
      restricted.push({
        session: accessContext.session,
        readable: readableNames(grant, type, { accessContext, typeByName }, [document.name]),
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

/** The sessions to which a document can be visible, with their roles for it. */
async function accessContextsTo(
  db: Db,
  sessions: readonly Session[],
  type: Doctype,
  document: ReadersQuestion,
): Promise<AccessContext[]> {
  const organization =
    document.organization === undefined ? await storedOrganization(db, type, document.name) : document.organization
  if (organization === undefined) return []
  if (type.tenant.kind === 'platform') return accessContextsIn(db, sessions, null)
  if (type.tenant.kind === 'user' || (type.tenant.kind === 'attachment' && organization === null))
    return accessContextsToPersonal(db, sessions, type, document)
  // Users working in another organization can't see it, except platform admins.
  const here = sessions.filter((one) => one.organization === organization || one.platformAdmin)
  return accessContextsIn(db, here, organization)
}

/** The organization of a stored document; undefined if there is no such document. */
async function storedOrganization(db: Db, type: Doctype, name: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ organization: string | null }>`
    select ${organizationSql(type, { organization: null })} as organization from ${tableRef(type.name)} t
    where t.name = ${name}`.execute(db)
  return rows[0]?.organization
}

/** Who can see a row that belongs to a user. */
interface PersonalRow {
  /** The user who has the role `Self` for it. */
  readonly self: string
  /** The user whose colleagues can see it, too. */
  readonly person: string | null
  /** The organizations of these colleagues. */
  readonly organizations: readonly string[]
}

/** The same for rows of users and for files outside of organizations. */
async function accessContextsToPersonal(
  db: Db,
  sessions: readonly Session[],
  type: Doctype,
  { name, kind, organization, of_user = name }: ReadersQuestion,
): Promise<AccessContext[]> {
  const isUsers = type.tenant.kind === 'user'
  // Someone who left was a colleague of everyone in the organization; an account that was deleted has none any more.
  const left: PersonalRow = { self: of_user, person: null, organizations: organization ? [organization] : [] }
  const row = kind === 'delete' ? left : await personalRow(db, type, name)
  if (!row) return []
  const candidates = sessions.filter(
    ({ user, platformAdmin, organization: here }) =>
      user === row.self ||
      user === row.person ||
      (platformAdmin && isUsers) ||
      (here !== null && row.organizations.includes(here)),
  )
  const found: AccessContext[] = []
  for (const [here, group] of Map.groupBy(candidates, (session) => session.organization))
    found.push(...(await accessContextsIn(db, group, here)))
  return found.flatMap((one) => {
    if (one.session.user === row.self) return { ...one, roles: [...one.roles, 'Self' as const] }
    // The rules of files evaluate this themselves.
    return !isUsers || isMember(one) || one.roles.includes('Platform Admin') ? one : []
  })
}

async function personalRow(db: Db, { name: doctype, tenant }: Doctype, name: string): Promise<PersonalRow | undefined> {
  const person =
    tenant.kind === 'user'
      ? sql.ref(`t.${tenant.field}`)
      : sql`case when t.attached_to_doctype = 'User' then t.attached_to_name end`
  const { rows } = await sql<PersonalRow>`select ${tenant.kind === 'user' ? person : sql`t.owner`} as self,
    ${person} as person,
    array(select m.parent from ${tableRef('Organization Member')} m where m."user" = ${person}) as organizations
    from ${tableRef(doctype)} t where t.name = ${name}`.execute(db)
  return rows[0]
}

/** Whether one of these documents is, or was when it was deleted, in a user's list of the doctype. */
export async function readsOneOf(
  { db, typeByName }: ReadersContext,
  session: Session,
  type: Doctype,
  names: readonly string[],
): Promise<boolean> {
  if (names.length === 0) return false
  const accessContext = listAccessContext(await accessContextIn(db, session, session.organization), type)
  const grant = grantFor(accessContext, type, 'read')
  // Whose row it is decides as well.
  if (grant === false || (grant === true && type.tenant.kind !== 'user')) return grant
  const readable = readableNames(grant, type, { accessContext, typeByName }, names)
  const found = await sql<{ may: boolean }>`select exists (${readable}) as may`.execute(db)
  return found.rows[0]?.may === true
}
