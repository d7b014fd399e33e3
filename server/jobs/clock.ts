/** Clock used by jobs. Tests replace it; jobs never use `Date` or timers directly. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  setTimeout(fn: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

/** Real time. Its timers don't keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms).unref(),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
}

/** Formats a timestamp as stored in documents: `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23).replace('T', ' ')}000`
}

/** Milliseconds since the epoch of a stored timestamp. */
export function parseTimestamp(text: string): number {
  return Date.parse(`${text.slice(0, 23).replace(' ', 'T')}Z`)
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error)
      return
    }
    const onAbort = () => {
      clock.clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** A repeating task. */
export interface RepeatingTask {
  /** Runs it now, or once more right after the current run. */
  soon(): void
  /** Stops repeating and waits for the current run. */
  stop(): Promise<void>
}

/** Calls `fn` every `ms`, counted from the end of the previous run, so runs never overlap. `fn` must not reject. */
export function repeat(clock: Clock, ms: number, fn: () => Promise<void>): RepeatingTask {
  let stopped = false
  let again = false
  let current: Promise<void> | null = null
  let timer: unknown = null

  const schedule = () => {
    if (!stopped) timer = clock.setTimeout(go, again ? 0 : ms)
  }
  const go = () => {
    if (stopped || current) return
    again = false
    current = fn().finally(() => {
      current = null
      schedule()
    })
  }
  schedule()
  return {
    soon() {
      if (stopped) return
      if (current) {
        again = true
        return
      }
      clock.clearTimeout(timer)
      go()
    },
    async stop() {
      stopped = true
      clock.clearTimeout(timer)
      await current
    },
  }
}
