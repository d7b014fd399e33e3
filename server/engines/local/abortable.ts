/** Waits for `work`, or fails with the signal's reason when that comes first; the work itself goes on. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const abort = (): void => fail(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(done, fail).finally(() => signal.removeEventListener('abort', abort))
  })
}
