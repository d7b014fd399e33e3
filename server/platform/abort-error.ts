/** The reason a signal was aborted for, as an error to reject or throw with. */
export function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('Aborted.', { cause: reason })
}
