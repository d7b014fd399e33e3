import type { SessionStore } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { createApiTokenSessions } from './api-token-sessions.ts'
import type { AccountsDeps } from '../deps.ts'
import { recordKnownDevice } from '../sign-in/known-devices.ts'
import { createSessionCache, type SessionCache } from './session-cache.ts'
import { endAllSessions, endOneSession, endSession, endSessionsByLinks, endTokenSessions } from './session-end.ts'
import { profileOf, resolveCookie } from './session-lookup.ts'
import { createRevocations, type Revocations } from './session-revocation.ts'
import { confirmAndRotate, createSession } from './session-start.ts'
import type { SessionsContext } from './sessions-context.ts'

/** The session store plus operations that only the accounts feature uses. */
export interface AccountSessions extends SessionStore {
  /** Listens to other processes; resolves once subscribed. */
  start(): Promise<void>
  /** Ends all sessions of the user except the given one, in the transaction. Returns how many could still be used. */
  endAll(tx: Tx, user: string, exceptId?: string | null): Promise<number>
  /** Ends the user's session with this lineage, in the transaction. */
  endOne(tx: Tx, user: string, lineage: string): Promise<void>
  /** Ends the sessions that were started by these links to a login provider, in the transaction. */
  endByLinks(tx: Tx, links: readonly string[]): Promise<void>
  /** An API token was revoked or deleted; call it in the same transaction. */
  endToken(tx: Tx, user: string, name: string): Promise<void>
  /** Records a password confirmation; the next `create` for this client continues the session under a new sid. */
  confirmAndRotate(tx: Tx, sessionId: string, freshPassword: boolean): Promise<void>
  /** Another process changed or ended sessions of the user, or of anybody (null). */
  forget(user: string | null): void
  /** User data changed (name, role, organization): every process reads it again. */
  changed: Revocations['changed']
  /** The user lost access to an organization: their sockets close. */
  lostOrganization: Revocations['lostOrganization']
}

/** Creates the session store. */
export function createSessions(
  deps: Pick<AccountsDeps, 'database' | 'documents' | 'log' | 'rateLimiter' | 'forgetElsewhere'>,
): AccountSessions {
  const local = createSessionCache()
  const context = openContext(deps, local)
  const { database, revocations, tokens } = context
  return {
    forget: local.forget,
    start: revocations.start,
    onRevoked: revocations.onRevoked,
    changed: revocations.changed,
    lostOrganization: revocations.lostOrganization,
    resolveCookie: (sid, ip) => resolveCookie(context, sid, ip),
    resolveAuthorization(header, ip) {
      revocations.startInBackground()
      return tokens.resolve(header, ip)
    },
    create: (user, client) => createSession(context, user, client),
    rememberDevice: (user, client) => recordKnownDevice(database.db, user, client),
    end: (sessionId) => endSession(context, sessionId),
    endAll: (tx, user, exceptId = null) => endAllSessions(context, tx, user, exceptId),
    endOne: (tx, user, lineage) => endOneSession(context, tx, user, lineage),
    endByLinks: (tx, links) => endSessionsByLinks(context, tx, links),
    endToken: (tx, user, name) => endTokenSessions(context, tx, user, name),
    confirmAndRotate: (tx, sessionId, freshPassword) => confirmAndRotate(context, tx, sessionId, freshPassword),
    profile: (user) => profileOf(context, user),
  }
}

function openContext(deps: Parameters<typeof createSessions>[0], local: SessionCache): SessionsContext {
  const { database, documents, log, rateLimiter, forgetElsewhere } = deps
  const cache: SessionsContext['cache'] = {
    ...local,
    // Whoever changed something reads it in the next request, whichever process answers that.
    async forget(user) {
      local.forget(user)
      await forgetElsewhere?.(user)
    },
  }
  const revocations = createRevocations({
    database,
    log,
    forget: local.forget,
    forgetEverywhere: cache.forget,
  })
  const tokens = createApiTokenSessions({
    database,
    rateLimiter,
    cache: local,
    expired: (user, sessionId) => revocations.endedHere(user, sessionId),
  })
  return { database, documents, cache, revocations, tokens }
}
