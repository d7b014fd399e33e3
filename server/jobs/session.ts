import type { Documents } from '#server/contracts/documents.ts'
import type { Session, Via } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { UserDoctype, adminProfile, platformRole, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Session of the system itself, for schedules and jobs. */
export function systemSession(via: Via = 'job', organization: string | null = null): Session {
  return {
    user: 'System',
    kind: 'system',
    organization,
    platformAdmin: false,
    verified: true,
    fullName: 'System',
    via,
    ip: null,
    id: null,
    reauthAt: null,
  }
}

/**
 * The current rights of a job's initiator, read again instead of remembered from when the job was started. Throws AppError
 * `forbidden` if the account was deleted or disabled.
 */
export async function initiatorSession(documents: Documents, user: string, organization: string): Promise<Session> {
  return documents.transaction(systemSession(), (tx) => initiatorSessionIn(tx, user, organization))
}

/** The same inside a transaction, which must not wait for a second connection while it holds one. */
export async function initiatorSessionIn(tx: Tx, user: string, organization: string): Promise<Session> {
  if (user === 'System') return systemSession('schedule', organization)
  const account = await tx.get(UserDoctype, user)
  if (!account || account.enabled !== 1) {
    throw new AppError('forbidden', msg`The account that started this was disabled.`, {
      nextAction: msg`Start it again with another account.`,
    })
  }
  return accountSession(account, organization)
}

/** The rights of an account in an organization, for work that nobody waits for. */
export function accountSession(account: User, organization: string): Session {
  return {
    user: account.name,
    // The user's own rights, as in a browser; `via` records that a job acts.
    kind: 'cookie',
    organization,
    platformAdmin: account.role_profile_name === adminProfile,
    verified: account.email_verified === 1 && (account.roles ?? []).includes(platformRole),
    fullName: account.full_name ?? account.name,
    via: 'job',
    ip: null,
    id: null,
    reauthAt: null,
  }
}
