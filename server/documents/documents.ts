import type { Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Controller } from '#server/contracts/controller.ts'
import type { OpenDocuments, ReadDoc } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { DoctypeRef, Trx, Tx } from '#server/contracts/transaction.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import type { Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { activityTables, type Mask } from './activity/activity-log.ts'
import { limitConcurrency } from './concurrency-limiter.ts'
import { openDocumentEvents, type DocumentEvents } from './events.ts'
import { deleteDocument } from './operations/delete.ts'
import type { DocumentsContext } from './operations/documents-context.ts'
import { insertDocument, insertDocuments } from './operations/insert.ts'
import { countDocuments, getDocument, listDocuments, searchDocuments } from './operations/read.ts'
import { openCallTables } from './operations/open-calls.ts'
import { runAction } from './operations/run-action.ts'
import { saveDocument } from './operations/save.ts'
import { explainPermission } from './permissions/explain.ts'
import { createPermissionBits } from './permissions/permission-bits.ts'
import { filterReaders, readsOneOf } from './permissions/readers.ts'
import { foldFunction } from './query/folded-text.ts'
import { listSizeFunction } from './query/list-size.ts'
import { validateDeclarations } from './startup-validation.ts'
import { personalTables } from './store/personal.ts'
import { createTransactions } from './store/run-transaction.ts'
import { addMissingSchema } from './store/schema.ts'
import { addSearchExtensions, addSearchIndexes, addSearchTexts, addTitleIndexes } from './store/search-index.ts'
import type { Sealing } from './store/sealed-fields.ts'
import { tombstoneTables } from './store/tombstones.ts'
import type { TransactionEnvironment } from './store/transaction-context.ts'
import type { SpendBytes } from './store/written-bytes.ts'

/** Dependencies of the document store. */
export interface DocumentsOptions {
  database: Database
  doctypes: readonly Doctype[]
  /** Null in a process that only reads: without the rules of the controllers nothing may be written. */
  controllers: readonly Controller[] | null
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
  await foldFunction(trx)
  await addSearchTexts(trx, doctypes)
  await addTitleIndexes(trx, doctypes)
  if (await addSearchExtensions(trx)) await addSearchIndexes(trx, doctypes)
  await activityTables(trx)
  await openCallTables(trx)
  await listSizeFunction(trx)
  await personalTables(trx)
  await tombstoneTables(trx)
}

/** Opens the document store. Startup fails if a declared action has no handler or a controller names an unknown doctype. */
export async function createDocuments(options: DocumentsOptions): Promise<OpenDocuments> {
  const controllersOf = findControllers(options)
  const events = await openDocumentEvents(options.database, options.log)
  const context = createContext(options, controllersOf, events)
  const { db, type: typeOf, typeByName, transactions } = context
  const bits = createPermissionBits(db, typeByName)

  return limitConcurrency({
    type: typeOf,
    list: async (session, doctype, query) => listDocuments(context, session, typeOf(doctype), query),
    count: async (session, doctype, query) => countDocuments(context, session, typeOf(doctype), query),
    search: async (session, doctype, query) => searchDocuments(context, session, typeOf(doctype), query),
    get: async <D extends DoctypeRef>(session: Session, doctype: D, name: string) => {
      const type = typeOf(typeof doctype === 'string' ? doctype : doctype.name)
      return (await getDocument(context, session, type, name)) as ReadDoc<D>
    },
    insert: async (session, doctype, values) => insertDocument(context, session, { type: typeOf(doctype), values }),
    insertMany: async (session, docs) => {
      const typed = docs.map(({ doctype, values }) => ({ type: typeOf(doctype), values }))
      return insertDocuments(context, session, typed)
    },
    save: async <D extends DoctypeRef>(session: Session, doctype: D, name: string, values: Record<string, unknown>) => {
      const type = typeOf(typeof doctype === 'string' ? doctype : doctype.name)
      return (await saveDocument(context, session, type, name, values)) as ReadDoc<D>
    },
    delete: async (session, doctype, name) => deleteDocument(context, session, typeOf(doctype), name),
    runAction: async (session, doctype, name, action, args) =>
      runAction(context, session, { type: typeOf(doctype), name, action, args }),
    runActionAnd: async (session, { doctype, ...call }, within) =>
      runAction(context, session, { type: typeOf(doctype), ...call }, within),
    permissions: async (session, doctype, name) => bits.of(session, typeOf(doctype), name),
    canRead: async (session, doctype, name) => {
      const type = typeByName(doctype)
      return type ? bits.allowed(session, type, name, 'read') : false
    },
    readers: async (sessions, document) => {
      const type = typeByName(document.doctype)
      return type ? filterReaders({ db, typeByName }, sessions, type, document) : new Set()
    },
    readsOneOf: async (session, doctype, names) => {
      const type = typeByName(doctype)
      return type ? readsOneOf({ db, typeByName }, session, type, names) : false
    },
    explain: (session, question) => explainPermission(context, session, question),
    transaction: (session, fn) => transactions.run(session, fn as (tx: Tx) => ReturnType<typeof fn>),
    onEvent: events.on,
    async close() {
      try {
        await transactions.flush()
      } finally {
        await events.close()
      }
    },
  })
}

/** Finds controllers by doctype. Throws for declarations that do not fit. */
function findControllers({ controllers, doctypes }: DocumentsOptions): DocumentsContext['controllers'] {
  if (controllers === null)
    return (doctype) => {
      throw new Error(`${doctype} is written by the main process only.`)
    }
  const byDoctype = Map.groupBy(controllers, (controller) => controller.doctype)
  validateDeclarations(new Map(doctypes.map((type) => [type.name, type])), byDoctype)
  return (doctype) => byDoctype.get(doctype) ?? []
}

/** What the operations depend on. */
function createContext(
  options: DocumentsOptions,
  controllers: DocumentsContext['controllers'],
  events: DocumentEvents,
): DocumentsContext {
  const { database, doctypes, secrets, mask, log, spendBytes } = options
  const { db } = database
  const typeByName = typesByName(doctypes)
  const type = (name: string): Doctype => {
    const found = typeof name === 'string' ? typeByName(name) : null
    if (!found) throw new AppError('not_found', msg`DocType ${String(name).slice(0, 140)} not found`)
    return found
  }
  const environment: TransactionEnvironment = { type, typeByName, controllers, ...secrets }
  const activityType = typeByName('Activity')
  const transactions = createTransactions({ db, environment, events, activityType, mask, log, spendBytes })
  return { db, type, typeByName, controllers, transactions }
}

// What other layers use of the engine besides its documents; they import this module only.
export { activityHash, platformChain, writeActivities } from './activity/activity-log.ts'
export { DeniedError } from './permissions/access-errors.ts'
export { admitInsert, mayInsert } from './operations/insert.ts'
export { assertMayRun, loadFor } from './permissions/access.ts'
export { accessContextIn, isMember, organizationOf } from './permissions/gate.ts'
export { assertNotLinked } from './permissions/links.ts'
export { fieldOf, isQueryable } from './query/columns.ts'
export { type RequestOperator, parseFilters } from './query/filters.ts'
export { listAllRows, listScope } from './query/lists.ts'
export { parseOrderBy } from './query/select.ts'
export { adjacentPeriodNames, timespanNames } from './query/timespan.ts'
export { lockRights } from './store/locks.ts'
export { referenceOf } from './store/reference.ts'
export { newName } from './store/rows.ts'
export { columnNames, tableName, tableRef } from './store/schema.ts'
export { openCallsSchedule } from './operations/open-calls.ts'
export { renameUserInTombstones, tombstoneSweep } from './store/tombstones.ts'
export { coerce, validationError, secretMask } from './store/values.ts'
