import type { AnyDoc, Doc, Doctype, FilterTriple } from '#shared/doctype.ts'
import type { Kysely } from 'kysely'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { Session } from './session.ts'

/** Untyped database rows: a doctype's columns are known from its description, not from types. */
export type Tables = Record<string, Record<string, unknown>>

/** Database handle of the document store. */
export type Db = Kysely<Tables>

/** A handle inside an open transaction; the same type, so that it can be passed wherever a `Db` is wanted. */
export type Trx = Db

/** A document as jobs and activity entries name it, readable even after it is deleted. */
export interface Reference {
  organization: string | null
  reference_doctype: string
  reference_name: string
  /** What people call it. */
  reference_title: string
  /** Its address, if that says more than the title. */
  reference_address?: string
}

/** Contents of an activity entry. */
export interface ActivityEntry extends Partial<Reference> {
  action: string
  /** Continues the action's wording in lists, for example "with ann@example.com (Can view)". */
  detail?: LocalizedMessage
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
  result?: 'Done' | 'Failed' | 'Denied' | 'Started' | 'Cancelled'
  took_ms?: number
  job?: string | null
  actor?: string
  on_behalf_of?: string | null
}

/** Event of the store, sent after commit. */
export interface DocumentEvent {
  kind: 'insert' | 'update' | 'delete'
  doctype: string
  name: string
  organization: string | null
  /** The user who made the change. */
  user: string
  modified: string
  /** The only recipient. The document itself didn't change; this user's permissions on it did. */
  only?: string
  /** The only user who can read the document. */
  reader?: string
  /** The user whom a deleted row outside of organizations belonged to: nothing else tells who could read it. */
  of_user?: string
}

/** What an event says about a row that was changed by a statement outside of the store. */
export type RowEvent = Pick<DocumentEvent, 'name' | 'organization' | 'modified'>

/** A doctype by its description, which types its documents. Use the name only if it comes from a document or a client. */
export type DoctypeRef = Doctype | string

/** A document of the doctype. */
export type DocOf<D extends DoctypeRef> = D extends Doctype ? Doc<D> : AnyDoc

/** Values to write into a document of the doctype. */
export type ValuesOf<D extends DoctypeRef> = D extends Doctype ? Partial<Doc<D>> : Record<string, unknown>

/** A field with a column of its own. Child rows and secrets have other ways to be read. */
export type ColumnName<D extends Doctype> = Exclude<keyof Doc<D> & string, 'doctype'>

/** Which documents are listed, and in which order. */
export interface ListOptions {
  /** At least one of these triples matches; none given: no condition. */
  or_filters?: readonly FilterTriple[]
  /** `field [asc|desc], …`; the name breaks ties. Default: oldest first. */
  order_by?: string
  /** Number of rows; default: all. */
  limit?: number
  limit_start?: number
}

/**
 * Internal access inside a transaction: permissions were checked before and aren't checked again, but hooks, events and
 * types apply as usual.
 */
export interface Tx {
  readonly trx: Trx
  readonly session: Session
  /** Null if there is none. `lock` locks the row for this transaction. */
  get<D extends DoctypeRef>(doctype: D, name: string, options?: { lock?: boolean }): Promise<DocOf<D> | null>
  /** Oldest document that matches all triples. */
  find<D extends DoctypeRef>(
    doctype: D,
    filters: readonly FilterTriple[],
    options?: { lock?: boolean },
  ): Promise<DocOf<D> | null>
  list<D extends DoctypeRef>(doctype: D, filters: readonly FilterTriple[], options?: ListOptions): Promise<DocOf<D>[]>
  /**
   * Like `list`, but reads only the given fields and no child rows: for lists in pages and for work on many documents. Throws
   * for secrets and Table fields.
   */
  listFields<D extends Doctype, F extends ColumnName<D>>(
    doctype: D,
    fields: readonly F[],
    filters: readonly FilterTriple[],
    options?: ListOptions,
  ): Promise<Pick<Doc<D>, F>[]>
  count(
    doctype: DoctypeRef,
    filters: readonly FilterTriple[],
    options?: Pick<ListOptions, 'or_filters'>,
  ): Promise<number>
  /** Numbers of documents that match all triples, by the value of a field as text; unset values aren't counted. */
  countBy(doctype: DoctypeRef, field: string, filters: readonly FilterTriple[]): Promise<Map<string, number>>
  /** Inserts with hooks. The owner is the session's user, or the given one. */
  insert<D extends DoctypeRef>(
    doctype: D,
    values: ValuesOf<D>,
    options?: { owner?: string; activity?: boolean },
  ): Promise<DocOf<D>>
  /** Updates the given fields with hooks, and the owner if one is given. Returns the updated document. */
  update<D extends DoctypeRef>(
    doctype: D,
    name: string,
    values: ValuesOf<D>,
    options?: { activity?: boolean; hooks?: boolean; owner?: string },
  ): Promise<DocOf<D>>
  /**
   * Writes columns of a document without hooks, activity, event or a new `modified`: for measured values, which nobody
   * edited and which must not conflict with an open form. Values are converted and validated as usual; throws for secrets
   * and child rows. Does nothing if there is no such document.
   */
  updateColumns<D extends DoctypeRef>(doctype: D, name: string, values: ValuesOf<D>): Promise<void>
  /**
   * Writes the same columns of all documents that match all triples, in one statement that also decides which ones match.
   * Like `updateColumns`, but with a new `modified` and an event per document. Not for documents that grant rights.
   */
  updateWhere<D extends DoctypeRef>(doctype: D, filters: readonly FilterTriple[], values: ValuesOf<D>): Promise<void>
  /**
   * Deletes the rows of all documents that match all triples, in one statement: no hooks, activity, event or child rows. For
   * documents nobody can see any more.
   */
  deleteWhere(doctype: DoctypeRef, filters: readonly FilterTriple[]): Promise<void>
  /**
   * Deletes with hooks. `rights: 'void'`: what the document granted rights to is deleted too, so there are no running
   * operations to wait for.
   */
  delete(doctype: DoctypeRef, name: string, options?: { activity?: boolean; rights?: 'void' }): Promise<void>
  /**
   * Emits events for many documents that the caller changed with one statement of its own, or that joined or left an
   * organization (`delete`). They are sent after commit.
   */
  emitEvents(doctype: DoctypeRef, rows: readonly RowEvent[], kind?: DocumentEvent['kind']): void
  /**
   * Emits an event to one user whose view of a document changed although the document itself wasn't written. Sent after
   * commit.
   */
  emitEventTo(user: string, doctype: DoctypeRef, row: RowEvent): void
  /** Decrypted value of a secret or revealable field; null if unset. Never log it. */
  secret(doctype: DoctypeRef, name: string, field: string): Promise<string | null>
  /** Writes an activity entry (`before` and `after` are masked). */
  activity(entry: ActivityEntry): Promise<void>
  /**
   * Counts bytes written outside of documents (the content of an upload) toward the limit of the organization, or of the
   * caller if there is none. Throws if the limit is exceeded. Documents and activity are counted automatically.
   */
  countBytes(organization: string | null, bytes: number): void
  /** Runs only after commit; failures are logged. */
  afterCommit(fn: () => void | Promise<void>): void
}
