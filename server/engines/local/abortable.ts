import { abortError } from '#server/platform/abort-error.ts'

/** Waits for `work`, or rejects with the signal's reason if that comes first; the work itself continues. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const abort = (): void => fail(abortError(signal))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(done, fail).finally(() => signal.removeEventListener('abort', abort))
  })
}
