import { sql } from 'kysely'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Session } from '#server/contracts/session.ts'
import type { ActivityEntry, Trx, Tx } from '#server/contracts/transaction.ts'
import { msg } from '#shared/localized-message.ts'
import { ownerActedFor, platformChain } from '../activity/activity-log.ts'
import { newName } from '../store/rows.ts'
import type { OpenTransaction } from '../store/transaction-context.ts'

/*
 * Actions whose call to another system has begun and not ended. If the process is stopped meanwhile, nobody is left who records
 * how it went: so that it is not missing in the activity log, others record that it is unknown.
 */

/** Seconds after its deadline in which an action writes how it ended. */
const secondsToRecord = 60

/** Creates the table of open calls. Runs in the migration. */
export async function openCallTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_open_call (id text primary key, until timestamp(6) not null,
    entry jsonb not null)`.execute(trx)
}

/** Notes the call of an action in the transaction that admits it. Returns what `endCall` needs. `entry` has no content of documents. */
export async function beginCall(tx: OpenTransaction, entry: ActivityEntry, deadlineMs: number): Promise<string> {
  const id = newName()
  const on_behalf_of = await ownerActedFor(tx.connection, tx.session, entry.organization ?? platformChain)
  const stored: ActivityEntry = { ...entry, actor: tx.session.user, on_behalf_of }
  await sql`insert into easydash_open_call (id, until, entry) values (${id},
    (clock_timestamp() at time zone 'utc') + make_interval(secs => ${deadlineMs / 1000 + secondsToRecord}),
    ${JSON.stringify(stored)}::jsonb)`.execute(tx.connection)
  return id
}

/** Forgets the call, in the transaction that records how it ended. */
export async function endCall(tx: OpenTransaction, id: string): Promise<void> {
  await sql`delete from easydash_open_call where id = ${id}`.execute(tx.connection)
}

/** Records the calls that nobody ended in time. */
export function openCallsSchedule(
  transaction: <T>(session: Session, work: (tx: Tx) => Promise<T>) => Promise<T>,
  session: Session,
): ScheduledWork {
  const run = (): Promise<void> =>
    transaction(session, async (tx) => {
      const { rows } = await sql<{ entry: ActivityEntry }>`delete from easydash_open_call
        where until < clock_timestamp() at time zone 'utc' returning entry`.execute(tx.trx)
      for (const { entry } of rows) await tx.activity({ ...entry, result: 'Failed', detail: stopped })
    })
  return { name: 'documents.open_calls', everySeconds: 60, atStart: true, run }
}

/** Continues the wording of the action. */
const stopped = msg`until Easydash was stopped (it may have happened: look before you repeat it)`
