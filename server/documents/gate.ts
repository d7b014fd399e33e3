import {
  tenantField,
  type Action,
  type AnyDoc,
  type Doctype,
  type FilterTriple,
  type Grant,
  type Rule,
} from '#shared/doctype.ts'
import { organizationRoles } from '#shared/doctypes/organization-member.ts'
import type { Role } from '#shared/fields.ts'
import { scopesAllow, splitScope, type TokenAccess } from '#shared/rules/token-scopes.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { fieldOf } from './columns.ts'
import { allOf, always, anyOf, conditionSql, never } from './filter-sql.ts'
import { parseFilters } from './filters.ts'
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
 * client, never from the role in another organization. Unverified users have none. `hold` keeps member row, API token
 * and shares as they are until the transaction ends: who changes them waits for a write under way, and none follows.
 */
export async function standingIn(
  db: Db,
  session: Session,
  organization: string | null,
  options: { hold?: boolean } = {},
): Promise<Standing> {
  const roles: Role[] = []
  if (session.kind === 'guest' || session.user === 'Guest') return { session, organization, roles: ['Guest'] }
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
  if (name === tenantField(type)) return roles.length > 0
  return roles.some((role) => {
    const fields = type.permissions[role]?.fields ?? 'all'
    return fields === 'all' || fields.includes(name)
  })
}

/** Whether the caller's roles let him write a field (rows apart). */
export function mayWriteField(standing: Standing, type: Doctype, name: string, creating = false): boolean {
  const field = fieldOf(type, name)
  if (!field || field.hidden || field.server_owned || field.read_only) return false
  const roles = rolesFor(standing, type.area, 'write')
  if (roles.length === 0) return false
  if (field.write_roles) return field.write_roles.some((role) => roles.includes(role))
  if (field.secret) return true
  // Who may create but not read (an organization before its first member) sets every field.
  const creates = roles.some((role) => type.permissions[role]?.create && !type.permissions[role]?.read)
  return (creating && creates) || mayReadField(standing, type, name)
}

/** What compiling a rule needs. */
export interface RuleContext {
  readonly standing: Standing
  readonly typeByName: (name: string) => Doctype | null
}

/** A grant as SQL over the rows of `alias`. */
export function grantSql(grant: Grant, type: Doctype, alias: string, context: RuleContext): RawBuilder<SqlBool> {
  if (grant === true) return always
  if (grant === false) return never
  return ruleSql(grant, type, alias, context, 0)
}

function ruleSql(rule: Rule, type: Doctype, alias: string, context: RuleContext, depth: number): RawBuilder<SqlBool> {
  const inner = `${alias}_${depth + 1}`
  const { user } = context.standing.session
  if (isTriple(rule)) {
    const value = rule[2] === '$user' ? user : rule[2]
    const [condition] = parseFilters([[rule[0], rule[1], value]], {
      type,
      typeByName: context.typeByName,
      readable: null,
    })
    return condition ? conditionSql(condition, sql.ref(`${alias}.${condition.column.name}`)) : never
  }
  if ('any' in rule) return anyOf(rule.any.map((part) => ruleSql(part, type, alias, context, depth)))
  if ('all' in rule) return allOf(rule.all.map((part) => ruleSql(part, type, alias, context, depth)))
  if ('shared' in rule) {
    // An array, not `exists`: its names are looked up once and found by the key, instead of every row being tried.
    return sql`${sql.ref(`${alias}.name`)} = any(array(select s.share_name from ${tableRef('DocShare')} s
      where s.share_doctype = ${type.name} and s."user" = ${user} and s.${sql.id(rule.shared)} = 1))`
  }
  if ('link' in rule) {
    const target = linkedType(type, rule.link, context)
    return sql`exists (select 1 from ${tableRef(target.name)} ${sql.id(inner)} where ${sql.ref(`${inner}.name`)} = ${sql.ref(`${alias}.${rule.link}`)}
      and ${sameTenant(type, alias, target, inner)} and ${ruleSql(rule.matches, target, inner, context, depth + 1)})`
  }
  if ('linked_from' in rule) {
    const source = context.typeByName(rule.linked_from.doctype)
    if (!source) return never
    return sql`exists (select 1 from ${tableRef(source.name)} ${sql.id(inner)} where ${sql.ref(`${inner}.${rule.linked_from.field}`)} = ${sql.ref(`${alias}.name`)}
      and ${sameTenant(type, alias, source, inner)} and ${ruleSql(rule.matches, source, inner, context, depth + 1)})`
  }
  if ('attached_to' in rule) {
    return anyOf(rule.attached_to.map((name) => attachedSql(rule.may, name, alias, inner, context)))
  }
  return anyOf(
    rule.readable_reference.map((name) => {
      const target = context.typeByName(name)
      if (!target) return never
      return sql<SqlBool>`(${sql.ref(`${alias}.reference_doctype`)} = ${name} and exists (select 1 from ${tableRef(name)} ${sql.id(inner)}
        where ${sql.ref(`${inner}.name`)} = ${sql.ref(`${alias}.reference_name`)} and ${sameTenant(type, alias, target, inner)}
        and ${grantSql(grantFor(context.standing, target, 'read'), target, inner, context)}))`
    }),
  )
}

/** Rows of `alias` that are attached to a document of the doctype which the caller may read (or write). */
function attachedSql(
  may: 'read' | 'write',
  doctype: string,
  alias: string,
  inner: string,
  context: RuleContext,
): RawBuilder<SqlBool> {
  const target = context.typeByName(doctype)
  if (!target) return never
  const { standing } = context
  const grants = [grantSql(grantFor(standing, target, may), target, inner, context)]
  if (typeof target.tenant === 'object' && target.tenant.kind === 'user') {
    const self = grantSql(target.permissions.Self?.[may] ?? false, target, inner, context)
    grants.push(allOf([sql`${sql.ref(`${inner}.${target.tenant.field}`)} = ${standing.session.user}`, self]))
  }
  return sql<SqlBool>`(${sql.ref(`${alias}.attached_to_doctype`)} = ${doctype} and exists (
    select 1 from ${tableRef(doctype)} ${sql.id(inner)} where ${sql.ref(`${inner}.name`)} = ${sql.ref(`${alias}.attached_to_name`)}
    and ${tenantSql(target, inner, standing)} and ${anyOf(grants)}))`
}

function isTriple(rule: Rule): rule is FilterTriple {
  return Array.isArray(rule)
}

function linkedType(type: Doctype, link: string, context: RuleContext): Doctype {
  const field = type.fields[link]
  const target = field?.fieldtype === 'Link' ? context.typeByName(field.options as string) : null
  if (!target) throw new Error(`The rule of ${type.name} names ${link}, which links nothing.`)
  return target
}

/** Rules never cross organizations. */
function sameTenant(a: Doctype, aliasA: string, b: Doctype, aliasB: string): RawBuilder<SqlBool> {
  const fieldA = tenantField(a)
  const fieldB = tenantField(b)
  if (!fieldA || !fieldB) return always
  return sql`${sql.ref(`${aliasA}.${fieldA}`)} = ${sql.ref(`${aliasB}.${fieldB}`)}`
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

/**
 * Rows of a doctype that exist for the caller at all, before his role's row rule. Everything outside answers like a
 * missing document.
 */
export function tenantSql(type: Doctype, alias: string, standing: Standing): RawBuilder<SqlBool> {
  const { session, organization } = standing
  const everywhere = standing.roles.includes('Platform Admin') && !isMember(standing)
  if (typeof type.tenant === 'string') {
    if (everywhere) return always
    return isMember(standing) ? sql`${sql.ref(`${alias}.${type.tenant}`)} = ${organization}` : never
  }
  if (type.tenant.kind === 'organization') {
    if (everywhere) return always
    // One organization at a time: the role in the chosen one must not open fields of the caller's others.
    return isMember(standing) ? sql`${sql.ref(`${alias}.name`)} = ${organization}` : never
  }
  if (type.tenant.kind === 'attachment') return attachmentTenantSql(type.tenant.organization, alias, standing)
  if (type.tenant.kind === 'user') {
    if (standing.roles.includes('Platform Admin')) return always
    const own = sql<SqlBool>`${sql.ref(`${alias}.${type.tenant.field}`)} = ${session.user}`
    const colleagues = isMember(standing) && standing.roles.some((role) => type.permissions[role]?.read)
    if (!colleagues) return own
    return sql`(${own} or exists (select 1 from ${tableRef('Organization Member')} m
      where m.parent = ${organization} and m."user" = ${sql.ref(`${alias}.${type.tenant.field}`)}))`
  }
  // The platform's own: only who is named in the description, and there is one row for all organizations.
  return grantFor(standing, type, 'read') === false ? never : always
}

/** Attachments of the chosen organization, and the personal ones of the caller and of colleagues there. Platform admins have no more. */
function attachmentTenantSql(field: string, alias: string, standing: Standing): RawBuilder<SqlBool> {
  const { session, organization } = standing
  const ofOrganization = sql.ref(`${alias}.${field}`)
  const person = sql.ref(`${alias}.attached_to_name`)
  const mine = sql<SqlBool>`(${sql.ref(`${alias}.owner`)} = ${session.user}
    or (${sql.ref(`${alias}.attached_to_doctype`)} = 'User' and ${person} = ${session.user}))`
  if (!isMember(standing)) return sql`(${ofOrganization} is null and ${mine})`
  const colleagues = sql<SqlBool>`(${sql.ref(`${alias}.attached_to_doctype`)} = 'User' and exists (
    select 1 from ${tableRef('Organization Member')} m where m.parent = ${organization} and m."user" = ${person}))`
  return sql`(${ofOrganization} = ${organization} or (${ofOrganization} is null and (${mine} or ${colleagues})))`
}
