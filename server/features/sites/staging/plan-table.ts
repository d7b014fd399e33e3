import { sql } from 'kysely'
import type * as z from 'zod/mini'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { storedPushPlan, type PushPlan } from '#shared/responses/push-plan.ts'

/** Creates the table of the last plan of each staging site, if it is missing. */
export async function pushPlanTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_push_plan (
    site text primary key references tab_site (name) on delete cascade,
    plan jsonb not null,
    made_at timestamp(6) not null)`.execute(trx)
}

/** The last plan, as `PushPlan` in the API. */
export async function readPlan(tx: Tx, site: string): Promise<z.infer<typeof storedPushPlan>> {
  const { rows } = await sql<{ plan: unknown; made_at: string | null }>`
    select plan, to_char(made_at, 'YYYY-MM-DD HH24:MI:SS.US') as made_at
    from easydash_push_plan where site = ${site}`.execute(tx.trx)
  return storedPushPlan.safeParse(rows[0]).data ?? { plan: null, made_at: null }
}

/** Stores a plan made at this time. The site must exist. */
export async function writePlan(tx: Tx, site: string, plan: PushPlan, at: string): Promise<void> {
  // Postgres stores no NUL.
  const text = JSON.stringify(plan).replaceAll('\\u0000', '')
  await sql`insert into easydash_push_plan (site, plan, made_at)
    values (${site}, ${text}::jsonb, ${at}::timestamp)
    on conflict (site) do update set plan = excluded.plan, made_at = excluded.made_at`.execute(tx.trx)
}

/** Forgets the plan of a site. */
export async function deletePlan(tx: Tx, site: string): Promise<void> {
  await sql`delete from easydash_push_plan where site = ${site}`.execute(tx.trx)
}
