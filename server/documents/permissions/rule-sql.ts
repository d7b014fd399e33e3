import { tenantField, type Doctype, type FilterTriple, type Grant, type Rule } from '#shared/doctype.ts'
import type { Role } from '#shared/fields.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { allOf, sqlTrue, anyOf, conditionSql, sqlFalse } from '../query/filter-sql.ts'
import { parseFilters } from '../query/filters.ts'
import { grantFor, isMember, type AccessContext } from './gate.ts'
import { tableRef } from '../store/schema.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/** Context for compiling a rule to SQL. */
export interface RuleContext {
  readonly accessContext: AccessContext
  readonly typeByName: TypeByName
  /**
   * Set when matching deleted documents: the alias `of` stands for the tombstone's document, the alias `shares` for the
   * users it was shared with.
   */
  readonly ended?: { readonly of: string; readonly shares: string }
}

/** Compiles a grant to SQL over the rows of `alias`. */
export function grantSql(grant: Grant, type: Doctype, alias: string, context: RuleContext): RawBuilder<SqlBool> {
  if (grant === true) return sqlTrue
  if (grant === false) return sqlFalse
  return ruleSql(grant, type, alias, context, 0)
}

function ruleSql(rule: Rule, type: Doctype, alias: string, context: RuleContext, depth: number): RawBuilder<SqlBool> {
  const inner = `${alias}_${depth + 1}`
  const { user } = context.accessContext.session
  if (isTriple(rule)) {
    const value = rule[2] === '$user' ? user : rule[2]
    const [condition] = parseFilters([[rule[0], rule[1], value]], {
      type,
      typeByName: context.typeByName,
      readable: null,
    })
    return condition ? conditionSql(condition, sql.ref(`${alias}.${condition.column.name}`)) : sqlFalse
  }
  if ('any' in rule) return anyOf(rule.any.map((part) => ruleSql(part, type, alias, context, depth)))
  if ('all' in rule) return allOf(rule.all.map((part) => ruleSql(part, type, alias, context, depth)))
  if ('shared' in rule) {
    if (context.ended?.of === alias)
      return sql`${sql.ref(`${context.ended.shares}.shares`)} -> ${rule.shared}::text ? ${user}`
    // An array instead of `exists`: PostgreSQL then looks up the names once and finds the rows by key, instead of testing
    // every row.
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
    if (!source) return sqlFalse
    return sql`exists (select 1 from ${tableRef(source.name)} ${sql.id(inner)} where ${sql.ref(`${inner}.${rule.linked_from.field}`)} = ${sql.ref(`${alias}.name`)}
      and ${sameTenant(type, alias, source, inner)} and ${ruleSql(rule.matches, source, inner, context, depth + 1)})`
  }
  if ('attached_to' in rule) {
    const targets = context.typeByName.types.filter((target) => target.attachments)
    return anyOf(targets.map((target) => attachedSql(rule.attached_to, target, alias, inner, context)))
  }
  return referenceSql(rule.readable_reference, alias, context)
}

/** Doctypes whose activity a role sees; all for `any`. */
export function activityOf(readers: Role | 'any', { types }: TypeByName): readonly Doctype[] {
  return readers === 'any' ? types : types.filter((type) => type.activity_readers?.includes(readers))
}

/**
 * Rows of `alias` that reference no document, or one the caller can read. If a role can read every document of a doctype, it
 * can also read about deleted ones; if a rule decides, it is evaluated on the tombstone of a deleted document
 * (`store/tombstones.ts`).
 */
function referenceSql(readers: Role | 'any', alias: string, context: RuleContext): RawBuilder<SqlBool> {
  const [doctype, name] = [sql.ref(`${alias}.reference_doctype`), sql.ref(`${alias}.reference_name`)]
  const parts: RawBuilder<SqlBool>[] = []
  const whole: string[] = []
  for (const target of activityOf(readers, context.typeByName)) {
    const grant = grantFor(context.accessContext, target, 'read')
    // Entries of the log and notifications are never about each other, so their rules would ask in circles.
    if (isAboutDocuments(grant)) continue
    if (grant === true) whole.push(target.name)
    // An array instead of `exists`: the documents are looked up once, then the entries by index.
    else if (grant !== false)
      parts.push(sql`(${doctype} = ${target.name} and ${name} = any(array(${readableNames(grant, target, context)})))`)
  }
  if (whole.length > 0) parts.push(sql`${doctype} = any(${whole}::text[])`)
  if (readers === 'any') parts.push(sql`${name} is null`)
  return anyOf(parts)
}

/** Whether a rule asks who can read the document that a row references. */
function isAboutDocuments(grant: Grant): boolean {
  if (typeof grant === 'boolean' || isTriple(grant)) return false
  const parts = 'any' in grant ? grant.any : 'all' in grant ? grant.all : []
  return 'readable_reference' in grant || parts.some((part) => isAboutDocuments(part))
}

/** Names of the documents a grant lets the caller read, including deleted ones; limited to `only` if given. */
export function readableNames(
  grant: Grant,
  target: Doctype,
  context: RuleContext,
  only: readonly string[] | null = null,
): RawBuilder<unknown> {
  const readable = (of: RuleContext) =>
    allOf([tenantSql(target, 'r', of.accessContext), grantSql(grant, target, 'r', of)])
  const isOne = (name: string) => (only === null ? sqlTrue : sql<SqlBool>`${sql.ref(name)} = any(${only}::text[])`)
  return sql`select r.name from ${tableRef(target.name)} r where ${allOf([isOne('r.name'), readable(context)])}
    union all select r.name from easydash_ended_document e
      cross join lateral jsonb_populate_record(null::${tableRef(target.name)}, e.doc) r
      where e.doctype = ${target.name}
      and ${allOf([isOne('e.name'), readable({ ...context, ended: { of: 'r', shares: 'e' } })])}`
}

/** Rows of `alias` attached to a document of the doctype that the caller can read (or write). */
function attachedSql(
  may: 'read' | 'write',
  target: Doctype,
  alias: string,
  inner: string,
  context: RuleContext,
): RawBuilder<SqlBool> {
  const { accessContext } = context
  const grants = [grantSql(grantFor(accessContext, target, may), target, inner, context)]
  if (target.tenant.kind === 'user') {
    const self = grantSql(target.permissions.Self?.[may] ?? false, target, inner, context)
    grants.push(allOf([sql`${sql.ref(`${inner}.${target.tenant.field}`)} = ${accessContext.session.user}`, self]))
  }
  return sql<SqlBool>`(${sql.ref(`${alias}.attached_to_doctype`)} = ${target.name} and exists (
    select 1 from ${tableRef(target.name)} ${sql.id(inner)} where ${sql.ref(`${inner}.name`)} = ${sql.ref(`${alias}.attached_to_name`)}
    and ${tenantSql(target, inner, accessContext)} and ${anyOf(grants)}))`
}

function isTriple(rule: Rule): rule is FilterTriple {
  return Array.isArray(rule)
}

function linkedType(type: Doctype, link: string, context: RuleContext): Doctype {
  const field = type.fields[link]
  const target = field?.fieldtype === 'Link' ? context.typeByName(field.options) : null
  if (!target) throw new Error(`The rule of ${type.name} names ${link}, which links nothing.`)
  return target
}

/** Rules never match across organizations. */
function sameTenant(a: Doctype, aliasA: string, b: Doctype, aliasB: string): RawBuilder<SqlBool> {
  const fieldA = tenantField(a)
  const fieldB = tenantField(b)
  if (!fieldA || !fieldB) return sqlTrue
  return sql`${sql.ref(`${aliasA}.${fieldA}`)} = ${sql.ref(`${aliasB}.${fieldB}`)}`
}

/**
 * Rows of a doctype that are visible to the caller at all, before the role's row rule. All others are treated as missing.
 */
export function tenantSql(type: Doctype, alias: string, accessContext: AccessContext): RawBuilder<SqlBool> {
  const { session, organization } = accessContext
  const isPlatformWide = accessContext.roles.includes('Platform Admin') && !isMember(accessContext)
  if (type.tenant.kind === 'link') {
    if (isPlatformWide) return sqlTrue
    return isMember(accessContext) ? sql`${sql.ref(`${alias}.${type.tenant.field}`)} = ${organization}` : sqlFalse
  }
  if (type.tenant.kind === 'organization') {
    if (isPlatformWide) return sqlTrue
    // One organization at a time: the role in the selected one must not expose fields of the caller's other organizations.
    return isMember(accessContext) ? sql`${sql.ref(`${alias}.name`)} = ${organization}` : sqlFalse
  }
  if (type.tenant.kind === 'attachment') return attachmentTenantSql(type.tenant.organization, alias, accessContext)
  if (type.tenant.kind === 'user') {
    if (accessContext.roles.includes('Platform Admin')) return sqlTrue
    const own = sql<SqlBool>`${sql.ref(`${alias}.${type.tenant.field}`)} = ${session.user}`
    const colleagues = isMember(accessContext) && accessContext.roles.some((role) => type.permissions[role]?.read)
    if (!colleagues) return own
    return sql`(${own} or exists (select 1 from ${tableRef('Organization Member')} m
      where m.parent = ${organization} and m."user" = ${sql.ref(`${alias}.${type.tenant.field}`)}))`
  }
  // Platform rows: visible only to roles with a read grant; there is one set of rows for all organizations.
  return grantFor(accessContext, type, 'read') === false ? sqlFalse : sqlTrue
}

/**
 * Attachments of the selected organization, plus personal ones of the caller and of colleagues there. Platform admins see no
 * more than that.
 */
function attachmentTenantSql(field: string, alias: string, accessContext: AccessContext): RawBuilder<SqlBool> {
  const { session, organization } = accessContext
  const ofOrganization = sql.ref(`${alias}.${field}`)
  const user = sql.ref(`${alias}.attached_to_name`)
  const mine = sql<SqlBool>`(${sql.ref(`${alias}.owner`)} = ${session.user}
    or (${sql.ref(`${alias}.attached_to_doctype`)} = 'User' and ${user} = ${session.user}))`
  if (!isMember(accessContext)) return sql`(${ofOrganization} is null and ${mine})`
  // A token acts in one organization and never accesses the user's personal files.
  if (session.kind === 'token') return sql`${ofOrganization} = ${organization}`
  const colleagues = sql<SqlBool>`(${sql.ref(`${alias}.attached_to_doctype`)} = 'User' and exists (
    select 1 from ${tableRef('Organization Member')} m where m.parent = ${organization} and m."user" = ${user}))`
  return sql`(${ofOrganization} = ${organization} or (${ofOrganization} is null and (${mine} or ${colleagues})))`
}
