import type { Controller } from '#server/contracts/controller.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import type { Doctype } from '#shared/doctype.ts'
import type { CallerContext } from '../permissions/access.ts'
import type { Transactions } from '../store/run-transaction.ts'
import type { OpenTransaction } from '../store/transaction-context.ts'

/** Dependencies of the operations: the first argument of each of them. */
export interface DocumentsContext {
  readonly db: Db
  readonly typeByName: TypeByName
  /** Returns the description of a doctype. Throws `not_found` if there is none. */
  readonly type: (name: string) => Doctype
  readonly controllers: (doctype: string) => readonly Controller[]
  readonly transactions: Transactions
}

/** The caller of a transaction. */
export function transactionCaller({ typeByName }: DocumentsContext, tx: OpenTransaction): CallerContext {
  return { db: tx.connection, session: tx.session, typeByName }
}
