import type { AnyDoc, Doctype, StandardFields, Values } from '#shared/doctype.ts'
import type { MessageDescriptor } from '#shared/localized-message.ts'
import type { ActionResult } from './controller.ts'
import type { Session } from './session.ts'
import type { DoctypeRef, DocumentEvent, Tx } from './transaction.ts'

/** A list request. Each part can be in any form the API accepts; the store parses and validates it. */
export interface ListQuery {
  /** Array, or JSON text of one. Default: `["name"]`. */
  fields?: unknown
  filters?: unknown
  or_filters?: unknown
  /** `field [asc|desc], …`. Empty: the doctype's default order. */
  order_by?: unknown
  group_by?: unknown
  /** Removes duplicate rows. */
  distinct?: boolean
  /** Number of rows; 0 = 500, which is the maximum. Default 20. */
  limit?: unknown
  limit_start?: unknown
  /** Internal cursor for reading whole lists in the order `creation desc`: returns only rows after this one. */
  after?: { readonly creation: string; readonly name: string }
}

/** Query of a count. */
export interface CountQuery extends Pick<ListQuery, 'filters' | 'or_filters'> {
  /** Counts no further than this, so that the count costs no more than a list. 0 or unset: all. */
  limit?: unknown
}

/** A permission question for `explain`. */
export interface ExplainQuestion {
  readonly doctype: string
  /** Null: the doctype as a whole. */
  readonly name?: string | null
  /** `read`, `create`, `write`, `delete` or a declared action. */
  readonly operation: string
  /** Another member of the caller's organization. Default: the caller. */
  readonly user?: string | null
}

/** The gate's decision, explained. */
export interface Explanation {
  readonly allowed: boolean
  /** The rule that decided, for example `Site.read: Organization User` or `missing`. */
  readonly rule: string
  /** One or two sentences for a non-technical reader. */
  readonly text: string
  /** The same text as id and values, for translation. */
  readonly text_i18n: MessageDescriptor
}

/** A document as returned to a caller: fields the caller can't read are omitted. */
export type ReadDoc<D extends DoctypeRef> = D extends Doctype
  ? StandardFields & { doctype: string } & Partial<Values<D['fields']>>
  : AnyDoc

/** Parameters of `search_link`. `reference_doctype` has the link. */
export interface SearchQuery {
  readonly txt: string
  readonly filters?: unknown
  readonly page_length?: unknown
  readonly searchfield?: unknown
  readonly reference_doctype?: string
}

/** A document whose readers are asked for. Without its organization, that of the stored document is looked up. */
export type ReadersQuestion = Pick<DocumentEvent, 'doctype' | 'name'> &
  Partial<Pick<DocumentEvent, 'organization' | 'kind' | 'of_user'>>

/** What runs in the transaction of an action. */
export interface WithinAction {
  /** Before the action is looked at. */
  before?(tx: Tx): void
  /** After its handler. */
  after?(tx: Tx, result: ActionResult): Promise<void>
}

/** The document store. Every method checks permissions in the gate, and takes and validates raw API input. */
export interface Documents {
  /** Returns the description of a doctype. Throws AppError `not_found` if there is none. */
  type(doctype: string): Doctype
  list(session: Session, doctype: string, query: ListQuery): Promise<Record<string, unknown>[]>
  count(session: Session, doctype: string, query: CountQuery): Promise<number>
  /** With a doctype description, the result is typed by it. Fields the caller can't read are omitted. */
  get<D extends DoctypeRef>(session: Session, doctype: D, name: string): Promise<ReadDoc<D>>
  insert(session: Session, doctype: string, values: Record<string, unknown>): Promise<AnyDoc>
  /** Inserts several documents in one transaction: all or none. Each one is checked by the gate like a single insert. */
  insertMany(session: Session, docs: readonly { doctype: string; values: Record<string, unknown> }[]): Promise<AnyDoc[]>
  /** Partial update. `modified` in values must equal the stored one. */
  save<D extends DoctypeRef>(
    session: Session,
    doctype: D,
    name: string,
    values: Record<string, unknown>,
  ): Promise<ReadDoc<D>>
  /** Returns what the controller's `delete_request` adds to the response, else `{}`. */
  delete(session: Session, doctype: string, name: string): Promise<Record<string, unknown>>
  runAction(
    session: Session,
    doctype: string,
    name: string,
    action: string,
    args: Record<string, unknown>,
  ): Promise<ActionResult>
  /**
   * Runs an action with `before` and `after` in the same transaction: what they write is committed together, or not at all if
   * one throws. Not for actions that call another system.
   */
  runActionAnd(
    session: Session,
    call: {
      readonly doctype: string
      readonly name: string
      readonly action: string
      readonly args: Record<string, unknown>
    },
    within: WithinAction,
  ): Promise<ActionResult>
  /** Backs `search_link`: rows of `{ value, label?, description }`. */
  search(
    session: Session,
    doctype: string,
    query: SearchQuery,
  ): Promise<{ value: string; label?: string; description: string }[]>
  /** The caller's permission bits on a document, or on the doctype if name is null. */
  permissions(
    session: Session,
    doctype: string,
    name: string | null,
  ): Promise<Record<'read' | 'write' | 'create' | 'delete' | 'share', 0 | 1>>
  /** Whether the caller can read a document; also false if it doesn't exist. For sockets. */
  canRead(session: Session, doctype: string, name: string | null): Promise<boolean>
  /** Returns the sessions that can read a document, or could when it was deleted. For sockets: one call for all sessions. */
  readers(sessions: readonly Session[], document: ReadersQuestion): Promise<ReadonlySet<Session>>
  /** Whether one of these documents is, or was when it was deleted, in the caller's list of the doctype. For sockets. */
  readsOneOf(session: Session, doctype: string, names: readonly string[]): Promise<boolean>
  /** Explains in plain words which rule allows or denies an operation. */
  explain(session: Session, question: ExplainQuestion): Promise<Explanation>
  /**
   * Runs one transaction for our own code (no permission checks inside). Events are sent after commit. Serialization
   * failures are retried.
   */
  transaction<T>(session: Session, fn: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Subscribes to after-commit events of this process and, through the database, of other processes. Returns the unsubscribe
   * function.
   */
  onEvent(listener: (event: DocumentEvent) => void): () => void
}

/** The store plus what only the composition root needs. */
export interface OpenDocuments extends Documents {
  close(): Promise<void>
}
