import { setTimeout as sleep } from 'node:timers/promises'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Doctype } from '#shared/doctype.ts'
import { writeActivities, type Mask } from '../activity/activity-log.ts'
import { createDenials } from '../activity/denials.ts'
import type { DocumentEvents } from '../events.ts'
import { DeniedError } from '../permissions/access-errors.ts'
import { openTransaction } from './transaction.ts'
import type { OpenTransaction, TransactionEnvironment } from './transaction-context.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { createWriteCounter, type SpendBytes, type WrittenBytes } from './written-bytes.ts'

/** Dependencies of transactions. */
export interface TransactionsContext {
  readonly db: Db
  readonly environment: TransactionEnvironment
  readonly events: DocumentEvents
  /** The activity log's doctype; null if there is none (nothing is recorded then). */
  readonly activityType: Doctype | null
  readonly mask: Mask
  readonly log: Log
  /** Limits how much users write. Default: no limit. */
  readonly spendBytes?: SpendBytes | undefined
}

/** Runs transactions of the store. */
export interface Transactions {
  /** Runs work in one transaction, with its activity entries and notifications; retried on serialization failures. */
  run<T>(session: Session, work: (tx: OpenTransaction) => Promise<T>): Promise<T>
  /** Writes denials that were only counted so far. */
  flush(): Promise<void>
}

/** PostgreSQL codes that call for a retry: serialization failure, deadlock. */
const retryableCodes = new Set(['40001', '40P01'])
/** Whether the connection was lost, or there was none to be had: shutdown, crash, start. */
function isConnectionLoss(error: unknown): boolean {
  const isRefused = error instanceof Error && 'syscall' in error && error.syscall === 'connect'
  return isRefused || /^(?:57P0[123]|08...)$/.test(systemErrorCode(error))
}

/** Pauses before trying again without a connection, in milliseconds: a server that died is restarted within a second or two. */
const reconnectPausesMs = [100, 500, 1500] as const
/** Attempts after serialization failures and deadlocks. */
const maxTries = 3

/**
 * How far an attempt came. What came before the commit was rolled back with a lost connection; while `committing`, it may have
 * been stored.
 */
interface Progress {
  state: 'connecting' | 'working' | 'committing'
}

/** Manages the store's transactions: begin, retry, commit and notification. */
export function createTransactions(context: TransactionsContext): Transactions {
  const { db, environment, events, activityType, mask, log } = context

  /** One attempt: work, activity entries, notifications, commit, then local listeners. */
  async function attempt<T>(
    session: Session,
    work: (tx: OpenTransaction) => Promise<T>,
    written: WrittenBytes,
    progress: Progress = { state: 'connecting' },
  ): Promise<T> {
    const { result, open } = await db.transaction().execute(async (trx) => {
      progress.state = 'working'
      const started = performance.now()
      const tx = openTransaction(trx, session, environment, written)
      const value = await work(tx)
      if (activityType && tx.activities.length > 0) {
        const tookMs = Math.round(performance.now() - started)
        const logContext = { trx, session, type: activityType, mask, tookMs, written }
        tx.events.push(...(await writeActivities(logContext, tx.activities)))
      }
      await events.publish(trx, tx.events)
      progress.state = 'committing'
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
    write: (session, entry) =>
      attempt(session, (tx) => tx.activity(entry), createWriteCounter(session, context.spendBytes)),
    failed: (error) => log.error('Repeated refusals could not be written down', { error }),
  })

  /** Records a denied operation inside the organization in a separate transaction (the denied one is rolled back). */
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
        const progress: Progress = { state: 'connecting' }
        const written = createWriteCounter(session, context.spendBytes)
        try {
          return await attempt(session, work, written, progress)
        } catch (error) {
          const code = systemErrorCode(error)
          const pauseMs =
            isConnectionLoss(error) && progress.state !== 'committing' ? reconnectPausesMs[tries - 1] : undefined
          const isRetryable = pauseMs !== undefined || (retryableCodes.has(code) && tries < maxTries)
          if (isRetryable) written.refundAll()
          // The lock order (`locks.ts`) prevents deadlocks, so one is a bug even if a retry hides it.
          if (code === '40P01') log.warn('A deadlock ended a transaction', { error })
          if (!isRetryable) throw await recordDenial(session, error)
          if (pauseMs !== undefined) await sleep(pauseMs)
        }
      }
    },
    flush: denials.flush,
  }
}
