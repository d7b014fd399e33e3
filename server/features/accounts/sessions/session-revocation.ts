import { sql } from 'kysely'
import type { SessionStore } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import type { AccountsDeps } from '../deps.ts'

type Listener = Parameters<SessionStore['onRevoked']>[0]
type Revoked = Parameters<Listener>[0]

/** Message between processes about sessions. */
interface Message extends Revoked {
  /** `changed`: sessions are only read again; `revoked`: sockets close as well. */
  kind: 'changed' | 'revoked'
}

const CHANNEL = 'easydash_sessions'

/** Notifies every process when sessions end or change. Messages are sent when the transaction commits. */
export interface Revocations {
  /** Starts listening; resolves once subscribed. */
  start(): Promise<void>
  /** Starts listening without waiting. Failures are logged and retried at the next call. */
  startInBackground(): void
  ended(trx: Db, user: string, sessionId: string): Promise<void>
  /** A session expired; every process detects that on its own. */
  endedHere(user: string, sessionId: string): void
  /**
   * The user lost permissions in an organization (null: in all). Sockets close and reconnect with the remaining permissions.
   */
  lostOrganization(tx: Tx, user: string, organization: string | null): Promise<void>
  changed(tx: Tx, user: string): Promise<void>
  onRevoked: SessionStore['onRevoked']
}

/**
 * Creates the exchange; `forget` drops the cached sessions of one user or of all, `forgetEverywhere` also those of the other
 * processes of this port.
 */
export function createRevocations(
  deps: Pick<AccountsDeps, 'database' | 'log'> & {
    forget: (user: string | null) => void
    forgetEverywhere: (user: string | null) => Promise<void>
  },
): Revocations {
  const { database, log, forget, forgetEverywhere } = deps
  const listeners = new Set<Listener>()
  let listening: Promise<void> | null = null

  const notify = (revoked: Revoked) => {
    for (const listener of listeners) {
      try {
        listener(revoked)
      } catch (error) {
        log.error('A listener of ended sessions failed', { error })
      }
    }
  }

  function receive(payload: string): void {
    const { kind, user, sessionId, organization } = JSON.parse(payload) as Message
    forget(user)
    if (kind === 'revoked') notify({ user, sessionId, organization })
  }

  /** Notifications may have been missed while disconnected, so recently ended sessions are announced again. */
  async function catchUp(): Promise<void> {
    forget(null)
    // Losing an organization leaves no row to query, so every connection has to check itself.
    notify({ user: null, sessionId: null, organization: null })
    const { rows } = await sql<{
      id: string
      user: string
    }>`select id, "user" from easydash_session where ended > now() - interval '15 minutes'`.execute(database.db)
    for (const row of rows) notify({ user: row.user, sessionId: row.id, organization: null })
  }

  async function listen(): Promise<void> {
    await database.listen(CHANNEL, receive, {
      onReconnect: () =>
        void catchUp().catch((error: unknown) => log.error('Ended sessions could not be read again', { error })),
    })
  }

  function start(): Promise<void> {
    listening ??= listen().catch((error: unknown) => {
      listening = null
      throw error
    })
    return listening
  }

  const send = (trx: Db, message: Message) => database.notify(trx, CHANNEL, JSON.stringify(message))
  /** This process drops its cache on commit: the next request may arrive before the notification. */
  const sendWith = async (tx: Tx, message: Message) => {
    await send(tx.trx, message)
    tx.afterCommit(() => forgetEverywhere(message.user))
  }
  const startInBackground = () =>
    void start().catch((error: unknown) => log.warn('Ended sessions cannot be announced immediately', { error }))

  return {
    start,
    startInBackground,
    ended: (trx, user, sessionId) => send(trx, { kind: 'revoked', user, sessionId, organization: null }),
    endedHere(user, sessionId) {
      forget(user)
      notify({ user, sessionId, organization: null })
    },
    lostOrganization: (tx, user, organization) =>
      sendWith(tx, { kind: 'revoked', user, sessionId: null, organization }),
    changed: (tx, user) => sendWith(tx, { kind: 'changed', user, sessionId: null, organization: null }),
    onRevoked(listener) {
      listeners.add(listener)
      startInBackground()
      return () => listeners.delete(listener)
    },
  }
}
