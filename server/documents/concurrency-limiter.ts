import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { addressGroup } from '#server/platform/network/address-groups.ts'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'

/** Calls of one person that work in the database at the same moment; the pool has 20 connections. */
const atOnce = 4
/** Calls of one person that wait: a page asks a dozen things at once, each of a hundred open connections one. */
const mostWaiting = 200

/** Lets the calls of each person into the store a few at a time. */
export interface ConcurrencyLimiter {
  /**
   * Runs the work when it is its turn among those of the same person. Work inside work has the turn of the outer one:
   * it would wait for itself. Throws `rate_limited` when too much waits.
   */
  run<T>(session: Session, work: () => Promise<T>): Promise<T>
}

interface Person {
  running: number
  readonly waiting: (() => void)[]
}

/**
 * Who takes turns with whom; null for jobs, the schedule and our own work, which are few at once by themselves and must
 * not wait behind what the person clicks.
 */
function personOf(session: Session): string | null {
  if (session.kind === 'system' || (session.via !== 'web' && session.via !== 'api')) return null
  return session.kind === 'guest' ? `guest ${addressGroup(session.ip ?? '')}` : session.user
}

/**
 * The same store with every verb in the turn of who calls, each named here, so that none is forgotten. Listeners to
 * events act for themselves, not for who wrote; who is told of a change is our own question.
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

/** Creates the turns of this process. */
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
      throw new AppError('rate_limited', say`Too many requests at the same time.`, {
        retryAfterSeconds: 2,
        retryable: true,
        nextAction: say`Send fewer at once.`,
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
