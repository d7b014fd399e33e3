import type { Doc, Doctype, FilterTriple } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { isDerived, type Column, type Readable } from './columns.ts'
import { allOf, anyOf, conditionSql, safePattern } from './filter-sql.ts'
import { describedInRows } from './described-values.ts'
import {
  maxConditions,
  parseAlternatives,
  parseFilters,
  tooManyConditions,
  type Condition,
  type FilterContext,
} from './filters.ts'
import { grantSql, tenantSql, type RuleContext } from '../permissions/rule-sql.ts'
import {
  accessContextIn,
  grantFor,
  isMember,
  listAccessContext,
  mayReadField,
  type AccessContext,
} from '../permissions/gate.ts'
import { notPermitted, rejectGuest } from '../permissions/access-errors.ts'
import { canBeTooLarge, listError, withSizeLimit } from './list-size.ts'
import { derivedConditionSql, derivedSql } from './derived-fields.ts'
import { hasPersonalSql, personalSql } from '../store/personal.ts'
import { tableRef } from '../store/schema.ts'
import { elsewhereSql } from '../store/stored-elsewhere.ts'
import { alsoInSearchText, indexedColumns } from '../store/search-index.ts'
import {
  checkGrouping,
  defaultOrder,
  isGroupedByName,
  parseFields,
  parseGroupBy,
  parseLimit,
  parseOrderBy,
  parseStart,
  type Selected,
} from './select.ts'
import type { ListQuery } from '#server/contracts/documents.ts'
import { secondFactorNeeded, type Session } from '#server/contracts/session.ts'
import type { ColumnName, Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/** Context of a list request: the caller's roles and the rows visible to them. */
export interface ListScope<D extends Doctype = Doctype> {
  readonly type: D
  readonly accessContext: AccessContext
  readonly rows: RawBuilder<SqlBool>
  readonly filterContext: FilterContext
  readonly ruleContext: RuleContext
}

/**
 * Scope of a caller's lists of a doctype. Throws `forbidden` for guests, for tokens without the scope, and if no role allows
 * reading any row.
 */
export async function listScope<D extends Doctype>(
  db: Db,
  session: Session,
  type: D,
  typeByName: TypeByName,
): Promise<ListScope<D>> {
  rejectGuest(session, type, 'read')
  const found = await accessContextIn(db, session, session.organization)
  const accessContext = listAccessContext(found, type)
  const ruleContext: RuleContext = { accessContext, typeByName }
  const grant = grantFor(accessContext, type, 'read')
  if (grant === false) throw session.needsSecondFactor ? secondFactorNeeded() : notPermitted(type, 'read')
  const rows = allOf([tenantSql(type, 't', listedTenant(accessContext, type)), grantSql(grant, type, 't', ruleContext)])
  const readable: Readable = (of, field) => mayReadField(of === type ? accessContext : found, of, field)
  return { type, accessContext, rows, ruleContext, filterContext: { type, typeByName, readable } }
}

/**
 * Roles that decide whose rows a list contains. In an organization, a platform admin lists its people, as with every other
 * document; accounts of the whole installation are listed by `easydash.api.platform.users`, or from outside of organizations.
 */
function listedTenant(accessContext: AccessContext, type: Doctype): AccessContext {
  if (type.tenant.kind !== 'user' || !isMember(accessContext)) return accessContext
  return { ...accessContext, roles: accessContext.roles.filter((role) => role !== 'Platform Admin') }
}

/** SQL of a column: of the row itself, or of the linked document if the caller can read it in the same organization. */
export function columnSql(column: Column, scope: Pick<ListScope, 'type' | 'ruleContext'>): RawBuilder<unknown> {
  const valueOf = (type: Doctype, alias: string) =>
    isDerived(type, column.name)
      ? derivedSql(type, column.name, alias)
      : column.field.personal
        ? personalSql(type, column.name, alias, scope.ruleContext.accessContext.session)
        : column.field.stored_in
          ? sql.raw(elsewhereSql(column.name, column.field.stored_in, alias))
          : sql.ref(`${alias}.${column.name}`)
  if (!column.link) return valueOf(scope.type, 't')
  const { name, type } = column.link
  const { accessContext } = scope.ruleContext
  const readable = allOf([
    tenantSql(type, 'l', accessContext),
    grantSql(grantFor(accessContext, type, 'read'), type, 'l', scope.ruleContext),
  ])
  return sql`(select ${valueOf(type, 'l')} from ${tableRef(type.name)} l where ${sql.ref('l.name')} = ${sql.ref(`t.${name}`)} and ${readable})`
}

/** Runs part of a request; errors name the parameter unless they already name a field. */
function namingParameter<T>(parameter: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof AppError) || error.field !== undefined) throw error
    throw new AppError(error.code, error.localized, {
      field: parameter,
      cause: error,
      ...(error.excType === undefined ? {} : { excType: error.excType }),
    })
  }
}

/** The request's filters as SQL, including the caller's scope. */
export function whereSql(query: Pick<ListQuery, 'filters' | 'or_filters'>, scope: ListScope): RawBuilder<SqlBool> {
  return conditionsSql(conditionsOf(query, scope), scope)
}

/** Conditions of a request: all of `all`, and one of each group of `any`. */
export interface Conditions {
  readonly all: readonly Condition[]
  readonly any: readonly (readonly Condition[])[]
}

/** The request's filters. The limit on conditions applies to both kinds together. */
export function conditionsOf(query: Pick<ListQuery, 'filters' | 'or_filters'>, scope: ListScope): Conditions {
  const all = namingParameter('filters', () => parseFilters(query.filters, scope.filterContext))
  const any = namingParameter('or_filters', () => parseAlternatives(query.or_filters, scope.filterContext))
  if (all.length + any.flat().length > maxConditions) throw tooManyConditions()
  return { all, any }
}

/** Conditions as SQL, including the caller's scope. */
export function conditionsSql({ all, any }: Conditions, scope: ListScope): RawBuilder<SqlBool> {
  const one = (condition: Condition) =>
    hasPersonalValue(condition, scope) ??
    derivedConditionSql(scope.type, condition) ??
    conditionSql(condition, columnSql(condition.column, scope))
  const groups = [...all.map((condition) => [condition]), ...any].map((group) => {
    const matches = anyOf(group.map(one))
    const patterns = searchedPatterns(group, scope.type)
    return patterns === null ? matches : alsoInSearchText(scope.type, patterns, matches)
  })
  return allOf([scope.rows, ...groups])
}

/** A condition that a personal field is set; without a value computed for each row, which no index could serve. */
function hasPersonalValue({ operator, value, column }: Condition, scope: ListScope): RawBuilder<SqlBool> | null {
  if (!column.field.personal || column.link || operator !== '=' || Number(value) !== 1) return null
  return hasPersonalSql(scope.type, column.name, 't', scope.ruleContext.accessContext.session)
}

/** The patterns of conditions of which one must match; null unless each looks for a text in columns with a search index. */
function searchedPatterns(conditions: readonly Condition[], type: Doctype): string[] | null {
  const columns = indexedColumns(type)
  const patterns = conditions.map(({ operator, value, column }) =>
    operator === 'like' && !column.link && columns.includes(column.name) ? safePattern(String(value)) : '',
  )
  return patterns.length > 0 && patterns.every((one) => /[^%]/.test(one)) ? patterns : null
}

/** Columns to group by for `distinct`. A row with its name is unique, so there is nothing to group. */
function distinctColumns(selected: readonly Selected[]): Column[] {
  const columns = selected.flatMap(({ aggregate, column }) => (aggregate || !column ? [] : [column]))
  return columns.some(({ name, link }) => name === 'name' && !link) ? [] : columns
}

type ColumnSql = (column: Column) => RawBuilder<unknown>

function selectedSql(entry: Selected, columnOf: ColumnSql): RawBuilder<unknown> {
  if (!entry.aggregate) return columnOf(entry.column)
  if (!entry.column) return sql`count(*)`
  return sql`${sql.raw(entry.aggregate)}(${columnOf(entry.column)})`
}

/**
 * Columns of a grouped list. Values of other documents, personal and derived values are joined to the row first, because PostgreSQL
 * can group by a column but not by a subquery on an ungrouped one.
 */
function joinedColumns(
  columns: readonly Column[],
  scope: ListScope,
): { columnOf: ColumnSql; joins: RawBuilder<unknown> } {
  const keyOfColumn = ({ name, link }: Column) => `${link?.name}.${name}`
  const lookedUpColumns = columns.filter(
    ({ link, field, name }) =>
      link !== undefined || field.personal === true || field.stored_in !== undefined || isDerived(scope.type, name),
  )
  const linked = [...new Map(lookedUpColumns.map((column) => [keyOfColumn(column), column]))]
  const aliases = new Map(linked.map(([key], at) => [key, `j${at}`]))
  return {
    columnOf: (column) => {
      const alias = aliases.get(keyOfColumn(column))
      return alias === undefined ? columnSql(column, scope) : sql.ref(`${alias}.v`)
    },
    joins: sql.join(
      linked.map(
        ([, column], at) => sql`cross join lateral (select ${columnSql(column, scope)} as v) ${sql.id(`j${at}`)}`,
      ),
      sql` `,
    ),
  }
}

/** Maximum number of rows of a list request. */
const pageRows = 500

/**
 * All rows of a list, oldest first, without a limit; for internal responses without pages. Fields that the caller can't
 * read would be missing.
 */
export async function listAllRows<D extends Doctype, F extends ColumnName<D>>(
  db: Db,
  query: { fields: readonly F[]; filters: readonly FilterTriple[] },
  scope: ListScope<D>,
): Promise<Pick<Doc<D>, F>[]> {
  const found: Record<string, unknown>[] = []
  for (;;) {
    const page = { order_by: 'creation asc, name asc', limit_start: found.length, limit: pageRows }
    const rows = await listRows(db, { ...query, ...page }, scope)
    found.push(...rows)
    if (rows.length < pageRows) return found as Pick<Doc<D>, F>[]
  }
}

/** Rows of a list request; the keys are in the order of its fields. */
export async function listRows(db: Db, query: ListQuery, scope: ListScope): Promise<Record<string, unknown>[]> {
  const context = scope.filterContext
  const selected = namingParameter('fields', () => parseFields(query.fields, context))
  const groupBy = namingParameter('group_by', () => parseGroupBy(query.group_by, context))
  const requested = namingParameter('order_by', () => parseOrderBy(query.order_by, context, selected))
  if (query.distinct && groupBy.length === 0) groupBy.push(...distinctColumns(selected))
  const grouped = groupBy.length > 0 || selected.some((entry) => entry.aggregate)
  const order =
    requested.length > 0 || (grouped && !isGroupedByName(groupBy))
      ? requested
      : parseOrderBy(defaultOrder(scope.type), { ...context, readable: null }, selected)
  namingParameter('group_by', () => checkGrouping(selected, groupBy, order))
  const described = describedInRows(selected, scope.ruleContext)

  const used = [...selected, ...order].flatMap(({ column }) => (column ? [column] : []))
  const { columnOf, joins } = joinedColumns(grouped && !isGroupedByName(groupBy) ? [...used, ...groupBy] : [], scope)
  const terms = order.map((term) =>
    term.column
      ? sql`${columnOf(term.column)} ${sql.raw(term.direction)}`
      : sql`${sql.id(keyOf(selected, term.alias))} ${sql.raw(term.direction)}`,
  )
  if (grouped) terms.push(...groupBy.map((column) => sql`${columnOf(column)} asc`))
  // The name breaks ties in the direction of the last key, so that one index serves both directions.
  else if (!order.some((term) => term.column?.name === 'name' && !term.column.link)) {
    terms.push(sql`${sql.ref('t.name')} ${sql.raw(order.at(-1)?.direction ?? 'asc')}`)
  }
  const columns = [
    ...selected.map((entry, at) => sql`${selectedSql(entry, columnOf)} as ${sql.id(`c${at}`)}`),
    ...described.sources.map((source, at) => sql`${source} as ${sql.id(`d${at}`)}`),
  ]
  const groups =
    groupBy.length > 0 ? sql`group by ${sql.join([...groupBy.map(columnOf), ...described.sources])}` : sql``
  const ordering = terms.length > 0 ? sql`order by ${sql.join(terms)}` : sql``
  const limit = parseLimit(query.limit)
  const rows = sql<Record<string, unknown>>`select ${sql.join(columns)} from ${tableRef(scope.type.name)} t ${joins}
    where ${allOf([whereSql(query, scope), afterSql(query)])} ${groups} ${ordering} limit ${limit} offset ${parseStart(query.limit_start)}`
  const found = await (canBeTooLarge(selected, limit) ? withSizeLimit(rows) : rows)
    .execute(db)
    .catch((error: unknown) => {
      throw listError(error)
    })
  return found.rows.map((row) =>
    Object.fromEntries(selected.map((entry, at) => [entry.key, described.valueOf(row, at)])),
  )
}

/** Condition for a page that follows another one, without counting its rows. */
function afterSql({ after }: ListQuery): RawBuilder<SqlBool> {
  return after ? sql`(t.creation, t.name) < (${after.creation}, ${after.name})` : sql`true`
}

/** Output column of a sort alias. */
function keyOf(selected: readonly Selected[], alias: string): string {
  return `c${selected.findIndex((entry) => entry.key === alias)}`
}
