import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { sql, type RawBuilder } from 'kysely'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { Selected } from './select.ts'
import type { Trx } from '#server/contracts/transaction.ts'

/** Maximum size of the rows of a list, as JSON in bytes. */
export const maxListBytes = 4 * 1024 * 1024

/** SQLSTATE raised for a list that is too large; from a class available to applications. */
const tooLargeState = 'ED413'

/** Creates the function that aborts a list growing too large while it is read. Runs in the migration. */
export async function listSizeFunction(trx: Trx): Promise<void> {
  await sql`create or replace function easydash_list_within(bytes numeric, most bigint) returns boolean language plpgsql as
    $$ begin
      if bytes > most then raise exception 'the list is too large' using errcode = ${sql.lit(tooLargeState)}; end if;
      return true;
    end $$`.execute(trx)
}

/** Maximum size of a column's value as JSON in bytes; infinite if it is only known after reading. */
function maxBytesOf({ aggregate, column }: Selected): number {
  if (!column || aggregate === 'count') return 24
  const { fieldtype, length } = column.field
  switch (fieldtype) {
    case 'Check':
    case 'Int':
    case 'Float':
    case 'Date':
    case 'Datetime':
      return 40
    // Stored values may be older than their field's limit.
    case 'JSON':
    case 'Table':
    case 'Long Text':
      return Infinity
    default:
      // A control character takes six bytes.
      return (length ?? 300) * 6
  }
}

/** Whether this many rows with these columns could be too large. Most lists can't and are read without measuring. */
export function canBeTooLarge(selected: readonly Selected[], rows: number): boolean {
  const row = selected.reduce((sum, one) => sum + one.key.length + 4 + maxBytesOf(one), 2)
  return row * rows > maxListBytes
}

/**
 * Wraps a query so that the size of its rows as JSON is added up while reading: the database aborts at the row that exceeds
 * the limit, so neither side ever holds more.
 */
export function withSizeLimit(query: RawBuilder<unknown>): RawBuilder<Record<string, unknown>> {
  return sql`select * from (
      select q.*, sum(octet_length(row_to_json(q)::text)) over (rows unbounded preceding) as easydash_bytes
      from (${query}) q) w
    where easydash_list_within(w.easydash_bytes, ${maxListBytes})`
}

/** Translates the database's error for a list that is too large to one with advice; other errors are returned as is. */
export function listError(error: unknown): unknown {
  if (systemErrorCode(error) !== tooLargeState) return error
  return new AppError('limit_reached', msg`The answer would have more than ${maxListBytes / 1024 / 1024} MB.`, {
    field: 'fields',
    nextAction: msg`Ask for fewer fields or fewer rows at a time.`,
    cause: error,
  })
}
