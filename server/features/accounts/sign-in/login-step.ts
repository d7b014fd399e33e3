import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'

/** How long the second step of a login may take, in seconds (wire contract, section 4). */
export const loginStepSeconds = 180

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Notes that somebody knew the password and still has to give a code. Returns the 8 characters that name the attempt;
 * only their hash is kept. They guard nothing by themselves: codes are limited for the account.
 */
export async function openLoginStep(db: Db, user: string): Promise<string> {
  const id = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')
  await sql`delete from easydash_login_step where expires < now()`.execute(db)
  await sql`insert into easydash_login_step (hash, "user", expires)
    values (${hashToken(id)}, ${user}, now() + make_interval(secs => ${loginStepSeconds}))`.execute(db)
  return id
}

/**
 * Whose attempt it is; null when there is none any more. A password changed since then, or a disabled account, ends it
 * as well.
 */
export async function loginStepOf(db: Db, id: string): Promise<string | null> {
  if (!/^[A-Za-z0-9]{8}$/.test(id)) return null
  const { rows } = await sql<{ user: string }>`select s."user" from easydash_login_step s
    join tab_user u on u.name = s."user" and u.enabled = 1
    join easydash_credential c on c."user" = s."user" and c.changed <= s.created
    where s.hash = ${hashToken(id)} and s.expires > now()`.execute(db)
  return rows[0]?.user ?? null
}

/** Ends an attempt: of several callers at once one gets true. */
export async function closeLoginStep(trx: Db, id: string): Promise<boolean> {
  const { rows } = await sql`delete from easydash_login_step where hash = ${hashToken(id)} returning 1`.execute(trx)
  return rows.length > 0
}
