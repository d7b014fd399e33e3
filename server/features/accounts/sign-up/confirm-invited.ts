import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { AccountServices } from '../account-services.ts'
import { noteGivenBy } from '../passwords/colleague-links.ts'
import { completeSignUp, markVerified } from './complete-sign-up.ts'
import type { TokenRow } from './one-time-tokens.ts'

/** The invitation that somebody signed up with, and its organization. */
export interface Vouched {
  readonly invitation: string
  readonly organization: string
}

/**
 * Verifies the account of an invited person on the word of a colleague, where there is no mail server that could prove the
 * address (decision 43). Returns a key for choosing a new password if the address was signed up with different ones; null
 * otherwise. The colleague may know the password that the account gets, so it opens no other organization. Throws `invalid` if there is no account yet, or one that is verified.
 */
export async function confirmInvited(
  services: AccountServices,
  tx: Tx,
  email: string,
  { invitation, organization }: Vouched,
): Promise<string | null> {
  await transactionLock(tx, `account:${email}`)
  const account = await tx.get(UserDoctype, email, { lock: true })
  if (!account || account.enabled !== 1)
    throw new AppError('invalid', msg`${email} has not signed up yet.`, {
      field: 'signed_up',
      excType: 'ValidationError',
      nextAction: msg`Send them the link of the invitation.`,
    })
  // Their word is worth nothing for an account that was verified otherwise: whoever has it, accepts with it.
  if (account.email_verified === 1)
    throw new AppError('invalid', msg`${email} already has a confirmed account.`, {
      field: 'signed_up',
      excType: 'ValidationError',
      nextAction: msg`Ask them to log in and open the link of the invitation.`,
    })
  const row = (await signUpWith(tx, email, invitation)) ?? { user: email, data: {} }
  const key = await completeSignUp(services, tx, { name: email }, row, {
    session: null,
    knowsPassword: false,
    vouchedIn: organization,
  })
  await noteGivenBy(tx.trx, email, organization)
  await markVerified(tx, account, email)
  await services.sessions.changed(tx, email)
  return key
}

/**
 * The newest sign-up of an address with this invitation, also after its link expired; null if none is stored. They are stored
 * for longer than an invitation is open (`one-time-tokens.ts`).
 */
async function signUpWith(tx: Tx, email: string, invitation: string): Promise<TokenRow | null> {
  const { rows } =
    await sql<TokenRow>`select "user", data from easydash_token where "user" = ${email} and kind = 'verify'
    and used is null and data->>'invitation' = ${invitation} order by created desc limit 1`.execute(tx.trx)
  return rows[0] ?? null
}
