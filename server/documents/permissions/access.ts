import { childFields, fieldLabel, type Action, type AnyDoc, type Doctype, type Grant } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { sql, type RawBuilder } from 'kysely'
import { grantSql, tenantSql, type RuleContext } from './rule-sql.ts'
import {
  actionGrant,
  fieldWrite,
  grantFor,
  isMember,
  mayReadField,
  organizationOf,
  accessContextFrom,
  accessContextIn,
  membershipSql,
  organizationSql,
  type Operation,
  type AccessContext,
} from './gate.ts'
import { actingAsMember, endsRights, lockFor, lockOwn, lockTarget, membersOf, type LockTarget } from '../store/locks.ts'
import { referenceOf } from '../store/reference.ts'
import { DeniedError, notFoundError, rejectGuest } from './access-errors.ts'
import { personalFieldsSql } from '../store/personal.ts'
import { readChildren, readRowWith } from '../store/rows.ts'
import { columnFields, tableRef } from '../store/schema.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { coerce, documentValue, isMask } from '../store/values.ts'
import { sameValue } from '#shared/same-value.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/** A caller, and the database handle on which their request runs. */
export interface CallerContext {
  /** A transaction, if documents are locked or written. */
  readonly db: Db
  readonly session: Session
  readonly typeByName: TypeByName
}

/** A document visible to the caller, with their roles for it. */
export interface LoadedDocument {
  readonly doc: AnyDoc
  readonly accessContext: AccessContext
  /** Whether the document's row is locked. */
  readonly locked: boolean
  /** The personal fields that the caller has set. */
  readonly personal: readonly string[]
}

/** How to lock a document for an action: with the users whose rights the action changes (`usersChangedBy`). */
export type LockRequest = boolean | { changes: (target: LockTarget) => Promise<readonly string[]> }

/**
 * Loads a document for an operation. Throws not_found if it doesn't exist in the caller's organization, and DeniedError if
 * it is visible but the operation isn't allowed. `lock` locks the document and everything before it in the lock order
 * (`store/locks.ts`); this requires a transaction. `withoutChildren` leaves out the rows of its tables, on which no
 * permission depends.
 */
export async function loadFor(
  caller: CallerContext,
  type: Doctype,
  name: string,
  operation: Operation,
  options: { lock?: LockRequest; withoutChildren?: boolean } = {},
): Promise<LoadedDocument> {
  const { db, session, typeByName } = caller
  rejectGuest(session, type, operation)
  const isName = typeof name === 'string' && !name.includes('\0') && name.isWellFormed() && name.length <= 300
  const { lock = false } = options
  const extra = sql`json_build_object('membership', ${membershipSql(session, accessOrganizationSql(type, session))},
    'personal', ${personalFieldsSql(type, session)})`
  const within = { organization: session.organization }
  const isOwn = isName && lock === true && (await lockOwn(db, session, type, name, operation === 'delete'))
  let found = isOwn ? await readRowWith(db, type, name, { lock: true, ...within }, extra) : null
  let locked = found !== null
  // Documents of other organizations are a platform admin's alone.
  if (!found && isName && (!isOwn || session.platformAdmin)) {
    locked = lock !== false && (await lockBefore(caller, type, name, operation, lock))
    // Nobody but a platform admin waits for, or holds up, what is going on in another organization.
    found = await readRowWith(
      db,
      type,
      name,
      { lock: locked, ...(locked && !session.platformAdmin ? within : {}) },
      extra,
    )
  }
  if (!found) throw notFoundError(type, String(name))
  const { doc } = found
  if (!options.withoutChildren) await readChildren(db, type, [doc], typeByName)
  const { membership, personal } = found.extra as { membership: unknown; personal: readonly string[] | null }
  const own = accessContextFrom(session, accessOrganization(type, doc, session), membership)
  const accessContext = await accessContextToDoc(db, own, type, doc)
  if (!accessContext) throw notFoundError(type, name)
  if (locked && own.organization !== null && isMember(own)) actingAsMember(db, own.organization, session.user)
  const context: RuleContext = { accessContext, typeByName }
  if (!(await grantApplies(db, grantFor(accessContext, type, operation), type, doc, context)))
    throw new DeniedError(referenceOf(type, doc), operation)
  return { doc, accessContext, locked, personal: personal ?? [] }
}

/**
 * Locks what comes before the document in the lock order. Returns false if there is nothing the caller could act on: callers
 * can't block users of another organization, and can block colleagues only if they are allowed to perform the operation.
 */
async function lockBefore(
  caller: CallerContext,
  type: Doctype,
  name: string,
  operation: Operation,
  lock: LockRequest,
): Promise<boolean> {
  const { db, session } = caller
  const ends = endsRights(type, operation === 'delete')
  const target = await lockTarget(db, session, type, name)
  if (!target || (target.organization !== session.organization && !session.platformAdmin)) return false
  const named = typeof lock === 'object' ? await lock.changes(target) : []
  const changed = [...named, ...(target.user === null ? [] : [target.user]), ...(ends ? await membersOf(db, name) : [])]
  if (changed.length > 0) await loadFor(caller, type, name, operation)
  await lockFor(db, session, type, target.organization, changed)
  return true
}

/** The organization in which the caller's roles for a document are looked up. */
const accessOrganization = (type: Doctype, doc: AnyDoc, session: Session): string | null =>
  type.tenant.kind === 'attachment' ? session.organization : organizationOf(type, doc, session)

/** The same for the row of alias `t`, as SQL. */
const accessOrganizationSql = (type: Doctype, session: Session): RawBuilder<unknown> =>
  type.tenant.kind === 'attachment' ? sql`${session.organization}::text` : organizationSql(type, session)

/** The caller's roles for a document; null if it isn't visible to them. */
export async function accessContextFor(
  db: Db,
  session: Session,
  type: Doctype,
  doc: AnyDoc,
): Promise<AccessContext | null> {
  const own = await accessContextIn(db, session, accessOrganization(type, doc, session))
  return accessContextToDoc(db, own, type, doc)
}

/** The same, given the caller's roles in the organization in which they are looked up for this document. */
export async function accessContextToDoc(
  db: Db,
  accessContext: AccessContext,
  type: Doctype,
  doc: AnyDoc,
): Promise<AccessContext | null> {
  const { session, organization } = accessContext
  if (type.tenant.kind === 'attachment') {
    const here = accessContext
    const found = await sql`select 1 from ${tableRef(type.name)} t where t.name = ${doc.name}
      and ${tenantSql(type, 't', here)}`.execute(db)
    if (found.rows.length === 0) return null
    return doc.owner === session.user ? { ...here, roles: [...here.roles, 'Self'] } : here
  }
  const platform = accessContext.roles.includes('Platform Admin')
  // Like its documents, an organization is visible only while it is the selected one (the organization switcher gets names
  // through a method).
  if (type.tenant.kind === 'link' || type.tenant.kind === 'organization') {
    if (organization === null) return platform ? accessContext : null
    const here = isMember(accessContext) && organization === session.organization
    return here || platform ? accessContext : null
  }
  if (type.tenant.kind === 'platform') return grantFor(accessContext, type, 'read') === false ? null : accessContext
  const user = doc[type.tenant.field]
  if (user === session.user) return { ...accessContext, roles: [...accessContext.roles, 'Self'] }
  if (platform) return accessContext
  if (!isMember(accessContext) || !accessContext.roles.some((role) => type.permissions[role]?.read)) return null
  const found =
    await sql`select 1 from ${tableRef('Organization Member')} m where m.parent = ${organization} and m."user" = ${user}`.execute(
      db,
    )
  return found.rows.length > 0 ? accessContext : null
}

/** Throws DeniedError unless the caller can run an action on a document that was loaded for them. */
export async function assertMayRun(
  { db, typeByName }: CallerContext,
  type: Doctype,
  { doc, accessContext }: LoadedDocument,
  { name, action }: { readonly name: string; readonly action: Action },
): Promise<void> {
  if (!(await grantApplies(db, actionGrant(accessContext, type, action), type, doc, { accessContext, typeByName })))
    throw new DeniedError(referenceOf(type, doc), name)
}

/** Whether a grant applies to a stored document. */
export async function grantApplies(
  db: Db,
  grant: Grant,
  type: Doctype,
  doc: AnyDoc,
  context: RuleContext,
): Promise<boolean> {
  if (typeof grant === 'boolean') return grant
  const found =
    await sql`select 1 from ${tableRef(type.name)} t where t.name = ${doc.name} and ${grantSql(grant, type, 't', context)}`.execute(
      db,
    )
  return found.rows.length > 0
}

/** Whether a create grant applies to a document that isn't stored yet. */
export async function grantAppliesToNew(
  db: Db,
  grant: Grant,
  type: Doctype,
  doc: Record<string, unknown>,
  context: RuleContext,
): Promise<boolean> {
  if (typeof grant === 'boolean') return grant
  const texts = columnFields(type).filter(([, field]) => ['Data', 'Select', 'Link'].includes(field.fieldtype))
  // Omitted fields get their defaults, so the rule is evaluated on those.
  const columns = texts.map(
    ([name, field]) => sql`cast(${doc[name] ?? field.default ?? null} as text) as ${sql.id(name)}`,
  )
  const row = sql.join([
    sql`cast(null as text) as name`,
    sql`cast(${context.accessContext.session.user} as text) as owner`,
    // Child rows are checked against their future parent document; if none is given, against the caller's own.
    ...(type.is_child ? [sql`cast(${doc['parent'] ?? ownParent(type, context)} as text) as parent`] : []),
    ...columns,
  ])
  const found = await sql`select 1 from (select ${row}) t where ${grantSql(grant, type, 't', context)}`.execute(db)
  return found.rows.length > 0
}

const ownParent = (type: Doctype, { accessContext }: RuleContext) =>
  type.tenant.kind === 'user' ? accessContext.session.user : null

/**
 * A document as returned to the caller: only readable fields, no hidden ones. Secrets are already masked when the row is
 * read.
 */
export function visibleDoc(doc: AnyDoc, accessContext: AccessContext, type: Doctype): AnyDoc {
  const { name, owner, creation, modified, modified_by, docstatus, idx } = doc
  const shown: AnyDoc = { doctype: type.name, name, owner, creation, modified, modified_by, docstatus, idx }
  if (type.is_child) for (const field of childFields) shown[field] = doc[field]
  for (const field of Object.keys(type.fields)) if (mayReadField(accessContext, type, field)) shown[field] = doc[field]
  return shown
}

/** Forms of Frappe send empty values and zeros for what nobody entered. */
const isSet = (raw: unknown): boolean => raw !== null && raw !== undefined && raw !== '' && Number(raw) !== 0

/**
 * The values a client actually changes: standard, unknown, server-owned and unchanged values are dropped. Fields the caller
 * can't write are rejected (403).
 */
export function writableValues(
  type: Doctype,
  accessContext: AccessContext,
  values: Record<string, unknown>,
  before: AnyDoc | null,
): Record<string, unknown> {
  const wanted: Record<string, unknown> = {}
  for (const [name, raw] of Object.entries(values)) {
    const isParent = type.is_child && before === null && ['parent', 'parentfield', 'parenttype'].includes(name)
    if (isParent && typeof raw === 'string') wanted[name] = raw
    const refusal = isSet(raw) ? type.refused?.[name] : undefined
    if (refusal !== undefined)
      throw new AppError('invalid', labelMessage(refusal), { field: name, excType: 'ValidationError' })
    const write = fieldWrite(accessContext, type, name, before === null)
    if (write === 'ignored') continue
    const field = type.fields[name]
    if (!field) continue
    if (field.secret && isMask(raw)) continue
    const value = documentValue(name, field, raw)
    const stored = before ? before[name] : (field.default ?? (field.fieldtype === 'Check' ? 0 : null))
    const echoes = sameValue(value, stored) || sameValue(coerce(name, field, raw), stored)
    const unchanged = field.secret ? value === null && (before?.[name] ?? null) === null : echoes
    if (unchanged) {
      if (before === null && value !== null) wanted[name] = value
      continue
    }
    if (before !== null && value === null && field.clear_roles?.some((role) => accessContext.roles.includes(role))) {
      wanted[name] = null
      continue
    }
    if (write === 'refused') {
      const message = msg`You cannot change ${labelMessage(fieldLabel(name, field))} of ${labelMessage(type.name)}.`
      if (before === null) throw new AppError('forbidden', message, { field: name })
      throw new DeniedError(referenceOf(type, before), 'write', { message, field: name })
    }
    if (before !== null && field.set_only_once) {
      throw new AppError('invalid', msg`${labelMessage(fieldLabel(name, field))} cannot be changed after creation.`, {
        field: name,
        excType: 'CannotChangeConstantError',
      })
    }
    wanted[name] = value
  }
  return wanted
}
