import { tenantField, type Action, type AnyDoc, type Doctype, type Grant, type Rule } from '#shared/doctype.ts'
import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import type { Role } from '#shared/fields.ts'
import { scopesAllow, splitScope, type TokenAccess } from '#shared/rules/token-scopes.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { fieldOf } from './columns.ts'
import { always } from './filter-sql.ts'
import { tableRef } from './schema.ts'
import type { Db, Session } from './types.ts'

/** Operations the gate decides on. */
export type Operation = 'read' | 'create' | 'write' | 'delete'

/** A caller's roles for the documents of one organization (or for none). */
export interface Standing {
  readonly session: Session
  readonly organization: string | null
  readonly roles: readonly Role[]
}

/**
 * The roles of a session in an organization, read from the member rows in the given transaction: never from the
 * client, never from the role in another organization. Guests and unverified users have none. `hold` keeps member row,
 * API token and shares as they are until the transaction ends: who changes them waits for a write under way, and none
 * follows.
 */
export async function standingIn(
  db: Db,
  session: Session,
  organization: string | null,
  options: { hold?: boolean } = {},
): Promise<Standing> {
  const roles: Role[] = []
  if (session.verified) {
    if (!session.token) roles.push('User')
    if (session.platformAdmin && !session.token) roles.push('Platform Admin')
    if (organization !== null && (!session.token || session.token.organization === organization)) {
      if (options.hold === true) {
        await sql`select 1 from ${tableRef('Organization Member')} m
          where m.parent = ${organization} and m."user" = ${session.user} for share`.execute(db)
        if (session.token)
          await sql`select 1 from ${tableRef('API Token')} a where a.name = ${session.token.name} for share`.execute(db)
      }
      const found = await sql<{ owner: string | null; role: string | null }>`
        select o._owner as owner, m.organization_role as role from ${tableRef('Organization')} o
        left join ${tableRef('Organization Member')} m on m.parent = o.name and m."user" = ${session.user}
        where o.name = ${organization} and o.enabled = 1 and ${liveToken(session)}`.execute(db)
      const row = found.rows[0]
      // Others have rights on all rows, so that shares give them nothing.
      if (options.hold === true && row?.role === 'Organization User')
        await sql`select 1 from ${tableRef('DocShare')} s where s.organization = ${organization}
          and s."user" = ${session.user} for share`.execute(db)
      if (row?.role && session.token) return { session, organization, roles: lowerRole(row.role, session.token.role) }
      // The owner is always a member; without the row ownership alone gives nothing.
      if (row?.role && row.owner === session.user) roles.push('Owner')
      if (row?.role) roles.push(row.role as Role)
    }
  }
  return { session, organization, roles }
}

/** An API token counts as long as its row does: revoking it also ends what runs at that moment. */
function liveToken({ token }: Session): RawBuilder<SqlBool> {
  if (!token) return always
  return sql`exists (select 1 from ${tableRef('API Token')} a where a.name = ${token.name} and a.enabled = 1
    and (a.expires is null or a.expires > now() at time zone 'utc'))`
}

/** The lower one of two organization roles, none when either is unknown. */
function lowerRole(a: string, b: string): Role[] {
  const ranks = [a, b].map((role) => organizationRoles.findIndex((known) => known === role))
  const lower = organizationRoles[Math.max(...ranks)]
  return ranks.includes(-1) || lower === undefined ? [] : [lower]
}

/**
 * The roles that count for an operation on a doctype: all of them, except for API tokens, whose scopes must let them in
 * and which never act as the organization's owner, the platform's admin or the person alone.
 */
function rolesFor(standing: Standing, area: Doctype['area'], access: TokenAccess): readonly Role[] {
  const { token, kind } = standing.session
  if (!token && kind !== 'token') return standing.roles
  if (!token || !scopesAllow(token.scopes, area, access)) return []
  return standing.roles.filter((role) => organizationRoles.some((known) => known === role))
}

/** Whether the caller has any role inside the organization. */
export function isMember(standing: Standing): boolean {
  return standing.roles.some((role) => role === 'Owner' || role.startsWith('Organization '))
}

/** What the caller's roles together grant for an operation on rows of a doctype: default deny. */
export function grantFor(standing: Standing, type: Doctype, operation: Operation): Grant {
  const roles = rolesFor(standing, type.area, operation === 'read' ? 'read' : 'write')
  return unite(roles.map((role) => type.permissions[role]?.[operation]))
}

/** What the caller's roles grant on an action of a doctype. */
export function actionGrant(standing: Standing, type: Doctype, action: Action): Grant {
  if (standing.session.kind === 'token' && (action.tokens === false || action.reauth)) return false
  const access: TokenAccess = action.reads ? 'read' : 'write'
  const [area, needed] = action.tokens ? splitScope(action.tokens) : [type.area, access]
  return unite(rolesFor(standing, area, needed).map((role) => action.allow[role]))
}

/** Several grants together: true wins, rules are alternatives, nothing is denied. */
export function unite(grants: readonly (Grant | undefined)[]): Grant {
  if (grants.includes(true)) return true
  const rules = grants.filter((grant): grant is Rule => typeof grant === 'object')
  if (rules.length === 0) return false
  return rules.length === 1 ? (rules[0] as Rule) : { any: rules }
}

/** Whether the caller's roles let him read a field of a doctype (rows apart). */
export function mayReadField(standing: Standing, type: Doctype, name: string): boolean {
  const field = fieldOf(type, name)
  if (!field || field.hidden) return false
  const allowed = rolesFor(standing, type.area, 'read')
  const { token } = standing.session
  if (token && field.area && !scopesAllow(token.scopes, field.area, 'read')) return false
  const roles = allowed.filter((role) => type.permissions[role]?.read)
  if (field.read_roles && !field.read_roles.some((role) => allowed.includes(role))) return false
  if (!Object.hasOwn(type.fields, name)) return roles.length > 0
  // What each reader marks for himself is his to read, whatever else of the document is.
  if (name === tenantField(type) || field.personal === true) return roles.length > 0
  return roles.some((role) => {
    const fields = type.permissions[role]?.fields ?? 'all'
    return fields === 'all' || fields.includes(name)
  })
}

/** What becomes of a value that a client sends for a field: taken, refused, or left out like one of a standard field. */
export type FieldWrite = 'taken' | 'refused' | 'ignored'

/**
 * What the caller's roles let him do with a field of a document he may write (or create). Ignored is what is not the
 * doctype's to give or is the server's own: what it does not describe, hides, or keeps to itself and to roles the
 * caller does not have.
 */
export function fieldWrite(standing: Standing, type: Doctype, name: string, creating: boolean): FieldWrite {
  const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
  if (!field || field.hidden) return 'ignored'
  const roles = rolesFor(standing, type.area, 'write')
  const isNamed = field.write_roles?.some((role) => roles.includes(role))
  if (field.server_owned && !isNamed) return 'ignored'
  const mayWrite = !field.read_only && (isNamed ?? writesUnnamed(standing, type, name, creating))
  return mayWrite ? 'taken' : 'refused'
}

/** Whether the caller writes a field that names no roles: who writes the document writes what he reads of it. */
function writesUnnamed(standing: Standing, type: Doctype, name: string, creating: boolean): boolean {
  const roles = rolesFor(standing, type.area, 'write')
  if (roles.length === 0) return false
  if (type.fields[name]?.secret) return true
  // Who may create but not read (an organization before its first member) sets every field.
  const creates = roles.some((role) => type.permissions[role]?.create && !type.permissions[role]?.read)
  return (creating && creates) || mayReadField(standing, type, name)
}

/**
 * The organization whose members a document belongs to: its tenant field, itself, or (for rows of a user) the
 * caller's chosen one.
 */
export function organizationOf(type: Doctype, doc: AnyDoc, session: Session): string | null {
  if (typeof type.tenant === 'string') return (doc[type.tenant] as string | null) ?? null
  if (type.tenant.kind === 'attachment') return (doc[type.tenant.organization] as string | null) ?? null
  return type.tenant.kind === 'organization' ? doc.name : type.tenant.kind === 'user' ? session.organization : null
}
