import { changesNothing } from '#shared/action-state.ts'
import { actionResponse } from '#shared/responses/actions.ts'
import { tenantField, type Action, type AnyDoc, type Doctype, type Grant, type Rule } from '#shared/doctype.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import type { Role } from '#shared/fields.ts'
import { canSeePeople, returnsPeople } from '#shared/people.ts'
import { scopesAllow, splitScope, type TokenAccess } from '#shared/rules/token-scopes.ts'
import { sql, type RawBuilder } from 'kysely'
import { fieldOf } from '../query/columns.ts'
import { tableRef } from '../store/schema.ts'
import { isOneOfUsers } from '../store/users-sql.ts'
import { isMachine, type Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { preparedStatement } from '#server/platform/database/prepared-statements.ts'

/** Operations the gate decides about. */
export type Operation = 'read' | 'create' | 'write' | 'delete'

/** A caller's roles for the documents of one organization (or of none). */
export interface AccessContext {
  readonly session: Session
  readonly organization: string | null
  readonly roles: readonly Role[]
}

/**
 * Roles of a session in an organization, read from the member rows within the given transaction: never taken from the client
 * or from the role in another organization. Guests and unverified users have none. Writes lock the member rows first
 * (`store/locks.ts`): a role change waits for running writes, and no write starts with the old role.
 */
export async function accessContextIn(db: Db, session: Session, organization: string | null): Promise<AccessContext> {
  const [accessContext] = await accessContextsIn(db, [session], organization)
  return accessContext ?? { session, organization, roles: [] }
}

/** The same for many sessions in one query; results are in the same order. */
export async function accessContextsIn(
  db: Db,
  sessions: readonly Session[],
  organization: string | null,
): Promise<AccessContext[]> {
  const members = await membersAmong(db, sessions, organization)
  return sessions.map((session) => ({ session, organization, roles: rolesOf(session, members.get(session)) }))
}

/** The part of a member row that determines roles. */
interface Membership {
  readonly owner: string | null
  readonly role: string
}

/**
 * Member rows `m` of an enabled organization `o`. Those of people who still lack the two-factor authentication that it requires
 * count as none.
 */
const memberRows = (organization: RawBuilder<unknown>) => sql`${tableRef('Organization')} o
  join ${tableRef('Organization Member')} m on m.parent = o.name where o.name = ${organization} and o.enabled = 1
    and (o.require_two_factor = 0
      or exists (select 1 from ${tableRef('User')} f where f.name = m."user" and f.two_factor = 1))`

/** Condition for an API token `a` that can be used now. */
const validToken = sql`a.enabled = 1 and (a.expires is null or a.expires > now() at time zone 'utc')`

/**
 * The caller's member row as an SQL value, for statements that read something else as well; `accessContextFrom` turns it into
 * an access context. `organization`: as SQL.
 */
export function membershipSql({ user, token }: Session, organization: RawBuilder<unknown>): RawBuilder<unknown> {
  const tokenIsValid = token
    ? sql`and o.name = ${token.organization} and exists (
        select 1 from ${tableRef('API Token')} a where a.name = ${token.name} and ${validToken})`
    : sql``
  return sql`(select json_build_object('owner', o._owner, 'role', m.organization_role) from ${memberRows(organization)}
    and m."user" = ${user} ${tokenIsValid})`
}

/** The access context of a session in an organization, given the value of `membershipSql`. */
export function accessContextFrom(session: Session, organization: string | null, membership: unknown): AccessContext {
  return { session, organization, roles: rolesOf(session, (membership as Membership | null) ?? undefined) }
}

/**
 * Member rows of sessions in an enabled organization. An API token counts only while its row is valid, so revoking it also
 * stops requests in progress.
 */
async function membersAmong(
  db: Db,
  sessions: readonly Session[],
  organization: string | null,
): Promise<Map<Session, Membership>> {
  if (organization === null || sessions.length === 0) return new Map()
  const users = [...new Set(sessions.map(({ user }) => user))]
  const tokens = sessions.flatMap(({ token }) => (token?.organization === organization ? [token.name] : []))
  const live =
    tokens.length === 0
      ? sql`null::text[]`
      : sql`(select array_agg(a.name) from ${tableRef('API Token')} a where a.name = any(${tokens}::text[])
          and ${validToken})`
  const { rows } = await sql<Membership & { user: string; tokens: string[] | null }>`${preparedStatement}
    select o._owner as owner, m."user", m.organization_role as role, ${live} as tokens
    from ${memberRows(sql`${organization}`)} and ${isOneOfUsers(users)}`.execute(db)
  const byUser = new Map(rows.map((row) => [row.user, row]))
  return new Map(
    sessions.flatMap((session): [Session, Membership][] => {
      const row = byUser.get(session.user)
      return row && (!session.token || row.tokens?.includes(session.token.name)) ? [[session, row]] : []
    }),
  )
}

function rolesOf(session: Session, member: Membership | undefined): readonly Role[] {
  if (!session.verified) return []
  if (isMachine(session)) return []
  if (session.token) return member ? lowerRole(member.role, session.token.role) : []
  const roles: Role[] = ['User']
  if (session.platformAdmin) roles.push('Platform Admin')
  // The owner is always a member; without a member row, ownership alone grants nothing.
  if (member && member.owner === session.user) roles.push('Owner')
  if (member && isOneOf(organizationRoles, member.role)) roles.push(member.role)
  return roles
}

/** The lower of two organization roles; none if either is unknown. */
function lowerRole(a: string, b: string): Role[] {
  const ranks = [a, b].map((role) => organizationRoles.findIndex((known) => known === role))
  const lower = organizationRoles[Math.max(...ranks)]
  return ranks.includes(-1) || lower === undefined ? [] : [lower]
}

/**
 * Roles that count for an operation on a doctype: all of the caller's. For API tokens, the scopes must include the area, and
 * only organization roles count: a token never acts as owner, platform admin or on a user's own rows.
 */
function rolesFor(accessContext: AccessContext, area: Doctype['area'], access: TokenAccess): readonly Role[] {
  const { token, kind } = accessContext.session
  if (!token && kind !== 'token') return accessContext.roles
  if (!token || !scopesAllow(token.scopes, area, access)) return []
  return accessContext.roles.filter((role) => organizationRoles.some((known) => known === role))
}

/** Whether the caller has any role in the organization. */
export function isMember(accessContext: AccessContext): boolean {
  return accessContext.roles.some((role) => role === 'Owner' || role.startsWith('Organization '))
}

/**
 * Roles that apply to every row of a list. In lists of users' rows, callers without a role over colleagues see only their
 * own row, as `Self`. Platform admins list all organizations, so the roles they have in one of them don't apply.
 */
export function listAccessContext(accessContext: AccessContext, type: Doctype): AccessContext {
  if (['link', 'platform', 'attachment'].includes(type.tenant.kind)) return accessContext
  const isPlatformAdmin = accessContext.roles.includes('Platform Admin')
  if (type.tenant.kind === 'organization') {
    return isPlatformAdmin ? { ...accessContext, roles: ['User', 'Platform Admin'] satisfies Role[] } : accessContext
  }
  const overOthers = accessContext.roles.some((role) => type.permissions[role]?.read)
  if (overOthers && (isMember(accessContext) || isPlatformAdmin)) return accessContext
  return { ...accessContext, roles: ['Self'] satisfies Role[] }
}

/** The caller's roles for some document of a doctype, whichever: on those of users, `Self` for the caller's own. */
export function withOwnRows(accessContext: AccessContext, type: Doctype): AccessContext {
  const isUser = ['cookie', 'system'].includes(accessContext.session.kind)
  if (!isUser || type.tenant.kind !== 'user') return accessContext
  return { ...accessContext, roles: [...accessContext.roles, 'Self'] }
}

/** Combined grant of the caller's roles for an operation on rows of a doctype. Denied by default. */
export function grantFor(accessContext: AccessContext, type: Doctype, operation: Operation): Grant {
  const roles = rolesFor(accessContext, type.area, operation === 'read' ? 'read' : 'write')
  return combineGrants(roles.map((role) => type.permissions[role]?.[operation]))
}

/** Combined grant of the caller's roles for an action of a doctype. */
export function actionGrant(accessContext: AccessContext, type: Doctype, action: Action): Grant {
  const { kind, token } = accessContext.session
  if (kind === 'token' && (action.tokens === false || action.reauth)) return false
  if (kind === 'token' && returnsPeople(actionResponse(action)) && !canSeePeople(token?.scopes ?? [])) return false
  const access: TokenAccess = changesNothing(action) ? 'read' : 'write'
  const [area, needed] = action.tokens ? splitScope(action.tokens) : [type.area, access]
  return combineGrants(rolesFor(accessContext, area, needed).map((role) => action.allow[role]))
}

/** Combines grants: true wins, rules are alternatives, no grant means denied. */
export function combineGrants(grants: readonly (Grant | undefined)[]): Grant {
  if (grants.includes(true)) return true
  const [first, ...more] = grants.filter((grant): grant is Rule => typeof grant === 'object')
  if (!first) return false
  return more.length === 0 ? first : { any: [first, ...more] }
}

/** Whether the caller's roles allow reading a field of a doctype (regardless of the row). */
export function mayReadField(accessContext: AccessContext, type: Doctype, name: string): boolean {
  const field = fieldOf(type, name)
  if (!field || field.hidden) return false
  const allowed = rolesFor(accessContext, type.area, 'read')
  const { token } = accessContext.session
  if (token && field.area && !scopesAllow(token.scopes, field.area, 'read')) return false
  const roles = allowed.filter((role) => type.permissions[role]?.read)
  if (field.read_roles && !field.read_roles.some((role) => allowed.includes(role))) return false
  if (!Object.hasOwn(type.fields, name)) return roles.length > 0
  // Users can always read their own personal fields.
  if (name === tenantField(type) || field.personal === true) return roles.length > 0
  return roles.some((role) => {
    const fields = type.permissions[role]?.fields ?? 'all'
    return fields === 'all' || fields.includes(name)
  })
}

/** How a client's value for a field is handled: accepted, rejected (403), or ignored like a standard field. */
export type FieldWrite = 'taken' | 'refused' | 'ignored'

/**
 * What the caller's roles allow for a field of a document they can write (or create). Values are ignored if the field isn't
 * described, is hidden, or is server-owned and the caller has none of its `write_roles`.
 */
export function fieldWrite(accessContext: AccessContext, type: Doctype, name: string, creating: boolean): FieldWrite {
  const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
  if (!field || field.hidden) return 'ignored'
  const roles = rolesFor(accessContext, type.area, 'write')
  const isNamed = field.write_roles?.some((role) => roles.includes(role))
  if (field.server_owned && !isNamed) return 'ignored'
  const mayWrite = !field.read_only && (isNamed ?? writesUnnamed(accessContext, type, name, creating))
  return mayWrite ? 'taken' : 'refused'
}

/**
 * Whether the caller can write a field without `write_roles`: those who can write the document can write every field they
 * can read.
 */
function writesUnnamed(accessContext: AccessContext, type: Doctype, name: string, creating: boolean): boolean {
  const roles = rolesFor(accessContext, type.area, 'write')
  if (roles.length === 0) return false
  if (type.fields[name]?.secret) return true
  // Roles that can create but not read (a new organization without members) can set every field.
  const creates = roles.some((role) => type.permissions[role]?.create && !type.permissions[role]?.read)
  return (creating && creates) || mayReadField(accessContext, type, name)
}

/**
 * The organization whose members can access a document: from its tenant field, the document itself, or (for rows of a user)
 * the caller's selected one.
 */
export function organizationOf(type: Doctype, doc: AnyDoc, session: Pick<Session, 'organization'>): string | null {
  if (type.tenant.kind === 'link') return textOrNull(doc[type.tenant.field])
  if (type.tenant.kind === 'attachment') return textOrNull(doc[type.tenant.organization])
  return type.tenant.kind === 'organization' ? doc.name : type.tenant.kind === 'user' ? session.organization : null
}

/** The same for the row of alias `t`, as SQL. */
export function organizationSql(type: Doctype, session: Pick<Session, 'organization'>): RawBuilder<unknown> {
  if (type.tenant.kind === 'link') return sql.ref(`t.${type.tenant.field}`)
  if (type.tenant.kind === 'attachment') return sql.ref(`t.${type.tenant.organization}`)
  if (type.tenant.kind === 'organization') return sql.ref('t.name')
  return type.tenant.kind === 'user' ? sql`${session.organization}::text` : sql`null::text`
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
