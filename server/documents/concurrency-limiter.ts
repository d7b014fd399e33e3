import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { addressGroup } from '#server/platform/network/address-groups.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import { isOutside, type Session } from '#server/contracts/session.ts'

/** Concurrent database calls per user; the pool has 20 connections. */
const atOnce = 4
/** Queued calls per user: a page sends a dozen requests at once, and each of a hundred open connections may send one. */
const mostWaiting = 200

/** Limits how many calls of each user run concurrently. */
export interface ConcurrencyLimiter {
  /**
   * Runs the work when a slot of the user is free. Nested work uses the outer call's slot, since it would otherwise wait for
   * itself. Throws `rate_limited` if too many calls are queued.
   */
  run<T>(session: Session, work: () => Promise<T>): Promise<T>
}

interface Person {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Key of the concurrency limit; null for jobs, schedules and internal work, which are few and must not wait behind a user's
 * requests.
 */
function personOf(session: Session): string | null {
  if (!isOutside(session)) return null
  return session.kind === 'guest' ? `guest ${addressGroup(session.ip ?? '')}` : session.user
}

/**
 * Wraps the store so that every method counts toward the caller's limit. Methods are listed explicitly so that none is
 * missed. Event listeners aren't attributed to the user whose write triggered them, and `readers` is an internal call
 * without a limit.
 */
export function limitConcurrency(documents: OpenDocuments): OpenDocuments {
  const turns = createConcurrencyLimiter()
  return {
    list: (session, ...rest) => turns.run(session, () => documents.list(session, ...rest)),
    count: (session, ...rest) => turns.run(session, () => documents.count(session, ...rest)),
    search: (session, ...rest) => turns.run(session, () => documents.search(session, ...rest)),
    get: (session, ...rest) => turns.run(session, () => documents.get(session, ...rest)),
    insert: (session, ...rest) => turns.run(session, () => documents.insert(session, ...rest)),
    insertMany: (session, ...rest) => turns.run(session, () => documents.insertMany(session, ...rest)),
    save: (session, ...rest) => turns.run(session, () => documents.save(session, ...rest)),
    delete: (session, ...rest) => turns.run(session, () => documents.delete(session, ...rest)),
    runAction: (session, ...rest) => turns.run(session, () => documents.runAction(session, ...rest)),
    permissions: (session, ...rest) => turns.run(session, () => documents.permissions(session, ...rest)),
    canRead: (session, ...rest) => turns.run(session, () => documents.canRead(session, ...rest)),
    readsOneOf: (session, ...rest) => turns.run(session, () => documents.readsOneOf(session, ...rest)),
    explain: (session, ...rest) => turns.run(session, () => documents.explain(session, ...rest)),
    transaction: (session, fn) => turns.run(session, () => documents.transaction(session, fn)),
    type: documents.type,
    readers: documents.readers,
    onEvent: (listener) => documents.onEvent(AsyncResource.bind(listener)),
    close: documents.close,
  }
}

/** Creates the limiter of this process. */
export function createConcurrencyLimiter(): ConcurrencyLimiter {
  const people = new Map<string, Person>()
  const current = new AsyncLocalStorage<{ readonly key: string; ended: boolean }>()

  async function enter(key: string): Promise<Person> {
    const person = people.get(key) ?? { running: 0, waiting: [] }
    people.set(key, person)
    if (person.running < atOnce) {
      person.running += 1
      return person
    }
    if (person.waiting.length >= mostWaiting)
      throw new AppError('rate_limited', msg`Too many requests at the same time.`, {
        retryAfterSeconds: 2,
        retryable: true,
        nextAction: msg`Send fewer at once.`,
      })
    await new Promise<void>((resolve) => person.waiting.push(resolve))
    return person
  }

  function leave(key: string, person: Person): void {
    const next = person.waiting.shift()
    if (next) {
      next()
      return
    }
    person.running -= 1
    if (person.running === 0) people.delete(key)
  }

  return {
    async run(session, work) {
      const key = personOf(session)
      const outer = current.getStore()
      if (key === null || (outer?.key === key && !outer.ended)) return work()
      const person = await enter(key)
      const turn = { key, ended: false }
      try {
        return await current.run(turn, work)
      } finally {
        turn.ended = true
        leave(key, person)
      }
    },
  }
}
