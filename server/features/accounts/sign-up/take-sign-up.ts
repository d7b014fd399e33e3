import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { UserDoctype, type User } from '#shared/doctypes/user.ts'
import { forgetSettings } from '../forget-settings.ts'
import { dropTokens, issueToken, type TokenRow } from './one-time-tokens.ts'
import type { AccountServices } from '../account-services.ts'

/** Whether whoever follows a link has shown to be the one whose password counts. */
export interface LinkProof {
  /** The session of the account in which the link is followed; null elsewhere. */
  session: string | null
  /** The password typed beside the link is that of the link's sign-up. */
  knowsPassword: boolean
}

/**
 * Settles which password a newly verified account has (decisions 8 and 10). Returns the key to choose a new one with when
 * nobody can tell: then every earlier password, session and setting is gone.
 *
 * The mail goes to the owner of the mailbox, whoever signed up. As long as all sign-ups for the address had the same
 * password it stands. When they had different ones, one of them may be a stranger's who waits for the owner to follow
 * any link; so the password counts only for who has shown to know it.
 */
export async function takeSignUp(
  services: AccountServices,
  tx: Tx,
  account: Pick<User, 'name'>,
  row: TokenRow,
  proof: LinkProof,
): Promise<string | null> {
  const { signUp } = row.data
  const user = account.name
  const contested = await isContested(tx, user)
  if (contested && proof.session !== null) return null
  if (contested && !proof.knowsPassword) {
    await services.credentials.remove(tx.trx, user)
    await startOver(services, tx, user)
    return issueToken(tx.trx, 'reset', user)
  }
  if (!signUp) return null
  if (contested) {
    await services.credentials.store(tx.trx, user, signUp.password_hash)
    await startOver(services, tx, user)
  }
  const { password_hash: _, ...wishes } = signUp
  await tx.update(UserDoctype, user, wishes, { activity: false })
  return null
}

/** Sessions, settings and keys may be a stranger's as well. */
async function startOver(services: AccountServices, tx: Tx, user: string): Promise<void> {
  await services.sessions.endAll(tx, user)
  await forgetSettings(services, tx, user)
  await dropTokens(tx.trx, 'reset', user)
}

/** Whether sign-ups for an address, the first one and those of the links on their way, had different passwords. */
async function isContested(tx: Tx, user: string): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`select count(distinct hash)::int as n from (
      select password_hash as hash from easydash_credential where "user" = ${user}
      union all
      select data->'signUp'->>'password_hash' from easydash_token
        where "user" = ${user} and kind = 'verify' and expires > now()) as known
    where hash is not null`.execute(tx.trx)
  return (rows[0]?.n ?? 0) > 1
}
