import type { AnyDoc, Doc, Doctype, FilterTriple } from '#shared/doctype.ts'
import type { Session } from '#server/contracts/session.ts'
import type { ColumnName, DocOf, DoctypeRef, ListOptions, Trx, ValuesOf } from '#server/contracts/transaction.ts'
import { deleteDoc, deleteWhere } from './delete-doc.ts'
import { countDocs, countDocsBy, findDoc, listDocs, listFields } from './find-docs.ts'
import { insertDoc } from './insert-doc.ts'
import { createRowCache } from './known-rows.ts'
import { recordEventFor, recordRowEvents } from './recorded-events.ts'
import { storedDoc, storedSecret } from './stored-docs.ts'
import type { OpenTransaction, TransactionContext, TransactionEnvironment } from './transaction-context.ts'
import { updateColumns, updateDoc, updateWhere } from './update-doc.ts'
import type { WrittenBytes } from './written-bytes.ts'

/** Casts a document to the type of its description, which defined its table and validated its values. */
const typed = <D extends DoctypeRef>(doc: AnyDoc) => doc as DocOf<D>

/** Opens internal access on a running transaction. */
export function openTransaction(
  trx: Trx,
  session: Session,
  environment: TransactionEnvironment,
  written: WrittenBytes,
): OpenTransaction {
  const known = createRowCache()
  const typeOf = (doctype: DoctypeRef) => environment.type(typeof doctype === 'string' ? doctype : doctype.name)

  const tx: OpenTransaction = {
    get trx() {
      known.close()
      return trx
    },
    connection: trx,
    keep: known.keep,
    session,
    events: [],
    activities: [],
    afterCommitFns: [],

    async get<D extends DoctypeRef>(doctype: D, name: string, options = {}) {
      const doc = await storedDoc(context, typeOf(doctype), name, options)
      return doc && typed<D>(doc)
    },
    async find<D extends DoctypeRef>(doctype: D, filters: readonly FilterTriple[], options = {}) {
      const doc = await findDoc(context, typeOf(doctype), filters, options)
      return doc && typed<D>(doc)
    },
    async list<D extends DoctypeRef>(doctype: D, filters: readonly FilterTriple[], options = {}) {
      return (await listDocs(context, typeOf(doctype), filters, options)).map((doc) => typed<D>(doc))
    },
    async listFields<D extends Doctype, F extends ColumnName<D>>(
      doctype: D,
      fields: readonly F[],
      filters: readonly FilterTriple[],
      options: ListOptions = {},
    ) {
      return (await listFields(context, typeOf(doctype), fields, filters, options)) as Pick<Doc<D>, F>[]
    },
    count: async (doctype, filters, options = {}) => countDocs(context, typeOf(doctype), filters, options),
    countBy: async (doctype, field, filters) => countDocsBy(context, typeOf(doctype), field, filters),

    async insert<D extends DoctypeRef>(doctype: D, values: ValuesOf<D>, options = {}) {
      return typed<D>(await insertDoc(context, typeOf(doctype), values, options))
    },
    async update<D extends DoctypeRef>(doctype: D, name: string, values: ValuesOf<D>, options = {}) {
      return typed<D>(await updateDoc(context, typeOf(doctype), name, values, options))
    },
    updateColumns: async (doctype, name, values) => updateColumns(context, typeOf(doctype), name, values),
    updateWhere: async (doctype, filters, values) => updateWhere(context, typeOf(doctype), filters, values),
    delete: async (doctype, name, options) => deleteDoc(context, typeOf(doctype), name, options),
    deleteWhere: async (doctype, filters) => deleteWhere(context, typeOf(doctype), filters),

    emitEvents: (doctype, rows, kind = 'update') => recordRowEvents(context, kind, typeOf(doctype), rows),
    emitEventTo: (user, doctype, row) => recordEventFor(context, user, typeOf(doctype), row),
    secret: async (doctype, name, field) => storedSecret(context, typeOf(doctype), name, field),
    async activity(entry) {
      tx.activities.push(entry)
    },
    countBytes: (organization, bytes) => written.add(organization, bytes),
    afterCommit(fn) {
      tx.afterCommitFns.push(fn)
    },
  }

  const { events, activities } = tx
  const context: TransactionContext = {
    ...{ connection: trx, environment, known, written, events, activities },
    hookContext: { session, tx },
  }
  return tx
}
