import type { ApiError } from './api-error.ts'

const listeners = new Set<() => void>()

/** Tells of a call that was refused for who the caller is: perhaps nobody is signed in any more. Other failures are no news. */
export function tellRefusal(error: ApiError): void {
  if (error.httpStatus !== 401 && error.httpStatus !== 403) return
  for (const listener of listeners) listener()
}

/** Calls `listener` after each refused call. Returns how to stop. */
export function onRefusal(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
