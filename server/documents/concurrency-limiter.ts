import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { addressGroup } from '#server/platform/network/address-groups.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import { isExternalCaller, type Session } from '#server/contracts/session.ts'

/** Concurrent database calls per user; the pool has 20 connections. */
const maxConcurrent = 4
/** Queued calls per user: a page sends a dozen requests at once, and each of a hundred open connections may send one. */
const maxWaiting = 200

/** Limits how many calls of each user run concurrently. */
export interface ConcurrencyLimiter {
  /**
   * Runs the work when a slot of the user is free. Nested work uses the outer call's slot, since it would otherwise wait for
   * itself. Throws `rate_limited` if too many calls are queued.
   */
  run<T>(session: Session, work: () => Promise<T>): Promise<T>
}

/** The calls of one user. */
interface CallerQueue {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Key of the concurrency limit; null for jobs, schedules and internal work, which are few and must not wait behind a user's
 * requests.
 */
function callerKey(session: Session): string | null {
  if (!isExternalCaller(session)) return null
  return session.kind === 'guest' ? `guest ${addressGroup(session.ip ?? '')}` : session.user
}

/**
 * Wraps the store so that every method counts toward the caller's limit. Methods are listed explicitly so that none is
 * missed. Event listeners aren't attributed to the user whose write triggered them, and `readers` is an internal call
 * without a limit.
 */
export function limitConcurrency(documents: OpenDocuments): OpenDocuments {
  const limiter = createConcurrencyLimiter()
  return {
    list: (session, ...rest) => limiter.run(session, () => documents.list(session, ...rest)),
    count: (session, ...rest) => limiter.run(session, () => documents.count(session, ...rest)),
    search: (session, ...rest) => limiter.run(session, () => documents.search(session, ...rest)),
    get: (session, ...rest) => limiter.run(session, () => documents.get(session, ...rest)),
    insert: (session, ...rest) => limiter.run(session, () => documents.insert(session, ...rest)),
    insertMany: (session, ...rest) => limiter.run(session, () => documents.insertMany(session, ...rest)),
    save: (session, ...rest) => limiter.run(session, () => documents.save(session, ...rest)),
    delete: (session, ...rest) => limiter.run(session, () => documents.delete(session, ...rest)),
    runAction: (session, ...rest) => limiter.run(session, () => documents.runAction(session, ...rest)),
    runActionAnd: (session, ...rest) => limiter.run(session, () => documents.runActionAnd(session, ...rest)),
    permissions: (session, ...rest) => limiter.run(session, () => documents.permissions(session, ...rest)),
    canRead: (session, ...rest) => limiter.run(session, () => documents.canRead(session, ...rest)),
    readsOneOf: (session, ...rest) => limiter.run(session, () => documents.readsOneOf(session, ...rest)),
    explain: (session, ...rest) => limiter.run(session, () => documents.explain(session, ...rest)),
    transaction: (session, fn) => limiter.run(session, () => documents.transaction(session, fn)),
    type: documents.type,
    readers: documents.readers,
    onEvent: (listener) => documents.onEvent(AsyncResource.bind(listener)),
    close: documents.close,
  }
}

/** Creates the limiter of this process. */
export function createConcurrencyLimiter(): ConcurrencyLimiter {
  const queues = new Map<string, CallerQueue>()
  const current = new AsyncLocalStorage<{ readonly key: string; ended: boolean }>()

  async function acquireQueue(key: string): Promise<CallerQueue> {
    const queue = queues.get(key) ?? { running: 0, waiting: [] }
    queues.set(key, queue)
    if (queue.running < maxConcurrent) {
      queue.running += 1
      return queue
    }
    if (queue.waiting.length >= maxWaiting)
      throw new AppError('rate_limited', msg`Too many requests at the same time.`, {
        retryAfterSeconds: 2,
        retryable: true,
        nextAction: msg`Send fewer at once.`,
      })
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
    return queue
  }

  function leave(key: string, queue: CallerQueue): void {
    const next = queue.waiting.shift()
    if (next) {
      next()
      return
    }
    queue.running -= 1
    if (queue.running === 0) queues.delete(key)
  }

  return {
    async run(session, work) {
      const key = callerKey(session)
      const outer = current.getStore()
      if (key === null || (outer?.key === key && !outer.ended)) return work()
      const queue = await acquireQueue(key)
      const slot = { key, ended: false }
      try {
        return await current.run(slot, work)
      } finally {
        slot.ended = true
        leave(key, queue)
      }
    },
  }
}
