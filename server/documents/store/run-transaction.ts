import type { Log } from '#server/platform/log/log.ts'
import type { Doctype } from '#shared/doctype.ts'
import { writeActivities, type Mask } from '../activity/activity-log.ts'
import { createDenials } from '../activity/denials.ts'
import type { openDocumentEvents } from '../events.ts'
import { DeniedError } from '../permissions/access-errors.ts'
import { openTransaction, type OpenTransaction, type TransactionEnvironment } from './transaction.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { countWritten, type SpendBytes, type WrittenBytes } from './written-bytes.ts'

/** What transactions are run with. */
export interface TransactionSetting {
  readonly db: Db
  readonly environment: TransactionEnvironment
  readonly events: Awaited<ReturnType<typeof openDocumentEvents>>
  /** The audit log's doctype; null where there is none (nothing is written down then). */
  readonly activityType: Doctype | null
  readonly mask: Mask
  readonly log: Log
  /** Limits what people write; absent: nothing does. */
  readonly spendBytes?: SpendBytes | undefined
}

/** Runs transactions of the store. */
export interface Transactions {
  /** Work in one transaction with its log entries and notifications; tried again when PostgreSQL says so. */
  run<T>(session: Session, work: (tx: OpenTransaction) => Promise<T>): Promise<T>
  /** Writes down the refusals that were only counted so far. */
  flush(): Promise<void>
}

/** PostgreSQL's codes for "try the transaction again": serialization failure, deadlock. */
const retryableCodes = new Set(['40001', '40P01'])
/** Codes of a connection that is gone: of the socket, of the server's shutdown, of the protocol. */
const lostCodes = /^(?:EPIPE|ECONNRESET|57P0[123]|08)/

/** How the store's transactions begin, are tried again, end and are told of. */
export function createTransactions(setting: TransactionSetting): Transactions {
  const { db, environment, events, activityType, mask, log } = setting

  /** One attempt: work, activities, notifications, commit, then the local listeners. */
  async function attempt<T>(
    session: Session,
    work: (tx: OpenTransaction) => Promise<T>,
    written: WrittenBytes,
    begun: () => void = () => undefined,
  ): Promise<T> {
    const { result, open } = await db.transaction().execute(async (trx) => {
      begun()
      const started = performance.now()
      const tx = openTransaction(trx, session, environment, written)
      const value = await work(tx)
      if (activityType && tx.activities.length > 0) {
        const took = Math.round(performance.now() - started)
        tx.events.push(...(await writeActivities(trx, activityType, session, tx.activities, mask, took, written)))
      }
      await events.publish(trx, tx.events)
      return { result: value, open: tx }
    })
    events.emit(open.events)
    for (const after of open.afterCommitFns) {
      try {
        await after()
      } catch (error) {
        log.error('Work after a commit failed', { error })
      }
    }
    return result
  }

  const denials = createDenials({
    write: (session, entry) => attempt(session, (tx) => tx.activity(entry), countWritten(session, setting.spendBytes)),
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

  return {
    async run(session, work) {
      for (let tries = 1; ; tries += 1) {
        let begun = false
        const written = countWritten(session, setting.spendBytes)
        try {
          return await attempt(session, work, written, () => (begun = true))
        } catch (error) {
          const code = (error as { code?: string }).code ?? ''
          // A connection of the pool that died unnoticed (the database restarted) fails at BEGIN, before any work.
          const again = retryableCodes.has(code) || (!begun && lostCodes.test(code))
          if (again) written.giveBack()
          // Locks are taken in one order (`locks.ts`): a deadlock is a defect, even where repeating hides it.
          if (code === '40P01') log.warn('A deadlock ended a transaction', { error })
          if (tries >= 3 || !again) throw await recordDenial(session, error)
        }
      }
    },
    flush: denials.flush,
  }
}
