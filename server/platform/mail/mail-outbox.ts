import { sql } from 'kysely'
import type { OutboxMail, MailWithContent } from '#shared/responses/platform.ts'
import type { Db } from '../database/database.ts'

const columns = sql`id, "to", subject, kind, status, attempts, error, created, sent`

/** Emails in the outbox, newest first, and the number of matches. `status` null: all. */
export async function listMails(
  db: Db,
  options: { status: string | null; page: { limit: number; limit_start: number } },
): Promise<{ mails: OutboxMail[]; total: number }> {
  const where = options.status === null ? sql`true` : sql`status = ${options.status}`
  const { limit, limit_start } = options.page
  const { rows } = await sql<OutboxMail>`select ${columns} from easydash_mail where ${where} order by id desc
    limit ${limit} offset ${limit_start}`.execute(db)
  const total = await sql<{ n: number }>`select count(*) as n from easydash_mail where ${where}`.execute(db)
  return { mails: rows, total: Number(total.rows[0]?.n ?? 0) }
}

/** One email with its content; null if it does not exist (any more). */
export async function readMail(db: Db, id: number): Promise<MailWithContent | null> {
  const { rows } =
    await sql<MailWithContent>`select ${columns}, text, html from easydash_mail where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** Minutes after which an email that could not be delivered counts as delayed. */
const delayedMinutes = 10

/** Counts of the outbox. `delayed`: tried before, and still waiting after ten minutes, as while the mail server is down. */
export async function countMails(
  db: Db,
): Promise<{ queued: number; delayed: number; failed: number; kept: number; oldest_queued_seconds: number | null }> {
  const { rows } = await sql<{ queued: number; delayed: number; failed: number; kept: number; oldest: number | null }>`
    select count(*) filter (where status in ('Queued', 'Sending')) as queued,
      count(*) filter (where status in ('Queued', 'Sending') and attempts > 0
        and created < (now() at time zone 'utc') - make_interval(mins => ${delayedMinutes})) as delayed,
      count(*) filter (where status = 'Failed') as failed, count(*) filter (where status = 'Printed') as kept,
      extract(epoch from (now() at time zone 'utc') - min(created) filter (where status in ('Queued', 'Sending')))::float8 as oldest
    from easydash_mail`.execute(db)
  const row = rows[0]
  return {
    queued: row?.queued ?? 0,
    delayed: row?.delayed ?? 0,
    failed: row?.failed ?? 0,
    kept: row?.kept ?? 0,
    oldest_queued_seconds: row?.oldest == null ? null : Math.max(0, Math.round(row.oldest)),
  }
}

/** Of emails of a kind, by address and time (UTC) of their sending: which could not be delivered and are not tried any more. */
export async function findUndelivered(
  db: Db,
  kind: string,
  sent: readonly { readonly to: string; readonly at: string }[],
): Promise<ReadonlySet<string>> {
  if (sent.length === 0) return new Set()
  const { rows } = await sql<{ to: string }>`
    select s."to" from unnest(${sent.map(({ to }) => to)}::text[], ${sent.map(({ at }) => at)}::timestamp[]) as s("to", at)
    where exists (select from easydash_mail m where m.kind = ${kind} and m.status = 'Failed' and m."to" = s."to"
      and m.created between s.at - interval '1 minute' and s.at + interval '1 minute')`.execute(db)
  return new Set(rows.map(({ to }) => to))
}
