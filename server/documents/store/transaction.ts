import type { AnyDoc, Doc, Doctype, FilterTriple } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { sql, type RawBuilder } from 'kysely'
import { allOf, anyOf, conditionSql } from '../query/filter-sql.ts'
import { rememberEnded } from './tombstones.ts'
import { resolveColumn } from '../query/columns.ts'
import { parseFilters } from '../query/filters.ts'
import { givenFields, referenceOf, tenantOf } from './reference.ts'
import { lockRights } from './locks.ts'
import { missing } from '../permissions/access-errors.ts'
import { createKnownRows } from './known-rows.ts'
import {
  countRowsBy,
  databaseNow,
  deleteRow,
  deleteRows,
  emptyDoc,
  insertRow,
  newName,
  readColumns,
  readChildren,
  readDocs,
  readRow,
  updateRow,
  updateRows,
} from './rows.ts'
import { columnFields, tableFields, tableRef } from './schema.ts'
import { openSecret, sealSecrets, type Sealing } from './sealed-fields.ts'
import { parseOrderBy } from '../query/select.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type {
  ActivityEntry,
  ColumnName,
  DocOf,
  DoctypeRef,
  DocumentEvent,
  ListOptions,
  Trx,
  Tx,
  ValuesOf,
} from '#server/contracts/transaction.ts'
import { unlessDuplicate } from './unique-values.ts'
import { validateDocument } from './values.ts'
import { columnValues, givenValues, hookedValues, rowsOf, withoutRows } from './written-values.ts'
import { sameValue } from '#shared/same-value.ts'
import { bytesOfRow, type WrittenBytes } from './written-bytes.ts'

/** Dependencies of an open transaction. */
export interface TransactionEnvironment extends Sealing {
  readonly type: (name: string) => Doctype
  readonly typeByName: (name: string) => Doctype | null
  readonly controllers: (doctype: string) => readonly Controller[]
}

/** A transaction with its recorded events and activity entries, to be published after commit. */
export interface OpenTransaction extends Tx {
  /** The connection for statements of the store itself; `trx` is for everything else (`known-rows.ts`). */
  readonly connection: Trx
  /** Keeps a document loaded with its lock, so that writing it doesn't read it again. */
  keep(type: Doctype, doc: AnyDoc): void
  readonly events: DocumentEvent[]
  readonly activities: ActivityEntry[]
  readonly afterCommitFns: (() => void | Promise<void>)[]
}

/** Casts a document to the type of its description, which defined its table and validated its values. */
const typed = <D extends DoctypeRef>(doc: AnyDoc) => doc as DocOf<D>

/** Opens internal access on a running transaction. */
export function openTransaction(
  trx: Trx,
  session: Session,
  environment: TransactionEnvironment,
  written: WrittenBytes,
): OpenTransaction {
  const { typeByName, controllers } = environment
  const typeOf = (doctype: DoctypeRef) => environment.type(typeof doctype === 'string' ? doctype : doctype.name)
  const events: DocumentEvent[] = []
  const activities: ActivityEntry[] = []
  const afterCommitFns: (() => void | Promise<void>)[] = []
  const known = createKnownRows()

  const conditionsOf = (type: Doctype, filters: readonly FilterTriple[]) =>
    parseFilters(filters, { type, typeByName, readable: null }).map((one) =>
      conditionSql(one, sql.ref(`t.${one.column.name}`)),
    )
  const conditions = (type: Doctype, filters: readonly FilterTriple[]) => allOf(conditionsOf(type, filters))

  /** All of the filters, and one of `or_filters` if there are any. */
  const matching = (type: Doctype, filters: readonly FilterTriple[], { or_filters = [] }: ListOptions) =>
    allOf([...conditionsOf(type, filters), ...(or_filters.length > 0 ? [anyOf(conditionsOf(type, or_filters))] : [])])

  /** Order and page of a list. */
  function tailOf(type: Doctype, { order_by = 'creation', limit, limit_start }: ListOptions): RawBuilder<unknown> {
    const order = parseOrderBy(order_by, { type, typeByName, readable: null }, [])
    const terms = order.map((term) => sql`${sql.ref(`t.${term.column?.name}`)} ${sql.raw(term.direction)}`)
    return sql`order by ${sql.join([...terms, sql`t.name`])} ${limit ? sql`limit ${limit}` : sql``}
      ${limit_start ? sql`offset ${limit_start}` : sql``}`
  }

  const changed = (kind: DocumentEvent['kind'], type: Doctype, doc: AnyDoc) =>
    events.push({
      kind,
      doctype: type.name,
      name: doc.name,
      organization: tenantOf(type, doc),
      user: session.user,
      modified: doc.modified,
    })

  /** Waits for running operations that use the rights the document grants, unless the caller has already done so. */
  async function lockRightsOf(type: Doctype, doc: AnyDoc): Promise<void> {
    const user = type.rights_of ? doc[type.rights_of] : null
    if (typeof user === 'string') await lockRights(trx, tenantOf(type, doc), new Map([[user, 'change']]))
  }

  /** A stored document; null if there is none. Its row is read unless this transaction has it already. */
  async function storedDoc(type: Doctype, name: string, options: { lock?: boolean } = {}): Promise<AnyDoc | null> {
    const doc = known.get(type, name) ?? (await readRow(trx, type, name, options))
    if (!doc) return null
    if (options.lock) known.keep(type, doc)
    await readChildren(trx, type, [doc], typeByName)
    return doc
  }

  /** The stored document, locked for this transaction, after locking the user to whom it grants rights. */
  async function lockedDoc(type: Doctype, name: string, withRights = true): Promise<AnyDoc> {
    const found = withRights && type.rights_of ? await storedDoc(type, name) : null
    if (found) await lockRightsOf(type, found)
    const doc = await storedDoc(type, name, { lock: true })
    if (!doc) throw missing(type, name)
    return doc
  }

  /** Makes the stored child rows of a Table field match the given ones; rows are matched by name. */
  async function writeChildren(
    type: Doctype,
    doc: AnyDoc,
    field: string,
    rows: readonly Record<string, unknown>[],
  ): Promise<void> {
    const child = typeOf(type.fields[field]?.options as string)
    const stored = await readDocs(
      trx,
      child,
      sql`t.parent = ${doc.name} and t.parentfield = ${field}`,
      sql`order by t.idx`,
      typeByName,
    )
    const kept = new Set<string>()
    for (const [at, row] of rows.entries()) {
      const values = { ...row, parent: doc.name, parentfield: field, parenttype: type.name, idx: at + 1 }
      const known = stored.find((one) => one.name === row.name)
      if (known) {
        kept.add(known.name)
        await tx.update(child.name, known.name, values, { activity: false })
      } else kept.add((await tx.insert(child.name, values, { activity: false })).name)
    }
    for (const row of stored) if (!kept.has(row.name)) await tx.delete(child.name, row.name, { activity: false })
  }

  const tx: OpenTransaction = {
    get trx() {
      known.close()
      return trx
    },
    connection: trx,
    keep: known.keep,
    session,
    events,
    activities,
    afterCommitFns,

    async get<D extends DoctypeRef>(doctype: D, name: string, options = {}) {
      const doc = await storedDoc(typeOf(doctype), name, options)
      return doc && typed<D>(doc)
    },

    async find<D extends DoctypeRef>(doctype: D, filters: readonly FilterTriple[], options: { lock?: boolean } = {}) {
      const type = typeOf(doctype)
      const tail = sql`order by t.creation, t.name limit 1 ${options.lock ? sql`for update of t` : sql``}`
      const docs = await readDocs(trx, type, conditions(type, filters), tail, typeByName)
      return docs[0] ? typed<D>(docs[0]) : null
    },

    async list<D extends DoctypeRef>(doctype: D, filters: readonly FilterTriple[], options: ListOptions = {}) {
      const type = typeOf(doctype)
      const where = matching(type, filters, options)
      return (await readDocs(trx, type, where, tailOf(type, options), typeByName)).map((doc) => typed<D>(doc))
    },

    async listFields<D extends Doctype, F extends ColumnName<D>>(
      doctype: D,
      fields: readonly F[],
      filters: readonly FilterTriple[],
      options: ListOptions = {},
    ) {
      const type = typeOf(doctype)
      const columns = fields.map((field) => resolveColumn(field, type, typeByName, null).name)
      const rows = await readColumns(trx, type, columns, matching(type, filters, options), tailOf(type, options))
      return rows as Pick<Doc<D>, F>[]
    },

    async count(doctype, filters, options = {}) {
      const type = typeOf(doctype)
      const found = await sql<{
        n: number
      }>`select count(*) as n from ${tableRef(type.name)} t where ${matching(type, filters, options)}`.execute(trx)
      return Number(found.rows[0]?.n ?? 0)
    },

    async countBy(doctype, field, filters) {
      const type = typeOf(doctype)
      return countRowsBy(trx, type, field, conditions(type, filters))
    },

    async insert<D extends DoctypeRef>(
      doctype: D,
      values: ValuesOf<D> & Record<string, unknown>,
      options: { owner?: string; activity?: boolean } = {},
    ) {
      const type = typeOf(doctype)
      const now = await databaseNow(trx)
      const owner = options.owner ?? session.user
      const doc: AnyDoc = { ...emptyDoc(type), owner, modified_by: owner, creation: now, modified: now }
      if (type.is_child)
        Object.assign(doc, {
          parent: values.parent ?? null,
          parentfield: values.parentfield ?? null,
          parenttype: values.parenttype ?? null,
          idx: values.idx ?? 0,
        })
      Object.assign(doc, givenValues(type, values))
      await lockRightsOf(type, doc)
      const hooks = controllers(type.name)
      for (const hook of hooks) await hook.before_insert?.(doc, { session, tx })
      for (const hook of hooks) await hook.validate?.(doc, null, { session, tx })
      Object.assign(doc, hookedValues(type, doc))
      doc.name = type.naming === 'random' ? newName() : String(doc[type.naming.slice('field:'.length)] ?? '')
      if (type.naming !== 'random' && doc.name === '') validateDocument(type, doc)
      if (doc.name === '')
        throw new AppError('invalid', msg`${labelMessage(type.name)} needs a name.`, { excType: 'ValidationError' })
      const children = Object.fromEntries(tableFields(type).map(([name]) => [name, rowsOf(doc, name)]))
      const secrets = Object.fromEntries(
        columnFields(type)
          .filter(([, field]) => field.secret)
          .map(([name]) => [name, doc[name]]),
      )
      validateDocument(type, doc)
      const sealed = await sealSecrets(environment, type, doc, secrets)
      for (const hook of hooks) await hook.guard?.(doc, null, { session, tx })
      written.add(tenantOf(type, doc), bytesOfRow({ ...withoutRows(type, doc), ...sealed }))
      const made = await unlessDuplicate(type, doc, () => insertRow(trx, type, doc, sealed))
      if (made) known.keep(type, made)
      for (const [field, rows] of Object.entries(children))
        if (rows.length > 0) await writeChildren(type, doc, field, rows)
      for (const hook of hooks) await hook.after_insert?.(doc, { session, tx })
      const stored = await storedDoc(type, doc.name)
      if (!stored) throw missing(type, doc.name)
      // Values hooks add besides the fields (the started job) are included in the response.
      if (doc.job !== undefined && !Object.hasOwn(type.fields, 'job')) stored.job = doc.job
      changed('insert', type, stored)
      if (type.track_activity !== false && options.activity !== false) {
        activities.push({
          ...referenceOf(type, stored),
          action: `${type.name}.insert`,
          after: givenFields(type, stored),
        })
      }
      return typed<D>(stored)
    },

    async update<D extends DoctypeRef>(
      doctype: D,
      name: string,
      values: ValuesOf<D> & Record<string, unknown>,
      options: { activity?: boolean; hooks?: boolean; owner?: string } = {},
    ) {
      const type = typeOf(doctype)
      const before = await lockedDoc(type, name)
      const doc: AnyDoc = { ...before }
      Object.assign(doc, givenValues(type, values, before))
      if (type.is_child && 'idx' in values) doc.idx = Number(values.idx)
      if (options.owner !== undefined) doc.owner = options.owner
      const hooks = options.hooks === false ? [] : controllers(type.name)
      for (const hook of hooks) await hook.validate?.(doc, before, { session, tx })
      Object.assign(doc, hookedValues(type, doc, before))
      validateDocument(type, doc, before)
      const changes: Record<string, unknown> = {}
      for (const [key] of columnFields(type)) if (!sameValue(doc[key], before[key])) changes[key] = doc[key]
      if (doc.idx !== before.idx) changes.idx = doc.idx
      if (doc.owner !== before.owner) changes.owner = doc.owner
      const secrets = Object.fromEntries(Object.entries(changes).filter(([key]) => type.fields[key]?.secret))
      const childFields = tableFields(type)
        .filter(([key]) => key in values)
        .map(([key]) => key)
      if (Object.keys(changes).length === 0 && childFields.length === 0) return typed<D>(before)
      for (const hook of controllers(type.name)) await hook.guard?.(doc, before, { session, tx })
      const sealed = await sealSecrets(environment, type, doc, secrets)
      const stamp = { modified: await databaseNow(trx), modified_by: session.user }
      written.add(tenantOf(type, doc), bytesOfRow({ ...changes, ...sealed }))
      const saved = await unlessDuplicate(type, doc, () => updateRow(trx, type, name, { ...changes, ...stamp }, sealed))
      if (saved) known.keep(type, saved)
      for (const field of childFields) await writeChildren(type, doc, field, rowsOf(doc, field))
      Object.assign(doc, stamp)
      for (const hook of hooks) await hook.on_update?.(doc, before, { session, tx })
      const stored = await storedDoc(type, name)
      if (!stored) throw missing(type, name)
      changed('update', type, stored)
      if (type.track_activity !== false && options.activity !== false) {
        const keys = Object.keys(changes).filter((key) => key !== 'idx' && !type.fields[key]?.hidden)
        const image = (of: AnyDoc) => Object.fromEntries(keys.map((key) => [key, of[key] ?? null]))
        if (keys.length > 0)
          activities.push({
            ...referenceOf(type, stored),
            action: `${type.name}.update`,
            before: image(before),
            after: image(stored),
          })
      }
      return typed<D>(stored)
    },

    async updateColumns(doctype, name, values) {
      const type = typeOf(doctype)
      const saved = await updateRow(trx, type, name, columnValues(type, values))
      if (saved) known.keep(type, saved)
    },

    async updateWhere(doctype, filters, values) {
      const type = typeOf(doctype)
      const stamp = { modified: await databaseNow(trx), modified_by: session.user }
      const where = conditions(type, filters)
      const saved = await updateRows(trx, type, where, { ...columnValues(type, values), ...stamp })
      known.clear()
      for (const doc of saved) changed('update', type, doc)
    },

    async deleteWhere(doctype, filters) {
      const type = typeOf(doctype)
      await deleteRows(trx, type, conditions(type, filters))
      known.clear()
    },

    async delete(doctype, name, options = {}) {
      const type = typeOf(doctype)
      const doc = await lockedDoc(type, name, options.rights !== 'void')
      const hooks = controllers(type.name)
      for (const hook of hooks) await hook.before_delete?.(doc, { session, tx })
      await rememberEnded(trx, type, doc)
      await deleteRow(trx, type, name, typeByName)
      known.clear()
      for (const hook of hooks) await hook.after_delete?.(doc, { session, tx })
      changed('delete', type, doc)
      if (type.track_activity !== false && options.activity !== false) {
        activities.push({ ...referenceOf(type, doc), action: `${type.name}.delete`, before: givenFields(type, doc) })
      }
    },

    wrote(doctype, rows, kind = 'update') {
      const { name: of } = typeOf(doctype)
      for (const { name, organization, modified } of rows)
        events.push({ kind, doctype: of, name, organization, user: session.user, modified })
    },

    tell(user, doctype, { name, organization, modified }) {
      const { name: of } = typeOf(doctype)
      events.push({ kind: 'update', doctype: of, name, organization, user: session.user, modified, only: user })
    },

    async secret(doctype, name, field) {
      const type = typeOf(doctype)
      const doc = await storedDoc(type, name)
      return doc ? openSecret(environment, trx, type, doc, field) : null
    },

    async activity(entry) {
      activities.push(entry)
    },

    countBytes: (organization, bytes) => written.add(organization, bytes),

    afterCommit(fn) {
      afterCommitFns.push(fn)
    },
  }
  return tx
}
