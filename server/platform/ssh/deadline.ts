import { abortError, orAborted } from '../abort-error.ts'

/** What sets timers; replaced in tests. */
export interface Timers {
  setTimeout(fn: () => void, ms: number): unknown
  clearTimeout(handle: unknown): void
}

/** A time limit, and what aborts besides it. */
export interface Deadline {
  readonly ms: number
  /** The error after that time. */
  readonly expired: () => Error
  readonly signal?: AbortSignal | undefined
}

/** Runs work with a signal that aborts with the caller's or at the deadline; then it rejects at once. */
export async function withDeadline<T>(
  timers: Timers,
  { ms, expired, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const abort = () => controller.abort(abortError(signal))
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = timers.setTimeout(() => controller.abort(expired()), ms)
  try {
    controller.signal.throwIfAborted()
    return await orAborted(work(controller.signal), controller.signal)
  } finally {
    timers.clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
