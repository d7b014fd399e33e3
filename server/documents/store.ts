import type { Database } from '#server/platform/database.ts'
import type { Log } from '#server/platform/log.ts'
import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import {
  checkLinks,
  creationRefused,
  DeniedError,
  holds,
  holdsForNew,
  loadFor,
  present,
  refuseGuest,
  refuseIfLinked,
  standingTowards,
  writableValues,
} from './access.ts'
import { actionHandler, performAction } from './actions.ts'
import { activityTables, writeActivities, type Mask } from './activity-log.ts'
import { createDenials } from './denials.ts'
import { openDocumentEvents } from './events.ts'
import { explainPermission } from './explain.ts'
import { actionGrant, grantFor, type Operation, standingIn } from './gate.ts'
import { countRows, listRows, listScope, notPermitted, searchRows } from './lists.ts'
import { readDoc } from './rows.ts'
import { addMissingSchema } from './schema.ts'
import { openTransaction, referenceOf, type TransactionEnvironment } from './transaction.ts'
import type { Controller, Documents, Session, Trx, Tx } from './types.ts'

/** What the store is made of. */
export interface DocumentsOptions {
  database: Database
  doctypes: readonly Doctype[]
  controllers: readonly Controller[]
  secrets: Pick<TransactionEnvironment, 'seal' | 'open'>
  /** Hides secrets in before and after images of the activity log. */
  mask: Mask
  log: Log
}

/** The store with what only the composition root needs. */
export interface OpenDocuments extends Documents {
  close(): Promise<void>
}

/** Tables of the doctypes, and the store's own beside them. Runs in the migration. */
export async function documentTables(trx: Trx, doctypes: readonly Doctype[]): Promise<void> {
  await addMissingSchema(trx, doctypes)
  await activityTables(trx)
}

/** PostgreSQL's codes for "try the transaction again": serialization failure, deadlock. */
const retryableCodes = new Set(['40001', '40P01'])
/** Codes of a connection that is gone: of the socket, of the server's shutdown, of the protocol. */
const lostCodes = /^(?:EPIPE|ECONNRESET|57P0[123]|08)/

/**
 * Opens the document store. A declared action without a handler, or a controller of an unknown doctype, stops start-up.
 */
export async function createDocuments(options: DocumentsOptions): Promise<OpenDocuments> {
  const { database, log, mask } = options
  const { db } = database
  const byName = new Map(options.doctypes.map((type) => [type.name, type]))
  const byDoctype = Map.groupBy(options.controllers, (controller) => controller.doctype)
  checkWiring(byName, byDoctype)

  const typeByName = (name: string) => byName.get(name) ?? null
  const controllers = (name: string) => byDoctype.get(name) ?? []
  const typeOf = (name: string): Doctype => {
    const type = typeof name === 'string' ? byName.get(name) : undefined
    if (!type) throw new AppError('not_found', `DocType ${String(name).slice(0, 140)} not found`)
    return type
  }
  const environment: TransactionEnvironment = { type: typeOf, typeByName, controllers, ...options.secrets }
  const activityType = byName.get('Activity') ?? null
  const events = await openDocumentEvents(database, log)

  /** One attempt of a transaction: work, activities, notifications, commit, then the local listeners. */
  async function attempt<T>(
    session: Session,
    fn: (tx: ReturnType<typeof openTransaction>) => Promise<T>,
    begun: () => void = () => undefined,
  ): Promise<T> {
    let open: ReturnType<typeof openTransaction> | null = null
    const result = await db.transaction().execute(async (trx) => {
      begun()
      const started = performance.now()
      open = openTransaction(trx, session, environment)
      const value = await fn(open)
      if (activityType && open.activities.length > 0)
        open.events.push(
          ...(await writeActivities(
            trx,
            activityType,
            session,
            open.activities,
            mask,
            Math.round(performance.now() - started),
          )),
        )
      await events.publish(trx, open.events)
      return value
    })
    const { events: happened, afterCommitFns } = open as unknown as ReturnType<typeof openTransaction>
    events.emit(happened)
    for (const after of afterCommitFns) {
      try {
        await after()
      } catch (error) {
        log.error('Work after a commit failed', { error })
      }
    }
    return result
  }

  async function transaction<T>(
    session: Session,
    fn: (tx: ReturnType<typeof openTransaction>) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      let begun = false
      try {
        return await attempt(session, fn, () => (begun = true))
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        // A connection of the pool that died unnoticed (the database restarted) fails at BEGIN, before any work.
        const again = retryableCodes.has(code) || (!begun && lostCodes.test(code))
        if (tries >= 3 || !again) throw await recordDenial(session, error)
      }
    }
  }

  const denials = createDenials({
    write: (session, entry) => attempt(session, (tx) => tx.activity(entry)),
    failed: (error) => log.error('Repeated refusals could not be written down', { error }),
  })

  /** A refused act inside the organization is on record, in a transaction of its own (the refused one is rolled back). */
  async function recordDenial(session: Session, error: unknown): Promise<unknown> {
    if (!(error instanceof DeniedError) || error.operation === 'read' || !activityType) return error
    const { reference, operation } = error
    const action = `${reference.reference_doctype}.${operation}`
    await denials.record(session, { ...reference, action, result: 'Denied' })
    return error
  }

  /** The gate's check of a new document, then its insertion, in a running transaction. */
  async function insertIn(
    tx: ReturnType<typeof openTransaction>,
    session: Session,
    type: Doctype,
    values: Record<string, unknown>,
  ): Promise<AnyDoc> {
    const tenant = tenantField(type)
    const organization = tenant ? organizationWanted(type, values[tenant], session) : session.organization
    const standing = await standingIn(tx.trx, session, organization, { hold: true })
    const grant = grantFor(standing, type, 'create')
    if (grant === false) throw creationRefused(type, standing)
    const wanted = writableValues(type, standing, values, null)
    if (tenant) wanted[tenant] = organization
    const context = { standing, typeByName }
    if (!(await holdsForNew(tx.trx, grant, type, { ...wanted }, context))) throw creationRefused(type, standing)
    // Where he creates, not where he looks: links are read in the organization of the new document.
    const there = { ...session, organization: organization ?? session.organization }
    await checkLinks(tx.trx, there, type, tenant ? organization : null, wanted, typeByName)
    const stored = await tx.insert<AnyDoc>(type.name, wanted)
    const now = await standingTowards(
      tx.trx,
      { ...session, organization: organization ?? session.organization },
      type,
      stored,
    )
    const shown = present(stored, now ?? standing, type)
    return stored.job === undefined ? shown : Object.assign(shown, { job: shown.job ?? stored.job })
  }

  const documents: OpenDocuments = {
    type: typeOf,

    async list(session, doctype, query) {
      const type = typeOf(doctype)
      refuseGuest(session, type, 'read')
      return listRows(db, query, await listScope(db, session, type, typeByName))
    },

    async count(session, doctype, query) {
      const type = typeOf(doctype)
      refuseGuest(session, type, 'read')
      return countRows(db, query, await listScope(db, session, type, typeByName))
    },

    async search(session, doctype, query) {
      const type = typeOf(doctype)
      refuseGuest(session, type, 'read')
      return searchRows(db, query, await listScope(db, session, type, typeByName))
    },

    async get(session, doctype, name) {
      const type = typeOf(doctype)
      const { doc, standing } = await loadFor(db, session, type, name, 'read', typeByName)
      return present(doc, standing, type)
    },

    async insert(session, doctype, values) {
      const type = typeOf(doctype)
      refuseGuest(session, type, 'create')
      return transaction(session, (tx) => insertIn(tx, session, type, values))
    },

    async insertMany(session, docs) {
      const typed = docs.map(({ doctype, values }) => ({ type: typeOf(doctype), values }))
      for (const { type } of typed) refuseGuest(session, type, 'create')
      return transaction(session, async (tx) => {
        const made: AnyDoc[] = []
        for (const { type, values } of typed) made.push(await insertIn(tx, session, type, values))
        return made
      })
    },

    async save(session, doctype, name, values) {
      const type = typeOf(doctype)
      return transaction(session, async (tx) => {
        const { doc, standing } = await loadFor(tx.trx, session, type, name, 'write', typeByName, { lock: true })
        if (
          values.modified !== undefined &&
          values.modified !== null &&
          values.modified !== '' &&
          values.modified !== doc.modified
        ) {
          throw new AppError('conflict', 'The document has been changed since you opened it. Reload and try again.', {
            field: 'modified',
            excType: 'TimestampMismatchError',
          })
        }
        const wanted = writableValues(type, standing, values, doc)
        await checkLinks(tx.trx, session, type, tenantField(type) ? standing.organization : null, wanted, typeByName)
        const stored = Object.keys(wanted).length > 0 ? await tx.update<AnyDoc>(doctype, name, wanted) : doc
        return present(stored, standing, type)
      })
    },

    async delete(session, doctype, name) {
      const type = typeOf(doctype)
      return transaction(session, async (tx) => {
        const { doc } = await loadFor(tx.trx, session, type, name, 'delete', typeByName, { lock: true })
        for (const controller of controllers(doctype)) {
          if (controller.delete_request) return controller.delete_request(doc, { session, tx })
        }
        await refuseIfLinked(tx.trx, options.doctypes, type, name)
        await tx.delete(doctype, name)
        return {}
      })
    },

    async runAction(session, doctype, name, action, args) {
      const type = typeOf(doctype)
      return transaction(session, async (tx) => {
        const started = performance.now()
        const doc = await readDoc(tx.trx, type, name, typeByName)
        const result = await performAction(tx, type, name, action, args, controllers(doctype), typeByName)
        const { job, reads } = type.actions?.[action] ?? {}
        const entry = { ...(doc && referenceOf(type, doc)), action: `${doctype}.${action}` }
        // What starts a job is written down by the job, with its end; a handler may have said more than we can.
        const said = tx.activities.find((one) => one.action === entry.action && one.reference_name === name)
        const took = Math.round(performance.now() - started)
        if (said) Object.assign(said, { took_ms: said.took_ms ?? took })
        else if (doc && !job && !reads) await tx.activity({ ...entry, took_ms: took })
        return result
      })
    },

    async permissions(session, doctype, name) {
      const type = typeOf(doctype)
      const may = async (operation: Operation) => ((await allowed(session, type, name, operation)) ? 1 : 0)
      return {
        read: await may('read'),
        write: await may('write'),
        create: await may('create'),
        delete: await may('delete'),
        share: (await mayShare(session, type, name)) ? 1 : 0,
      }
    },

    async canRead(session, doctype, name) {
      const type = typeByName(doctype)
      return type ? allowed(session, type, name, 'read') : false
    },

    explain: (session, question) => explainPermission({ db, type: typeOf, typeByName }, session, question),

    transaction: (session, fn) => transaction(session, fn as (tx: Tx) => ReturnType<typeof fn>),
    onEvent: events.on,
    async close() {
      try {
        await denials.flush()
      } finally {
        await events.close()
      }
    },
  }

  async function allowed(session: Session, type: Doctype, name: string | null, operation: Operation): Promise<boolean> {
    if (session.kind === 'guest' || session.user === 'Guest') return false
    if (name === null) return grantFor(await standingIn(db, session, session.organization), type, operation) !== false
    try {
      await loadFor(db, session, type, name, operation, typeByName)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  /** Sharing is an action of the doctypes that have it; the others cannot be shared by anybody. */
  async function mayShare(session: Session, type: Doctype, name: string | null): Promise<boolean> {
    const action = type.actions?.['share']
    if (!action || !(await allowed(session, type, name, 'read'))) return false
    const doc = name === null ? null : await readDoc(db, type, name, typeByName)
    const standing = doc
      ? await standingTowards(db, session, type, doc)
      : await standingIn(db, session, session.organization)
    const grant = standing ? actionGrant(standing, type, action) : false
    if (!standing || doc === null) return grant !== false
    return holds(db, grant, type, doc, { standing, typeByName })
  }

  return documents
}

/** The organization a client wants to create in; the chosen one when he names none. */
function organizationWanted(type: Doctype, value: unknown, session: Session): string {
  const wanted = value === undefined || value === null || value === '' ? session.organization : value
  if (typeof wanted !== 'string') throw notPermitted(type, 'create')
  return wanted
}

/** Start-up check: what is declared is there, and nothing undeclared can be called. */
function checkWiring(types: Map<string, Doctype>, controllers: Map<string, Controller[]>): void {
  for (const [name, list] of controllers) {
    const type = types.get(name)
    if (!type) throw new Error(`A controller names the unknown doctype ${name}.`)
    for (const action of list.flatMap((controller) => Object.keys(controller.actions ?? {}))) {
      if (!type.actions || !Object.hasOwn(type.actions, action))
        throw new Error(`${name}.${action} has a handler but no declared rule.`)
    }
  }
  for (const type of types.values()) {
    for (const action of Object.keys(type.actions ?? {})) {
      if (!actionHandler(controllers.get(type.name) ?? [], action))
        throw new Error(`${type.name}.${action} is declared but nothing handles it.`)
    }
  }
}
