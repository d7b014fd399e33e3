import type { ApiError } from './api-error.ts'

/** Why the user's session or role may be outdated. */
export type SessionInvalidation = 'denied' | 'reconnected'

const listeners = new Set<(reason: SessionInvalidation) => void>()

/** Reports a 401 or 403 response, after which the session may have ended. Other errors are ignored. */
export function reportDenial(error: ApiError): void {
  if (error.httpStatus !== 401 && error.httpStatus !== 403) return
  for (const listener of listeners) listener('denied')
}

/** Reports that the socket reconnected. The server closes it whenever the user's permissions change. */
export function reportReconnection(): void {
  for (const listener of listeners) listener('reconnected')
}

/** Calls `listener` after each denied request and each reconnect. Returns an unsubscribe function. */
export function onSessionInvalidation(listener: (reason: SessionInvalidation) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
