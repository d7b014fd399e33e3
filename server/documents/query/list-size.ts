import { sql, type RawBuilder } from 'kysely'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'
import type { Selected } from './select.ts'
import type { Trx } from '#server/contracts/transaction.ts'

/** Most bytes of the rows of one list, as JSON. */
export const mostListBytes = 4 * 1024 * 1024

/** State with which PostgreSQL ends a list that is larger; of a class that it leaves to applications. */
const tooLargeState = 'ED413'

/** Creates what ends a list that grows too large while it is read. Runs in the migration. */
export async function listSizeFunction(trx: Trx): Promise<void> {
  await sql`create or replace function easydash_list_within(bytes numeric, most bigint) returns boolean language plpgsql as
    $$ begin
      if bytes > most then raise exception 'the list is too large' using errcode = ${sql.lit(tooLargeState)}; end if;
      return true;
    end $$`.execute(trx)
}

/** Most bytes of a value of a column as JSON; infinite where only reading it tells. */
function mostBytesOf({ aggregate, column }: Selected): number {
  if (!column || aggregate === 'count') return 24
  const { fieldtype, length } = column.field
  switch (fieldtype) {
    case 'Check':
    case 'Int':
    case 'Float':
    case 'Date':
    case 'Datetime':
      return 40
    // What is stored may be older than the limit of its field.
    case 'JSON':
    case 'Table':
    case 'Long Text':
      return Infinity
    default:
      // A control character takes six.
      return (length ?? 300) * 6
  }
}

/** Whether that many rows with these columns can be too large. Most lists cannot, and are read without a measure. */
export function canBeTooLarge(selected: readonly Selected[], rows: number): boolean {
  const row = selected.reduce((sum, one) => sum + one.key.length + 4 + mostBytesOf(one), 2)
  return row * rows > mostListBytes
}

/**
 * A query whose rows are added up as JSON while they are read: with the row that is too much the database stops, so that
 * neither side ever holds more.
 */
export function measured(query: RawBuilder<unknown>): RawBuilder<Record<string, unknown>> {
  return sql`select * from (
      select q.*, sum(octet_length(row_to_json(q)::text)) over (rows unbounded preceding) as easydash_bytes
      from (${query}) q) w
    where easydash_list_within(w.easydash_bytes, ${mostListBytes})`
}

/** What a list threw; the database's refusal of one that is too large says what to do. */
export function listError(error: unknown): unknown {
  if ((error as { code?: unknown }).code !== tooLargeState) return error
  return new AppError('limit_reached', say`The answer would have more than ${mostListBytes / 1024 / 1024} MB.`, {
    field: 'fields',
    nextAction: say`Ask for fewer fields or fewer rows at a time.`,
    cause: error,
  })
}
