import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'

/** Time limit for the second step of a login, in seconds (wire contract, section 4). */
export const loginStepSeconds = 180

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Records that the password was correct, or the identity at the login provider (`providerLink`), and a code is still needed.
 * Returns the 8-character id of the attempt; only its hash is stored. It needs no more entropy because codes are rate limited
 * per account.
 */
export async function openLoginStep(db: Db, user: string, providerLink: string | null = null): Promise<string> {
  const id = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
  await sql`delete from easydash_login_step where expires < now()`.execute(db)
  await sql`insert into easydash_login_step (hash, "user", provider_link, expires)
    values (${hashToken(id)}, ${user}, ${providerLink}, now() + make_interval(secs => ${loginStepSeconds}))`.execute(db)
  return id
}

/** What a login attempt is about. */
interface LoginStep {
  readonly user: string
  /** The link by which it began; null if with the password. */
  readonly providerLink: string | null
}

/** A login attempt; null if it has expired. Changing the password or disabling the account also ends it. */
export async function loginStepOf(db: Db, id: string): Promise<LoginStep | null> {
  if (!/^[A-Za-z0-9]{8}$/.test(id)) return null
  const { rows } = await sql<LoginStep>`select s."user", s.provider_link as "providerLink" from easydash_login_step s
    join tab_user u on u.name = s."user" and u.enabled = 1
    join easydash_credential c on c."user" = s."user" and c.changed <= s.created
    where s.hash = ${hashToken(id)} and s.expires > now()`.execute(db)
  return rows[0] ?? null
}

/** Ends an attempt; of several concurrent callers, exactly one gets true. */
export async function closeLoginStep(trx: Db, id: string): Promise<boolean> {
  const { rows } = await sql`delete from easydash_login_step where hash = ${hashToken(id)} returning 1`.execute(trx)
  return rows.length > 0
}
