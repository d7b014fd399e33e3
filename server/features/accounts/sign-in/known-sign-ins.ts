import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import type { SignInOrigin } from './request-details.ts'

/** Days after which an unused location counts as new again. */
const KEEP_DAYS = 180

/**
 * Records that an account was used from a location. Returns true if the location is new and the account has others: the very
 * first sign-in does not count.
 */
export async function isNewSignInOrigin(trx: Db, user: string, { device, country }: SignInOrigin): Promise<boolean> {
  await sql`delete from easydash_known_place
    where "user" = ${user} and last_used < now() - make_interval(days => ${KEEP_DAYS})`.execute(trx)
  const { rows } = await sql<{ fresh: boolean; others: boolean }>`
    with noted as (
      insert into easydash_known_place ("user", device, country) values (${user}, ${device}, ${country})
      on conflict ("user", device, country) do update set last_used = now() returning xmax = 0 as fresh)
    select fresh, exists (select 1 from easydash_known_place where "user" = ${user}) as others from noted`.execute(trx)
  return rows[0]?.fresh === true && rows[0].others
}
