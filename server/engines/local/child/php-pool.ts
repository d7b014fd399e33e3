import { isBroken } from './broken-php.ts'
import type { Php } from './php-wasm.ts'

/** After this wait a second PHP is started: the first one is probably waiting for the network. */
const growDelayMs = 1_000
/** Maximum wait for a free PHP before the visitor gets a "busy" response. */
export const queueLimitMs = 50_000

/** Runs work on this process's PHP instances, one task at a time on each. */
export interface PhpPool {
  /**
   * Waits for a free PHP and passes it to `work`. `own`: a request of the site to itself, whose sender already uses the
   * first PHP.
   */
  use<T>(own: boolean, work: (php: Php) => Promise<T>): Promise<T>
  /** All PHP instances started so far. */
  instances(): readonly Php[]
  /** Begins nothing more but the site's requests to itself: this process ends soon, and the next one does what waits. */
  drain(): void
}

/** Thrown if no PHP became free in time. */
export class BusyError extends Error {
  constructor() {
    super('The site is busy.')
    this.name = 'BusyError'
  }
}

interface Waiter {
  own: boolean
  take(php: Php): void
}

/**
 * One PHP serves all visitors, because PHP-WASM uses one core anyway. A second one is started when needed: for the site's
 * requests to itself (with one PHP they would wait until their own timeout), or for visitors delayed by a run that waits for
 * the network.
 */
export function createPhpPool(first: Php, startSecond: () => Promise<Php>): PhpPool {
  const all: Php[] = [first]
  const idle: Php[] = [first]
  const waiting: Waiter[] = []
  let starting = false
  let isDraining = false

  const release = (php: Php): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(php)
    else next.take(php)
  }

  const grow = (): void => {
    if (starting || all.length > 1 || waiting.length === 0) return
    starting = true
    startSecond().then(
      (php) => {
        all.push(php)
        release(php)
      },
      // Waiting requests keep waiting for the first PHP; the next one tries again.
      () => {
        starting = false
      },
    )
  }

  const acquire = (own: boolean): Promise<Php> => {
    const free = idle.pop()
    if (free !== undefined) return Promise.resolve(free)
    return new Promise((resolve, reject) => {
      const growTimer = setTimeout(grow, own ? 0 : growDelayMs)
      const limit = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(new BusyError())
      }, queueLimitMs)
      const waiter: Waiter = {
        own,
        take: (php) => {
          clearTimeout(growTimer)
          clearTimeout(limit)
          resolve(php)
        },
      }
      // The site's own request goes first: another request holds a PHP until it is answered.
      if (own) waiting.unshift(waiter)
      else waiting.push(waiter)
    })
  }

  return {
    instances: () => all,
    drain: () => {
      isDraining = true
    },
    use: async (own, work) => {
      const php = await acquire(own)
      const isLeft = isDraining && !own
      if (isLeft) release(php)
      // This process is about to end: the next one handles the waiting requests.
      if (isLeft || isBroken(php)) return new Promise(() => undefined)
      try {
        return await work(php)
      } finally {
        release(php)
      }
    },
  }
}
