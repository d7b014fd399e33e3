import type { AccountsDeps } from '../deps.ts'
import type { ApiTokenSessions } from './api-token-sessions.ts'
import type { SessionCache } from './session-cache.ts'
import type { Revocations } from './session-revocation.ts'

/** State of the session store in this process. */
export interface SessionsContext {
  readonly database: AccountsDeps['database']
  readonly documents: AccountsDeps['documents']
  /** `forget` also drops them in the other web processes of this port, and resolves when they are gone. */
  readonly cache: Omit<SessionCache, 'forget'> & { forget(user: string | null): Promise<void> }
  readonly revocations: Revocations
  readonly tokens: ApiTokenSessions
}
