import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import type { Controller, HookContext } from '#server/contracts/controller.ts'
import type { ActivityEntry, DocumentEvent, Trx, Tx } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import type { RowCache } from './known-rows.ts'
import type { Sealing } from './sealed-fields.ts'
import type { WrittenBytes } from './written-bytes.ts'

/** Dependencies of an open transaction. */
export interface TransactionEnvironment extends Sealing {
  /** Returns the description of a doctype; throws if there is none. */
  readonly type: (name: string) => Doctype
  readonly typeByName: TypeByName
  readonly controllers: (doctype: string) => readonly Controller[]
}

/** A transaction with its recorded events and activity entries, to be published after commit. */
export interface OpenTransaction extends Tx {
  /** The connection for statements of the store itself; `trx` is for everything else (`known-rows.ts`). */
  readonly connection: Trx
  /** Keeps a document loaded with its lock, so that writing it doesn't read it again. */
  keep(type: Doctype, doc: AnyDoc): void
  readonly events: DocumentEvent[]
  readonly activities: ActivityEntry[]
  readonly afterCommitFns: (() => void | Promise<void>)[]
}

/**
 * State of an open transaction: the first argument of the functions that read and write documents in it. They don't check
 * permissions; that is done before them (`operations/`).
 */
export interface TransactionContext {
  readonly connection: Trx
  readonly environment: TransactionEnvironment
  /** Session and transaction as hooks get them. */
  readonly hookContext: HookContext
  /** Rows this transaction has locked or written. */
  readonly known: RowCache
  /** Bytes written so far, which count toward the limit of the organization. */
  readonly written: WrittenBytes
  /** Events to send after commit. */
  readonly events: DocumentEvent[]
  /** Activity entries to write right before the commit. */
  readonly activities: ActivityEntry[]
}
