import { isBroken } from './broken-php.ts'
import type { Php } from './php-wasm.ts'

/** A visitor who waited this long gets a second PHP: the first one is waiting for something outside. */
const patienceMs = 1_000
/** Longest wait for a free PHP before the visitor gets an answer to that effect. */
export const queueLimitMs = 50_000

/** Runs work on the PHPs of this process, one piece at a time on each. */
export interface PhpPool {
  /** Waits for a free PHP and lends it. `own`: the site asks itself, so its first PHP is busy with the asker. */
  use<T>(own: boolean, work: (php: Php) => Promise<T>): Promise<T>
  /** All PHPs started so far. */
  instances(): readonly Php[]
}

/** Thrown when no PHP became free in time. */
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
 * One PHP serves all visitors, since PHP-WASM uses one core anyway. A second starts when it is needed:
 * for the site's requests to itself (with one PHP they would wait for their own timeout), or for
 * visitors held up by a run that waits for the network.
 */
export function createPhpPool(first: Php, startSecond: () => Promise<Php>): PhpPool {
  const all: Php[] = [first]
  const idle: Php[] = [first]
  const waiting: Waiter[] = []
  let starting = false

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
      // Waiters keep waiting for the first PHP; the next one tries again.
      () => {
        starting = false
      },
    )
  }

  const acquire = (own: boolean): Promise<Php> => {
    const free = idle.pop()
    if (free !== undefined) return Promise.resolve(free)
    return new Promise((resolve, reject) => {
      const patience = setTimeout(grow, own ? 0 : patienceMs)
      const limit = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(new BusyError())
      }, queueLimitMs)
      const waiter: Waiter = {
        own,
        take: (php) => {
          clearTimeout(patience)
          clearTimeout(limit)
          resolve(php)
        },
      }
      // The site's own request goes first: somebody holds a PHP until it is answered.
      if (own) waiting.unshift(waiter)
      else waiting.push(waiter)
    })
  }

  return {
    instances: () => all,
    use: async (own, work) => {
      const php = await acquire(own)
      // This process ends in a moment: who waits is answered by the next one.
      if (isBroken(php)) return new Promise(() => undefined)
      try {
        return await work(php)
      } finally {
        release(php)
      }
    },
  }
}
