import { sql, type QueryExecutorProvider } from 'kysely'

/** Serializes transactions that decide about the same thing, until the end of the transaction. */
export async function transactionLock(tx: { readonly trx: QueryExecutorProvider }, what: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`easydash:${what}`}, 0))`.execute(tx.trx)
}
