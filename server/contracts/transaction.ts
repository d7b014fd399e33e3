import type { AnyDoc, Doc, Doctype, FilterTriple } from '#shared/doctype.ts'
import type { Kysely } from 'kysely'
import type { Session } from './session.ts'

/** Rows as the database gives them; each doctype's columns are known from its description, not from types. */
export type Tables = Record<string, Record<string, unknown>>

/** Database handle of the document store. */
export type Db = Kysely<Tables>

/** The same inside an open transaction (migrations hand a plain connection on, so the types are one). */
export type Trx = Db

/** What an activity entry says. */
export interface ActivityEntry {
  action: string
  organization?: string | null
  reference_doctype?: string
  reference_name?: string
  reference_title?: string
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
  result?: 'Done' | 'Failed' | 'Denied' | 'Started' | 'Cancelled'
  took_ms?: number
  job?: string | null
  actor?: string
  on_behalf_of?: string | null
}

/** After-commit event of the store. */
export interface DocumentEvent {
  kind: 'insert' | 'update' | 'delete'
  doctype: string
  name: string
  organization: string | null
  /** Who did it. */
  user: string
  modified: string
  /** The only person it is for: nobody wrote the document, what that person may do with it is another. */
  only?: string
}

/** A doctype by its description, which gives its documents their type; by name only where a document or a client names it. */
export type DoctypeRef = Doctype | string

/** A document of the doctype. */
export type DocOf<D extends DoctypeRef> = D extends Doctype ? Doc<D> : AnyDoc

/** Values to write into a document of the doctype. */
export type ValuesOf<D extends DoctypeRef> = D extends Doctype ? Partial<Doc<D>> : Record<string, unknown>

/** Our own access inside a transaction: no gate (the gate stood before), but hooks, events and types as always. */
export interface Tx {
  readonly trx: Trx
  readonly session: Session
  /** Null when there is none. `lock` takes the row for this transaction. */
  get<D extends DoctypeRef>(doctype: D, name: string, options?: { lock?: boolean }): Promise<DocOf<D> | null>
  /** First document that satisfies all triples, oldest first. */
  find<D extends DoctypeRef>(
    doctype: D,
    filters: readonly FilterTriple[],
    options?: { lock?: boolean },
  ): Promise<DocOf<D> | null>
  list<D extends DoctypeRef>(
    doctype: D,
    filters: readonly FilterTriple[],
    options?: { order_by?: string; limit?: number },
  ): Promise<DocOf<D>[]>
  count(doctype: DoctypeRef, filters: readonly FilterTriple[]): Promise<number>
  /** Inserts with hooks; owner is the session's user (or the given one). */
  insert<D extends DoctypeRef>(
    doctype: D,
    values: ValuesOf<D>,
    options?: { owner?: string; activity?: boolean },
  ): Promise<DocOf<D>>
  /** Writes the given fields with hooks, and a new owner where one is given; returns the new document. */
  update<D extends DoctypeRef>(
    doctype: D,
    name: string,
    values: ValuesOf<D>,
    options?: { activity?: boolean; hooks?: boolean; owner?: string },
  ): Promise<DocOf<D>>
  /**
   * Deletes with hooks. `rights: 'void'`: what the document gave rights to is gone as well, so there is nothing that
   * somebody could still be doing with them.
   */
  delete(doctype: DoctypeRef, name: string, options?: { activity?: boolean; rights?: 'void' }): Promise<void>
  /**
   * Says that one statement of the caller's own wrote many documents, or that they came into an organization or left it
   * (`delete`): listeners hear of each after commit.
   */
  wrote(
    doctype: DoctypeRef,
    rows: readonly Pick<DocumentEvent, 'name' | 'organization' | 'modified'>[],
    kind?: DocumentEvent['kind'],
  ): void
  /** Says that a document is another for one person, though nobody wrote it: that person alone hears of it after commit. */
  tell(user: string, doctype: DoctypeRef, row: Pick<DocumentEvent, 'name' | 'organization' | 'modified'>): void
  /** Clear value of a secret or revealable field; null when unset. Never log it. */
  secret(doctype: DoctypeRef, name: string, field: string): Promise<string | null>
  /** Writes an activity entry (before and after are masked). */
  activity(entry: ActivityEntry): Promise<void>
  /**
   * Counts bytes that were written beside the documents of this transaction (the content of an upload) for the
   * organization, or for the caller where there is none; throws when it is too much. Documents and activity are counted by
   * themselves.
   */
  countBytes(organization: string | null, bytes: number): void
  /** Runs after commit only; failures are logged. */
  afterCommit(fn: () => void | Promise<void>): void
}
