import { sql, type RawBuilder } from 'kysely'
import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { organizationOf } from '../permissions/gate.ts'
import { preparedStatement, sentWithNext } from '#server/platform/database/prepared-statements.ts'
import { tableRef } from './schema.ts'
import { isOneOfUsers } from './users-sql.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'

/*
 * The order in which a transaction takes row locks. A later kind is never locked before an earlier one, and a row is locked
 * in its final strength right away: upgrading a FOR SHARE lock to a write would wait for all other holders, while they wait
 * for this one (PostgreSQL cancels one of them after a second).
 *
 * 1. Member rows of the organization, by user. The caller's row FOR SHARE: revoking a role, token or share waits for running
 *    writes, and no new write starts with the old rights. FOR UPDATE the rows of users whose rights the action changes:
 *    tokens and shares are locked through the member row of the user who has them (`rights_of` of doctypes and actions).
 * 2. The organization's row, if the doctype sets `with_organization`: plans and default connections change under this lock.
 * 3. The document acted on.
 * 4. Advisory locks of hooks (site names on a machine, organization slugs, row counts of a user).
 * 5. Rows written by hooks: the organization's row (limits, invitations), then connections, servers, invitations, user settings,
 *    jobs. Jobs lock the Job's row first, then its reference, then the server that they share.
 * 6. Heads of the activity log, by chain, right before the commit.
 */

/** How a user's member row is locked: to act with its rights, or to change them. */
export type RightsLock = 'act' | 'change'

/** A lock that a transaction has taken for a user. */
interface HeldLock {
  readonly lock: RightsLock
  /** Whether a member row was seen. */
  readonly isMember: boolean
}

/** Locks taken by each transaction, by organization and user. */
const held = new WeakMap<Db, Map<string, HeldLock>>()

const keyOf = (organization: string, user: string) => `${organization}\n${user}`

/**
 * Locks the member rows of these users until the transaction ends. Non-members have no rows to lock. Throws if a row locked
 * for acting is then requested for changing: an action must declare in advance whose rights it changes.
 */
export async function lockRights(
  trx: Db,
  organization: string | null,
  requested: ReadonlyMap<string, RightsLock>,
): Promise<void> {
  if (organization === null) return
  const locks = locksOf(trx)
  const wanted = [...requested].filter(([user, lock]) => {
    const has = locks.get(keyOf(organization, user))?.lock
    if (has === 'act' && lock === 'change')
      throw new Error(`The rights of ${user} are held for acting and cannot be changed: declare rights_of.`)
    return has === undefined
  })
  for (const { lock, users } of runsOf(wanted)) {
    const { rows } = await lockSql(organization, users, lock, preparedStatement).execute(trx)
    const members = new Set(rows.map(({ user }) => user))
    for (const user of users) locks.set(keyOf(organization, user), { lock, isMember: members.has(user) })
  }
}

/**
 * Locks the caller's member row to act with its rights, like `lockRights`, but in one round trip with the next statement: that
 * has to be the one that reads the rights. Whoever finds there that they are a member says so (`actingAsMember`).
 */
export async function lockActor(trx: Db, session: Session, organization: string | null): Promise<void> {
  if (organization === null || locksOf(trx).has(keyOf(organization, session.user))) return
  await lockSql(organization, [session.user], 'act', sentWithNext).execute(trx)
  locksOf(trx).set(keyOf(organization, session.user), { lock: 'act', isMember: false })
}

/** The caller of `lockActor` has a member row. */
export function actingAsMember(trx: Db, organization: string, user: string): void {
  const has = locksOf(trx).get(keyOf(organization, user))
  if (has) locksOf(trx).set(keyOf(organization, user), { ...has, isMember: true })
}

function locksOf(trx: Db): Map<string, HeldLock> {
  const locks = held.get(trx) ?? new Map<string, HeldLock>()
  held.set(trx, locks)
  return locks
}

const lockSql = (organization: string, users: readonly string[], lock: RightsLock, first: RawBuilder<unknown>) =>
  sql<{ user: string }>`${first}select m."user" from ${tableRef('Organization Member')} m
    where m.parent = ${organization} and ${isOneOfUsers(users)} order by m."user" collate "C"
    for ${lock === 'change' ? sql`update` : sql`share`}`

/** Whether this transaction acts with the rights of the user's member row: then they are a member until it ends. */
export function actsAsMember(trx: Db, organization: string, user: string): boolean {
  const has = held.get(trx)?.get(keyOf(organization, user))
  return has?.lock === 'act' && has.isMember
}

/** Sorts users by email address and groups neighbors with the same lock, because one statement has one lock strength. */
function runsOf(locks: readonly [string, RightsLock][]): { lock: RightsLock; users: string[] }[] {
  const runs: { lock: RightsLock; users: string[] }[] = []
  for (const [user, lock] of locks.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = runs.at(-1)
    if (last?.lock === lock) last.users.push(user)
    else runs.push({ lock, users: [user] })
  }
  return runs
}

/** The lock for the acting user. */
export const actorLock = (session: Session): [string, RightsLock] => [session.user, 'act']

/** The part of a document needed for the locks taken before its own. */
export interface LockTarget {
  readonly name: string
  readonly owner: string
  /** Organization in which the caller's rights on it apply. */
  readonly organization: string | null
  /** User whose rights it grants (`rights_of`); null if none. */
  readonly user: string | null
}

/** Reads what `lockFor` needs, without locking; null if the document doesn't exist. */
export async function lockTarget(db: Db, session: Session, type: Doctype, name: string): Promise<LockTarget | null> {
  const own = [tenantField(type), type.rights_of].filter((field) => field !== undefined && field !== null)
  const columns = ['name', 'owner', ...new Set(own)].map((column) => sql.ref(`t.${column}`))
  const found = await sql<AnyDoc>`${preparedStatement}select ${sql.join(columns)} from ${tableRef(type.name)} t
    where t.name = ${name}`.execute(db)
  const row = found.rows[0]
  if (!row) return null
  const user = type.rights_of ? row[type.rights_of] : null
  const attached = type.tenant.kind === 'attachment'
  return {
    name: row.name,
    owner: row.owner,
    organization: attached ? session.organization : organizationOf(type, row, session),
    user: typeof user === 'string' ? user : null,
  }
}

/** Organization in which the caller's rights on a document apply, if it is one the caller can see. */
function expectedOrganization(session: Session, { tenant }: Doctype, name: string): string | null {
  if (tenant.kind === 'link' || tenant.kind === 'user' || tenant.kind === 'attachment') return session.organization
  return tenant.kind === 'organization' ? name : null
}

/** Deleting an organization ends everyone's rights in it. */
export const endsRights = ({ tenant }: Doctype, isDelete: boolean): boolean =>
  isDelete && tenant.kind === 'organization'

/**
 * Takes the locks that come before a document of the caller's organization. Returns false if it can't be one, or if they depend on what
 * it holds. Otherwise it is read once, when it is locked itself; that has to be the next statement, and to read the rights.
 */
export async function lockOwn(
  trx: Db,
  session: Session,
  type: Doctype,
  name: string,
  isDelete: boolean,
): Promise<boolean> {
  if (type.rights_of || type.with_organization || endsRights(type, isDelete)) return false
  const organization = expectedOrganization(session, type, name)
  if (organization !== session.organization) return false
  await lockActor(trx, session, organization)
  return true
}

/** Takes the locks that come before a document: the acting user, users whose rights change, and the organization's row. */
export async function lockFor(
  trx: Db,
  session: Session,
  type: Doctype,
  organization: string | null,
  changed: readonly string[],
): Promise<void> {
  const userLocks = new Map([actorLock(session)])
  for (const user of changed) userLocks.set(user, 'change')
  await lockRights(trx, organization, userLocks)
  if (type.with_organization && organization !== null)
    await sql`select 1 from ${tableRef('Organization')} o where o.name = ${organization} for update`.execute(trx)
}

/** Users whose rights an action changes, based on its declaration and arguments. */
export async function usersChangedBy(
  db: Db,
  session: Session,
  target: LockTarget,
  rights_of: readonly string[],
  args: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const users: string[] = []
  for (const name of rights_of) {
    if (name === '$user') users.push(session.user)
    else if (name === '$owner') users.push(target.owner)
    else if (name === '$members') users.push(...(await membersOf(db, target.name)))
    else {
      const value = Object.hasOwn(args, name) ? args[name] : null
      if (typeof value === 'string') users.push(value.trim().toLowerCase())
    }
  }
  return users
}

/** Users of an organization's member rows. */
export async function membersOf(db: Db, organization: string): Promise<string[]> {
  const found = await sql<{ user: string }>`select m."user" from ${tableRef('Organization Member')} m
    where m.parent = ${organization}`.execute(db)
  return found.rows.map((row) => row.user)
}
