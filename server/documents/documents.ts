import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { loadFor, present, writableValues } from './permissions/access.ts'
import { performAction } from './store/actions.ts'
import { activityTables, type Mask } from './activity/activity-log.ts'
import { createIn } from './store/creation.ts'
import { endedTables } from './store/tombstones.ts'
import { openDocumentEvents } from './events.ts'
import { withReadableValues } from './query/described-values.ts'
import { explainPermission } from './permissions/explain.ts'
import { checkLinks, assertNotLinked } from './permissions/links.ts'
import { listSizeFunction } from './query/list-size.ts'
import { countRows, listRows, listScope, searchRows } from './query/lists.ts'
import { createPermissionBits } from './permissions/permission-bits.ts'
import { readersAmong, readsOneOf } from './permissions/readers.ts'
import { isPersonalOnly, personalTables, personalValues, withPersonal, writePersonal } from './store/personal.ts'
import { refuseGuest } from './permissions/access-errors.ts'
import { createTransactions } from './store/run-transaction.ts'
import { addMissingSchema } from './store/schema.ts'
import type { Sealing } from './store/sealed-fields.ts'
import type { TransactionEnvironment } from './store/transaction.ts'
import { limitConcurrency } from './concurrency-limiter.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { OpenDocuments, ReadDoc } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { DoctypeRef, Trx, Tx } from '#server/contracts/transaction.ts'
import { validateDeclarations } from './startup-validation.ts'
import type { SpendBytes } from './store/written-bytes.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'

/** Dependencies of the document store. */
export interface DocumentsOptions {
  database: Database
  doctypes: readonly Doctype[]
  controllers: readonly Controller[]
  secrets: Sealing
  /** Masks secrets in before and after images of the activity log. */
  mask: Mask
  log: Log
  /** Limits how much users write. Default: no limit. */
  spendBytes?: SpendBytes
}

/** Creates the doctypes' tables and the store's own tables. Runs in the migration. */
export async function documentTables(trx: Trx, doctypes: readonly Doctype[]): Promise<void> {
  await addMissingSchema(trx, doctypes)
  await activityTables(trx)
  await listSizeFunction(trx)
  await personalTables(trx)
  await endedTables(trx)
}

/** Opens the document store. Startup fails if a declared action has no handler or a controller names an unknown doctype. */
export async function createDocuments(options: DocumentsOptions): Promise<OpenDocuments> {
  const { database, log, mask } = options
  const { db } = database
  const byName = new Map(options.doctypes.map((type) => [type.name, type]))
  const byDoctype = Map.groupBy(options.controllers, (controller) => controller.doctype)
  validateDeclarations(byName, byDoctype)

  const typeByName = typesByName(options.doctypes)
  const controllers = (name: string) => byDoctype.get(name) ?? []
  const typeOf = (name: string): Doctype => {
    const type = typeof name === 'string' ? byName.get(name) : undefined
    if (!type) throw new AppError('not_found', msg`DocType ${String(name).slice(0, 140)} not found`)
    return type
  }
  const environment: TransactionEnvironment = { type: typeOf, typeByName, controllers, ...options.secrets }
  const activityType = byName.get('Activity') ?? null
  const events = await openDocumentEvents(database, log)
  const transactions = createTransactions({
    ...{ db, environment, events, activityType, mask, log },
    spendBytes: options.spendBytes,
  })
  const bits = createPermissionBits(db, typeByName)

  const documents: OpenDocuments = {
    type: typeOf,

    async list(session, doctype, query) {
      const type = typeOf(doctype)
      return listRows(db, query, await listScope(db, session, type, typeByName))
    },

    async count(session, doctype, query) {
      const type = typeOf(doctype)
      return countRows(db, query, await listScope(db, session, type, typeByName))
    },

    async search(session, doctype, query) {
      const type = typeOf(doctype)
      return searchRows(db, query, await listScope(db, session, type, typeByName))
    },

    async get<D extends DoctypeRef>(session: Session, doctype: D, name: string) {
      const type = typeOf(typeof doctype === 'string' ? doctype : doctype.name)
      const { doc, accessContext } = await loadFor(db, session, type, name, 'read', typeByName)
      return withPersonal(
        db,
        session,
        type,
        withReadableValues(present(doc, accessContext, type), accessContext, type, typeByName),
      ) as Promise<ReadDoc<D>>
    },

    async insert(session, doctype, values) {
      const type = typeOf(doctype)
      return transactions.run(session, (tx) => createIn(tx, type, values, typeByName))
    },

    async insertMany(session, docs) {
      const typed = docs.map(({ doctype, values }) => ({ type: typeOf(doctype), values }))
      return transactions.run(session, async (tx) => {
        const made: AnyDoc[] = []
        for (const { type, values } of typed) made.push(await createIn(tx, type, values, typeByName))
        return made
      })
    },

    async save<D extends DoctypeRef>(session: Session, doctype: D, name: string, values: Record<string, unknown>) {
      const type = typeOf(typeof doctype === 'string' ? doctype : doctype.name)
      const own = personalValues(type, values)
      return transactions.run(session, async (tx): Promise<AnyDoc> => {
        if (isPersonalOnly(type, values)) {
          // Personal values aren't visible to others, so read permission is enough. Tokens still need the write scope.
          refuseGuest(session, type, 'write')
          const { doc, accessContext } = await loadFor(tx.connection, session, type, name, 'read', typeByName)
          await writePersonal(tx.connection, session, type, name, own)
          return withPersonal(tx.connection, session, type, present(doc, accessContext, type))
        }
        const loaded = await loadFor(tx.connection, session, type, name, 'write', typeByName, { lock: true })
        const { doc, accessContext } = loaded
        if (loaded.locked) tx.keep(type, doc)
        if (
          values.modified !== undefined &&
          values.modified !== null &&
          values.modified !== '' &&
          values.modified !== doc.modified
        ) {
          throw new AppError(
            'conflict',
            msg`The document has been changed since you opened it. Reload and try again.`,
            {
              field: 'modified',
              excType: 'TimestampMismatchError',
            },
          )
        }
        const wanted = writableValues(type, accessContext, values, doc)
        const tenant = tenantField(type) ? accessContext.organization : null
        await checkLinks(tx.connection, session, type, tenant, wanted, typeByName)
        const stored = Object.keys(wanted).length > 0 ? await tx.update(type.name, name, wanted) : doc
        await writePersonal(tx.connection, session, type, name, own)
        return withPersonal(tx.connection, session, type, present(stored, accessContext, type))
      }) as Promise<ReadDoc<D>>
    },

    async delete(session, doctype, name) {
      const type = typeOf(doctype)
      return transactions.run(session, async (tx) => {
        const { doc, locked } = await loadFor(tx.connection, session, type, name, 'delete', typeByName, { lock: true })
        if (locked) tx.keep(type, doc)
        for (const controller of controllers(doctype)) {
          if (controller.delete_request) return controller.delete_request(doc, { session, tx })
        }
        await assertNotLinked(tx.connection, options.doctypes, type, name)
        await tx.delete(doctype, name)
        return {}
      })
    },

    async runAction(session, doctype, name, action, args) {
      const type = typeOf(doctype)
      return transactions.run(session, async (tx) => {
        const started = performance.now()
        const { reference, result } = await performAction(
          tx,
          type,
          name,
          action,
          args,
          controllers(doctype),
          typeByName,
        )
        const { job, reads } = type.actions?.[action] ?? {}
        const entry = { ...reference, action: `${doctype}.${action}` }
        // Actions that start a job are recorded by the job when it ends. If a handler has already recorded its own entry,
        // only the duration is added.
        const logged = tx.activities.find((one) => one.action === entry.action && one.reference_name === name)
        const took = Math.round(performance.now() - started)
        if (logged) Object.assign(logged, { took_ms: logged.took_ms ?? took })
        else if (!job && !reads) await tx.activity({ ...entry, took_ms: took })
        return result
      })
    },

    async permissions(session, doctype, name) {
      return bits.of(session, typeOf(doctype), name)
    },

    async canRead(session, doctype, name) {
      const type = typeByName(doctype)
      return type ? bits.allowed(session, type, name, 'read') : false
    },

    async readers(sessions, document) {
      const type = typeByName(document.doctype)
      return type ? readersAmong({ db, bits, typeByName }, sessions, type, document) : new Set()
    },

    async readsOneOf(session, doctype, names) {
      const type = typeByName(doctype)
      return type ? readsOneOf({ db, bits, typeByName }, session, type, names) : false
    },

    explain: (session, question) => explainPermission({ db, type: typeOf, typeByName }, session, question),

    transaction: (session, fn) => transactions.run(session, fn as (tx: Tx) => ReturnType<typeof fn>),
    onEvent: events.on,
    async close() {
      try {
        await transactions.flush()
      } finally {
        await events.close()
      }
    },
  }

  return limitConcurrency(documents)
}

// What other rooms use of the engine besides its documents; they import this module only.
export { activityHash, platformChain, writeActivities } from './activity/activity-log.ts'
export { DeniedError } from './permissions/access-errors.ts'
export { loadFor } from './permissions/access.ts'
export { accessContextIn, isMember, organizationOf } from './permissions/gate.ts'
export { assertNotLinked } from './permissions/links.ts'
export { fieldOf, isQueryable } from './query/columns.ts'
export { type RequestOperator, parseFilters } from './query/filters.ts'
export { listAllRows, listScope } from './query/lists.ts'
export { parseOrderBy } from './query/select.ts'
export { neighborLengths, timespanNames } from './query/timespan.ts'
export { lockRights } from './store/locks.ts'
export { referenceOf } from './store/reference.ts'
export { newName } from './store/rows.ts'
export { columnNames, tableName, tableRef } from './store/schema.ts'
export { renameUserInTombstones, tombstoneSweep } from './store/tombstones.ts'
export { coerce, problemOf, secretMask } from './store/values.ts'
