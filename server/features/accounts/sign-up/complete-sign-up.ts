import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { UserDoctype, platformRole, type User } from '#shared/doctypes/user.ts'
import { accountActivity } from '../account-activity.ts'
import { forgetSettings } from '../forget-settings.ts'
import { dropTokens, issueToken, type TokenRow } from './one-time-tokens.ts'
import type { AccountServices } from '../account-services.ts'

/** Proof that the person who follows a link is the one whose password should apply. */
export interface LinkProof {
  /** The account's own session in which the link is followed; null otherwise. */
  session: string | null
  /** The password entered with the link matches the link's sign-up. */
  knowsPassword: boolean
  /**
   * The organization whose colleague vouches instead of a link (decision 43). Sign-ups then count after their links expired, too,
   * and the key for a new password is marked, because that colleague passes it on.
   */
  vouchedIn?: string
}

/**
 * Decides which password a newly verified account gets (decisions 8 and 10). If that is ambiguous, removes all earlier
 * passwords, sessions and settings, and returns a key for choosing a new password.
 *
 * The email goes to the owner of the mailbox, no matter who signed up. If all sign-ups for the address used the same
 * password, it is kept. If they differ, one may belong to a stranger who waits for the owner to follow any link, so a
 * password applies only if the user proves that they know it.
 */
export async function completeSignUp(
  services: AccountServices,
  tx: Tx,
  account: Pick<User, 'name'>,
  row: TokenRow,
  proof: LinkProof,
): Promise<string | null> {
  const { signUp } = row.data
  const user = account.name
  const contested = await isContested(tx, user, proof.vouchedIn !== undefined)
  if (contested && proof.session !== null) return null
  if (contested && !proof.knowsPassword) {
    await services.credentials.remove(tx.trx, user)
    await resetAccount(services, tx, user)
    const { vouchedIn } = proof
    return issueToken(tx.trx, 'reset', user, vouchedIn === undefined ? {} : { givenBy: { organization: vouchedIn } })
  }
  if (!signUp) return null
  if (contested) {
    await services.credentials.store(tx.trx, user, signUp.password_hash)
    await resetAccount(services, tx, user)
  }
  const { password_hash: _, ...wanted } = signUp
  await tx.update(UserDoctype, user, wanted, { activity: false })
  return null
}

/** Sessions, settings and keys may also belong to a stranger. */
async function resetAccount(services: AccountServices, tx: Tx, user: string): Promise<void> {
  await services.sessions.endAll(tx, user)
  await forgetSettings(services, tx, user)
  await dropTokens(tx.trx, 'reset', user)
}

/** Marks an account as verified, which makes the other links for verifying it useless. */
export async function markVerified(tx: Tx, account: User, email: string): Promise<void> {
  const roles = [...new Set([...(account.roles ?? []), platformRole])]
  await tx.update(UserDoctype, email, { email_verified: 1, roles }, { activity: false })
  await dropTokens(tx.trx, 'verify', email)
  await tx.activity(accountActivity('account.verify_email', email))
}

/** Whether the sign-ups for an address (the first one and those of links, open or also expired) used different passwords. */
async function isContested(tx: Tx, user: string, expired: boolean): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`select count(distinct hash)::int as n from (
      select password_hash as hash from easydash_credential where "user" = ${user}
      union all
      select data->'signUp'->>'password_hash' from easydash_token
        where "user" = ${user} and kind = 'verify' and (${expired} or expires > now())) as known
    where hash is not null`.execute(tx.trx)
  return (rows[0]?.n ?? 0) > 1
}
