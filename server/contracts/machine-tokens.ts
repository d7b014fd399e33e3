import type { MachineKind, Session } from './session.ts'
import type { Tx } from './transaction.ts'

/** What a machine's token is for. */
export interface MachineSubject {
  readonly kind: MachineKind
  /** Name of the Server document, or of the webhook endpoint. */
  readonly name: string
  /** Slug; that of the server's organization. Null for webhooks of the whole installation. */
  readonly organization: string | null
}

/**
 * Tokens of machines. Implemented by the accounts feature, for raw routes of other features, whose declared actions make and
 * revoke them and are recorded in the activity log.
 */
export interface MachineTokens {
  /** Creates a token and returns it, the only time it is visible; its hash is stored. Other tokens stay valid. */
  issue(tx: Tx, subject: MachineSubject): Promise<string>
  /**
   * Session of a token for this subject; null if it is unknown, revoked, of another kind or another subject, or if the server
   * was deleted, decommissioned or moved to another organization.
   */
  resolve(subject: Pick<MachineSubject, 'kind' | 'name'>, token: string, ip: string): Promise<Session | null>
  /** Revokes all tokens of a subject. Returns how many were valid. */
  revoke(tx: Tx, subject: Pick<MachineSubject, 'kind' | 'name'>): Promise<number>
}
