import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { LockedError } from '#server/jobs/waiting-jobs.ts'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { bulkRows, type BulkRow } from '#shared/responses/bulk.ts'
import { bulkRowStates, type BulkRowState } from '#shared/rules/bulk-actions.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'

/** A site of a new run. */
export interface NewRow {
  readonly name: string
  readonly title: string
  /** Null if it is the title. */
  readonly address: string | null
}

/** Adds the sites of a new run. */
export async function addRows(tx: Tx, run: string, sites: readonly NewRow[]): Promise<void> {
  await sql`insert into easydash_bulk_row (run, site, position, title, address, state)
    select ${run}, given.site, given.position, given.title, given.address, 'waiting'
    from unnest(${sites.map(({ name }) => name)}::text[], ${sites.map(({ title }) => title)}::text[],
        ${sites.map(({ address }) => address)}::text[])
      with ordinality as given (site, title, address, position)`.execute(tx.trx)
}

const at = (column: string) => sql.raw(`to_char(${column}, 'YYYY-MM-DD HH24:MI:SS.US')`)

/** The sites of a run with the steps of their jobs, in one statement. */
export async function readRows(tx: Tx, run: string): Promise<BulkRow[]> {
  const { rows } = await sql`
    select r.site, not exists (select 1 from tab_site where name = r.site) as deleted, r.title, r.address, r.state, r.reason, r.reason_i18n, r.job, ${at('r.started')} as started, ${at('r.ended')} as ended,
      coalesce((select jsonb_agg(jsonb_build_object('key', step ->> 'key', 'label', step ->> 'label',
          'status', step ->> 'status', 'started', step ->> 'started', 'ended', step ->> 'ended') order by n)
        from jsonb_array_elements(j.steps) with ordinality as one (step, n)), '[]'::jsonb) as steps
    from easydash_bulk_row r left join tab_job j on j.name = r.job
    where r.run = ${run} order by r.position`.execute(tx.trx)
  return bulkRows.parse(rows)
}

/**
 * The site whose turn it is, if fewer than `atOnce` of its organization run: one in whose way no job was, or whose job has ended.
 */
export async function nextRow(
  tx: Tx,
  run: string,
  atOnce: number,
): Promise<{ site: string; domain: string } | undefined> {
  const { rows } = await sql<{ site: string; domain: string }>`
    select r.site, coalesce(r.address, r.title) as domain from easydash_bulk_row r left join tab_job held on held.name = r.held_by
    where r.run = ${run} and r.state = 'waiting'
      and (r.held_by is null or held.status in (${sql.join([...endedJobStatuses])}))
      and (select count(*) from tab_bulk_run own join tab_bulk_run b on b.organization = own.organization
        join easydash_bulk_row o on o.run = b.name where own.name = ${run} and o.state = 'running') < ${atOnce}
    order by r.position limit 1`.execute(tx.trx)
  return rows[0]
}

/** A row got its job. False if it was not waiting any more. */
export async function rowStarted(tx: Tx, run: string, site: string, job: string, now: number): Promise<boolean> {
  const { numAffectedRows } = await sql`update easydash_bulk_row
    set state = 'running', job = ${job}, held_by = null, reason = null, reason_i18n = null,
      started = ${formatTimestamp(now)}, ended = null
    where run = ${run} and site = ${site} and state = 'waiting'`.execute(tx.trx)
  return numAffectedRows === 1n
}

/** A waiting row ended without a job. */
export async function rowRefused(
  tx: Tx,
  { run, site, now }: { run: string; site: string; now: number },
  state: 'failed' | 'skipped',
  why: LocalizedMessage,
): Promise<void> {
  const { reason, reason_i18n } = serializeMessage('reason', why)
  await sql`update easydash_bulk_row set state = ${state}, job = null, held_by = null, reason = ${reason},
      reason_i18n = ${JSON.stringify(reason_i18n)}::jsonb, ended = ${formatTimestamp(now)}
    where run = ${run} and site = ${site} and state = 'waiting'`.execute(tx.trx)
}

/** A row waits because another job is in its way. */
export async function rowHeld(tx: Tx, run: string, site: string, { holder, localized }: LockedError): Promise<void> {
  const { reason, reason_i18n } = serializeMessage('reason', localized)
  await sql`update easydash_bulk_row set held_by = ${holder.name}, reason = ${reason},
      reason_i18n = ${JSON.stringify(reason_i18n)}::jsonb
    where run = ${run} and site = ${site} and state = 'waiting'`.execute(tx.trx)
}

/** Cancels all that did not start. */
export async function cancelWaiting(tx: Tx, run: string, now: number): Promise<void> {
  await sql`update easydash_bulk_row set state = 'canceled', held_by = null, reason = null, reason_i18n = null,
      ended = ${formatTimestamp(now)}
    where run = ${run} and state = 'waiting'`.execute(tx.trx)
}

/** Failed rows wait for another turn. Returns how many there were. */
export async function retryFailed(tx: Tx, run: string): Promise<number> {
  const { numAffectedRows } = await sql`update easydash_bulk_row set state = 'waiting', job = null, held_by = null,
      reason = null, reason_i18n = null, started = null, ended = null
    where run = ${run} and state = 'failed'`.execute(tx.trx)
  return Number(numAffectedRows ?? 0)
}

/** Rows whose state is no longer that of their job: it ended, is gone, or was retried by itself. */
const stale =
  sql.raw(`(r.state = 'running' and (j.name is null or j.status in (${endedJobStatuses.map((status) => `'${status}'`).join(', ')}))
  or r.state = 'failed' and j.status <> 'Failed')`)

/** Runs that go on, and those with stale rows. */
export async function openRuns(tx: Tx): Promise<{ name: string; settle: boolean }[]> {
  const { rows } = await sql<{ name: string; settle: boolean }>`
    select b.name, b.waiting + b.running = 0 or exists (select 1 from easydash_bulk_row r left join tab_job j on j.name = r.job
      where r.run = b.name and r.job is not null and r.state in ('running', 'failed') and (${stale})) as settle
    from tab_bulk_run b where b.status = 'Running' or b.running > 0 or b.failed > 0`.execute(tx.trx)
  return rows
}

/** Copies what became of the jobs to their rows. */
export async function settleRows(tx: Tx, run: string, now: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update easydash_bulk_row r set
      state = case when now_.status is null then 'failed' when now_.status = 'Done' then 'done'
        when now_.status = 'Failed' then 'failed' when now_.status = 'Cancelled' then 'canceled' else 'running' end,
      reason = case when now_.status is null then 'Its job no longer exists.'
        when now_.status = 'Failed' then now_.error_message when now_.status = 'Cancelled' then now_.outcome end,
      reason_i18n = case when now_.status is null then '{"id": "Its job no longer exists."}'::jsonb
        when now_.status = 'Failed' then now_.error_message_i18n
        when now_.status = 'Cancelled' then now_.outcome_i18n end,
      ended = case when now_.status is null then ${formatTimestamp(now)}::timestamp else now_.ended end
    from (select r.site, j.status, j.error_message, j.error_message_i18n, j.outcome, j.outcome_i18n, j.ended
      from easydash_bulk_row r left join tab_job j on j.name = r.job
      where r.run = ${run} and r.job is not null and r.state in ('running', 'failed') and (${stale})) now_
    where r.run = ${run} and r.site = now_.site`.execute(tx.trx)
  return (numAffectedRows ?? 0n) > 0n
}

/** Rows that run now in all runs of an organization; serializes those that start one. */
export async function runningRows(tx: Tx, organization: string): Promise<number> {
  await transactionLock(tx, `bulk:${organization}`)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from easydash_bulk_row r join tab_bulk_run b on b.name = r.run
    where b.organization = ${organization} and r.state = 'running'`.execute(tx.trx)
  return rows[0]?.n ?? 0
}

/**
 * Writes the numbers of a run's rows, and its status if that follows from them: nothing is left to do, or there is something
 * again. The run must be locked. Everybody who shows it is told by this write.
 */
export async function recount(
  tx: Tx,
  run: BulkRun,
  now: number,
  { status = run.status, owner }: { status?: BulkRun['status']; owner?: string } = {},
): Promise<void> {
  const { rows } = await sql<{ state: BulkRowState; n: number }>`
    select state, count(*)::int as n from easydash_bulk_row where run = ${run.name} group by state`.execute(tx.trx)
  const counts = Object.fromEntries(
    bulkRowStates.map((state) => [state, rows.find((row) => row.state === state)?.n ?? 0]),
  ) as Record<BulkRowState, number>
  const left = counts.waiting + counts.running
  const next = status === 'Cancelled' ? status : left === 0 ? 'Done' : status === 'Done' ? 'Running' : status
  const ended = left === 0 ? (run.ended ?? formatTimestamp(now)) : null
  await tx.update(
    BulkRunDoctype,
    run.name,
    { ...counts, status: next, ended },
    { hooks: false, activity: false, ...(owner === undefined ? {} : { owner }) },
  )
}
