import type { ApiError } from './api-error.ts'

/** Why the page's person may be signed out, or in another role. */
export type SessionDoubt = 'refused' | 'reconnected'

const listeners = new Set<(doubt: SessionDoubt) => void>()

/** Tells of a call that was refused for who the caller is: perhaps nobody is signed in any more. Other failures are no news. */
export function reportRefusal(error: ApiError): void {
  if (error.httpStatus !== 401 && error.httpStatus !== 403) return
  for (const listener of listeners) listener('refused')
}

/** Tells that the socket is back: the server closes it when the person's rights change, be they less or more. */
export function reportReconnection(): void {
  for (const listener of listeners) listener('reconnected')
}

/** Calls `listener` after each refused call and each reconnection. Returns how to stop. */
export function onSessionDoubt(listener: (doubt: SessionDoubt) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
