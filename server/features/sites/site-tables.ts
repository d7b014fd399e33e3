import type { Trx } from '#server/contracts/transaction.ts'
import { thumbnailTable } from './thumbnail-table.ts'
import { wordpressUserTable } from './wordpress-users/user-table.ts'

/** The tables of the sites feature besides those of doctypes. */
export async function siteTables(trx: Trx): Promise<void> {
  await thumbnailTable(trx)
  await wordpressUserTable(trx)
}
