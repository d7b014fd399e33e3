import { sql } from 'kysely'
import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { organizationOf } from '../permissions/gate.ts'
import { tableRef } from './schema.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'

/*
 * The order in which a transaction takes row locks. A later kind never comes before an earlier one, and a row is locked
 * in its final strength at once: who holds a row FOR SHARE and then wants to write it waits for everybody else who
 * holds it, and they for him (PostgreSQL ends one of them after a second).
 *
 * 1. Member rows of the organization, by user. The caller's FOR SHARE: who takes away a role, a token or a share waits
 *    for a write under way, and none follows. FOR UPDATE those of the people whose rights the act changes: tokens and
 *    shares are locked by the member row of the person who has them (`rights_of` of doctypes and actions).
 * 2. The organization's row, where the doctype says `with_organization`: plans are changed under it.
 * 3. The document acted on.
 * 4. Advisory locks of hooks (names of sites on one machine, short names of organizations, counts of one person's rows).
 * 5. What hooks write: the organization's row (limits, invitations), then servers, invitations, settings of people, jobs.
 *    Work of a job begins with the Job's row, then its reference.
 * 6. Heads of the activity log, by chain, just before the commit.
 */

/** How a person's member row is locked: to act with the rights it gives, or to change them. */
export type RightsLock = 'act' | 'change'

/** What a transaction has locked so far, by organization and user. */
const held = new WeakMap<Db, Map<string, RightsLock>>()

const keyOf = (organization: string, user: string) => `${organization}\n${user}`

/**
 * Locks the member rows of these people, until the transaction ends. Who is no member has no rights to hold. Throws when
 * a row that is held for acting is wanted for changing: the act has to say beforehand whose rights it changes.
 */
export async function lockRights(
  trx: Db,
  organization: string | null,
  people: ReadonlyMap<string, RightsLock>,
): Promise<void> {
  if (organization === null) return
  const locks = held.get(trx) ?? new Map<string, RightsLock>()
  held.set(trx, locks)
  const wanted = [...people].filter(([user, lock]) => {
    const has = locks.get(keyOf(organization, user))
    if (has === 'act' && lock === 'change')
      throw new Error(`The rights of ${user} are held for acting and cannot be changed: declare rights_of.`)
    return has === undefined
  })
  for (const { lock, users } of runsOf(wanted)) {
    await sql`select 1 from ${tableRef('Organization Member')} m
      where m.parent = ${organization} and m."user" = any(${users}::text[]) order by m."user" collate "C"
      for ${lock === 'change' ? sql`update` : sql`share`}`.execute(trx)
    for (const user of users) locks.set(keyOf(organization, user), lock)
  }
}

/** People in the order of their addresses, neighbors with the same lock together: one statement has one strength. */
function runsOf(people: readonly [string, RightsLock][]): { lock: RightsLock; users: string[] }[] {
  const runs: { lock: RightsLock; users: string[] }[] = []
  for (const [user, lock] of people.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = runs.at(-1)
    if (last?.lock === lock) last.users.push(user)
    else runs.push({ lock, users: [user] })
  }
  return runs
}

/** The lock of who acts. */
export const actor = (session: Session): [string, RightsLock] => [session.user, 'act']

/** A document before it is locked, as far as the locks before it need to know it. */
export interface LockTarget {
  readonly name: string
  readonly owner: string
  /** Organization in which the caller's rights towards it count. */
  readonly organization: string | null
  /** Whose rights it gives (`rights_of`); null when none. */
  readonly user: string | null
}

/** Reads what `lockFor` needs, without a lock; null when there is no such document. */
export async function lockTarget(db: Db, session: Session, type: Doctype, name: string): Promise<LockTarget | null> {
  const own = [tenantField(type), type.rights_of].filter((field) => field !== undefined && field !== null)
  const columns = ['name', 'owner', ...new Set(own)].map((column) => sql.ref(`t.${column}`))
  const found = await sql<AnyDoc>`select ${sql.join(columns)} from ${tableRef(type.name)} t
    where t.name = ${name}`.execute(db)
  const row = found.rows[0]
  if (!row) return null
  const attached = typeof type.tenant === 'object' && type.tenant.kind === 'attachment'
  return {
    name: row.name,
    owner: row.owner,
    organization: attached ? session.organization : organizationOf(type, row, session),
    user: type.rights_of ? (row[type.rights_of] as string | null) : null,
  }
}

/** What an act on a document locks before it: who acts, whose rights it changes, and the organization's row. */
export async function lockFor(
  trx: Db,
  session: Session,
  type: Doctype,
  organization: string | null,
  changed: readonly string[],
): Promise<void> {
  const people = new Map([actor(session)])
  for (const user of changed) people.set(user, 'change')
  await lockRights(trx, organization, people)
  if (type.with_organization && organization !== null)
    await sql`select 1 from ${tableRef('Organization')} o where o.name = ${organization} for update`.execute(trx)
}

/** The people whose rights an action changes, from what it declares and the arguments it was sent. */
export async function peopleChangedBy(
  db: Db,
  session: Session,
  target: LockTarget,
  rights_of: readonly string[],
  args: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const people: string[] = []
  for (const name of rights_of) {
    if (name === '$user') people.push(session.user)
    else if (name === '$owner') people.push(target.owner)
    else if (name === '$members') people.push(...(await membersOf(db, target.name)))
    else {
      const value = Object.hasOwn(args, name) ? args[name] : null
      if (typeof value === 'string') people.push(value.trim().toLowerCase())
    }
  }
  return people
}

/** Users of an organization's member rows. */
export async function membersOf(db: Db, organization: string): Promise<string[]> {
  const found = await sql<{ user: string }>`select m."user" from ${tableRef('Organization Member')} m
    where m.parent = ${organization}`.execute(db)
  return found.rows.map((row) => row.user)
}

/** Lets one transaction at a time decide about the same thing, until it ends. */
export async function oneAtATime(tx: { readonly trx: Db }, what: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`easydash:${what}`}, 0))`.execute(tx.trx)
}
