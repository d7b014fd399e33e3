import { sql, type RawBuilder } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Creates the function that makes texts comparable regardless of case and diacritics, as lists and search compare them
 * ("Bäckerei" and "BACKEREI"; Frappe's databases compare the same way). Runs in the migration. It is one expression, so that
 * PostgreSQL inlines it, and of text in ASCII only the case is changed.
 */
export async function foldFunction(trx: Trx): Promise<void> {
  await sql`create or replace function easydash_fold(value text) returns text language sql immutable parallel safe as $fold$
    select case when octet_length(value) = char_length(value) then lower(value)
      else replace(replace(replace(translate(
        regexp_replace(lower(normalize(value, NFD)), '[\\u0300-\\u036f]', '', 'g'),
        'øłđðı', 'olddi'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')
    end $fold$`.execute(trx)
}

/** Combining marks, which comparing removes. */
export const marks = /[\u0300-\u036f]/g

/** A text as SQL, regardless of case and diacritics. */
export const folded = (text: RawBuilder<unknown>): RawBuilder<string> => sql<string>`easydash_fold(${text})`
