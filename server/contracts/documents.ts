import type { AnyDoc, Doctype, StandardFields, Values } from '#shared/doctype.ts'
import type { SentenceParts } from '#shared/sentence.ts'
import type { ActionResult } from './controller.ts'
import type { Session } from './session.ts'
import type { DoctypeRef, DocumentEvent, Tx } from './transaction.ts'

/** A parsed list request; each part may be in any of the wire's forms, the store parses and checks it. */
export interface ListQuery {
  /** Array, or JSON text of one. Absent: `["name"]`. */
  fields?: unknown
  filters?: unknown
  or_filters?: unknown
  /** `field [asc|desc], …`. Empty: the doctype's default. */
  order_by?: unknown
  group_by?: unknown
  /** Equal rows once. */
  distinct?: boolean
  /** Rows, 0 = 500 (the most). Default 20. */
  limit?: unknown
  limit_start?: unknown
  /** For our own reading of whole lists, in the order `creation desc`: only rows that come after this one. */
  after?: { readonly creation: string; readonly name: string }
}

/** What somebody wants explained. */
export interface ExplainQuestion {
  readonly doctype: string
  /** Null: the doctype as a whole. */
  readonly name?: string | null
  /** `read`, `create`, `write`, `delete` or a declared action. */
  readonly operation: string
  /** Another member of the caller's organization; absent: the caller. */
  readonly user?: string | null
}

/** The answer of the gate, explained. */
export interface Explanation {
  readonly allowed: boolean
  /** Which rule decided, e.g. `Site.read: Organization User` or `missing`. */
  readonly rule: string
  /** A sentence or two that a team lead understands. */
  readonly text: string
  /** The same in parts, for every language. */
  readonly sentence: SentenceParts
}

/** A document as a caller gets it: fields that he may not read are left out. */
export type ReadDoc<D extends DoctypeRef> = D extends Doctype
  ? StandardFields & { doctype: string } & Partial<Values<D['fields']>>
  : AnyDoc

/** The document store: every verb passes the gate. All take the wire's raw forms and check them. */
export interface Documents {
  /** Descriptions by name; unknown → AppError not_found. */
  type(doctype: string): Doctype
  list(session: Session, doctype: string, query: ListQuery): Promise<Record<string, unknown>[]>
  count(session: Session, doctype: string, query: Pick<ListQuery, 'filters' | 'or_filters'>): Promise<number>
  /** With a description: its type, without the fields that the caller may not read. */
  get<D extends DoctypeRef>(session: Session, doctype: D, name: string): Promise<ReadDoc<D>>
  insert(session: Session, doctype: string, values: Record<string, unknown>): Promise<AnyDoc>
  /** Several new documents in one transaction: all of them or none. Each passes the gate as a single one does. */
  insertMany(session: Session, docs: readonly { doctype: string; values: Record<string, unknown> }[]): Promise<AnyDoc[]>
  /** Partial write; `modified` in values must equal the stored one. */
  save(session: Session, doctype: string, name: string, values: Record<string, unknown>): Promise<AnyDoc>
  /** Returns what the controller's `delete_request` adds to the answer, `{}` else. */
  delete(session: Session, doctype: string, name: string): Promise<Record<string, unknown>>
  runAction(
    session: Session,
    doctype: string,
    name: string,
    action: string,
    args: Record<string, unknown>,
  ): Promise<ActionResult>
  /** search_link: rows `{ value, label?, description }`. */
  search(
    session: Session,
    doctype: string,
    query: { txt: string; filters?: unknown; page_length?: unknown; searchfield?: unknown },
  ): Promise<{ value: string; label?: string; description: string }[]>
  /** Permission bits of the caller on a document (or on the doctype when name is null). */
  permissions(
    session: Session,
    doctype: string,
    name: string | null,
  ): Promise<Record<'read' | 'write' | 'create' | 'delete' | 'share', 0 | 1>>
  /** Whether the caller may read; false also for what does not exist. For sockets. */
  canRead(session: Session, doctype: string, name: string | null): Promise<boolean>
  /**
   * Of these sessions, those that may read a document of the organization they work in, or could at its end. For
   * sockets: one question for all of them.
   */
  readers(
    sessions: readonly Session[],
    document: Pick<DocumentEvent, 'doctype' | 'name' | 'organization'> & Partial<Pick<DocumentEvent, 'kind'>>,
  ): Promise<ReadonlySet<Session>>
  /** Whether the caller may read one of these documents of the organization he works in, or could at its end. For sockets. */
  readsOneOf(session: Session, doctype: string, names: readonly string[]): Promise<boolean>
  /** Which rule allows or denies something, in words for people. */
  explain(session: Session, question: ExplainQuestion): Promise<Explanation>
  /** One transaction for our own code (no gate inside). Events go out after commit. Serialization failures are retried. */
  transaction<T>(session: Session, fn: (tx: Tx) => Promise<T>): Promise<T>
  /** Listens to after-commit events of this and (through the database) other processes. Returns the unsubscriber. */
  onEvent(listener: (event: DocumentEvent) => void): () => void
}

/** The store with what only the composition root needs. */
export interface OpenDocuments extends Documents {
  close(): Promise<void>
}
