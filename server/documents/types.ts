import type { AnyDoc, Doctype, FilterTriple } from '#shared/doctype.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { Field } from '#shared/fields.ts'
import type { ResponseSchema } from '#shared/schema.ts'
import type { TokenScope } from '#shared/rules/token-scopes.ts'
import type { SentenceParts } from '#shared/sentence.ts'
import type { Kysely } from 'kysely'

/** Rows as the database gives them; each doctype's columns are known from its description, not from types. */
export type Tables = Record<string, Record<string, unknown>>
/** Database handle of the document store. */
export type Db = Kysely<Tables>
/** The same inside an open transaction (migrations hand a plain connection on, so the types are one). */
export type Trx = Db

/** Through which door an act came; written to the activity log. */
export type Via = 'web' | 'api' | 'job' | 'schedule' | 'terminal'

/** What the API token of a request may do at most. The gate takes the lower of this and the person's present rights. */
export interface TokenRights {
  /** Name of the API Token document. */
  readonly name: string
  /** The one organization it works in. */
  readonly organization: string
  readonly role: OrganizationRole
  readonly scopes: readonly TokenScope[]
}

/** Who acts. Built by the session store from a cookie or token, never from what a client says. */
export interface Session {
  /** E-mail; `Guest`; `System` for our own schedule and jobs. */
  readonly user: string
  readonly kind: 'guest' | 'cookie' | 'token' | 'system'
  /** Chosen organization (its slug); lists are scoped to it. Null without one. */
  readonly organization: string | null
  /** Role profile 'Easydash Admin'. */
  readonly platformAdmin: boolean
  /** E-mail verified and role 'Easydash User': without it only self rows work. */
  readonly verified: boolean
  readonly fullName: string
  readonly via: Via
  readonly ip: string | null
  /** Id of the stored session (not the cookie's value), `token:NAME` for API tokens; null for guests and the system. */
  readonly id: string | null
  /** Set when `kind` is `token`, and only then. */
  readonly token?: TokenRights
  /** When the password was last checked in this session (ms since epoch); null when never. */
  readonly reauthAt: number | null
}

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

/** What hooks and actions get. Everything through `tx` happens in the one transaction of the request. */
export interface HookContext {
  readonly session: Session
  readonly tx: Tx
}

/** Our own access inside a transaction: no gate (the gate stood before), but hooks, events and types as always. */
export interface Tx {
  readonly trx: Trx
  readonly session: Session
  /** Null when there is none. `lock` takes the row for this transaction. */
  get<D = AnyDoc>(doctype: string, name: string, options?: { lock?: boolean }): Promise<D | null>
  /** First document that satisfies all triples, oldest first. */
  find<D = AnyDoc>(doctype: string, filters: readonly FilterTriple[], options?: { lock?: boolean }): Promise<D | null>
  list<D = AnyDoc>(
    doctype: string,
    filters: readonly FilterTriple[],
    options?: { order_by?: string; limit?: number },
  ): Promise<D[]>
  count(doctype: string, filters: readonly FilterTriple[]): Promise<number>
  /** Inserts with hooks; owner is the session's user (or the given one). */
  insert<D = AnyDoc>(
    doctype: string,
    values: Record<string, unknown>,
    options?: { owner?: string; activity?: boolean },
  ): Promise<D>
  /** Writes the given fields with hooks, and a new owner where one is given; returns the new document. */
  update<D = AnyDoc>(
    doctype: string,
    name: string,
    values: Record<string, unknown>,
    options?: { activity?: boolean; hooks?: boolean; owner?: string },
  ): Promise<D>
  /**
   * Deletes with hooks. `rights: 'void'`: what the document gave rights to is gone as well, so there is nothing that
   * somebody could still be doing with them.
   */
  delete(doctype: string, name: string, options?: { activity?: boolean; rights?: 'void' }): Promise<void>
  /**
   * Says that one statement of the caller's own wrote many documents, or that they came into an organization or left it
   * (`delete`): listeners hear of each after commit.
   */
  wrote(
    doctype: string,
    rows: readonly Pick<DocumentEvent, 'name' | 'organization' | 'modified'>[],
    kind?: DocumentEvent['kind'],
  ): void
  /** Says that a document is another for one person, though nobody wrote it: that person alone hears of it after commit. */
  tell(user: string, doctype: string, row: Pick<DocumentEvent, 'name' | 'organization' | 'modified'>): void
  /** Clear value of a secret or revealable field; null when unset. Never log it. */
  secret(doctype: string, name: string, field: string): Promise<string | null>
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

/** What an action gives back as the call's `message`. */
export type ActionResult = Record<string, unknown> | readonly unknown[] | null

/** Behaviour of a doctype: hooks run in the transaction of the write, actions behind the gate. */
export interface Controller {
  readonly doctype: string
  /** May change `doc` (defaults, derived fields) or throw. */
  before_insert?(doc: AnyDoc, context: HookContext): Promise<void>
  after_insert?(doc: AnyDoc, context: HookContext): Promise<void>
  /** Runs before each write, insert included (`before` is null then). May change `doc` or throw. */
  validate?(doc: AnyDoc, before: AnyDoc | null, context: HookContext): Promise<void>
  on_update?(doc: AnyDoc, before: AnyDoc, context: HookContext): Promise<void>
  /**
   * Runs just before each row is written, our own writes without hooks included (`before` is null for a new one). May
   * throw, not change: for rules no road may go around, such as the limits of a plan.
   */
  guard?(doc: AnyDoc, before: AnyDoc | null, context: HookContext): Promise<void>
  before_delete?(doc: AnyDoc, context: HookContext): Promise<void>
  after_delete?(doc: AnyDoc, context: HookContext): Promise<void>
  /**
   * Replaces the plain deletion a client asks for (DELETE on the wire), e.g. by starting a job.
   * Returns what the answer carries beside "ok".
   */
  delete_request?(doc: AnyDoc, context: HookContext): Promise<Record<string, unknown>>
  /** Handlers of the doctype's declared actions; the returned object is the call's `message`. */
  actions?: Record<string, (doc: AnyDoc, args: Record<string, unknown>, context: HookContext) => Promise<ActionResult>>
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

/** Access rule of a method; one without a rule stops start-up. */
export type MethodAccess =
  /** Anybody, rate limited. */
  | 'guest'
  /** Any signed-in user, verified or not: self rows. */
  | 'self'
  /** Signed in and verified. */
  | 'verified'
  /** Verified member of the current organization. */
  | 'member'
  /** Platform admin. */
  | 'platform'

/** One callable method of `/api/method`. */
export interface Method {
  /** Full dotted name; the bare last segment works too where it is unique. */
  readonly name: string
  readonly access: MethodAccess
  /** Writing methods are POST only. */
  readonly verbs: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[]
  /**
   * Which API tokens may call it: those with the scope, or any valid one (`any`: what it does passes the gate, or it says
   * nothing but who calls). Absent: none.
   */
  readonly tokens?: TokenScope | 'any'
  /** Described like fields: types are checked (417 FrappeTypeError), unknown parameters ignored. */
  readonly params?: Record<string, Field>
  /** One sentence for the reference documentation. */
  readonly description: string
  /** What `message` holds, for the reference documentation; the wire tests hold the answers against it. */
  readonly returns?: ResponseSchema
  /** What the answer carries beside `message` (see `extra`). */
  readonly extras?: Readonly<Record<string, ResponseSchema>>
  run(params: Record<string, unknown>, context: MethodContext): Promise<unknown>
}

/** What a method gets. */
export interface MethodContext {
  readonly session: Session
  readonly documents: Documents
  readonly ip: string
  readonly userAgent: string
  /** Value of the device cookie (`rememberDevice`); null without one. */
  readonly device: string | null
  /**
   * Starts a session for the user and sets the cookies (a new sid always). `provenWith`: version of the password
   * that was right; throws `unauthorized` when another one was chosen since.
   */
  signIn(user: string, provenWith?: string): Promise<void>
  /**
   * Makes the caller's device known to an account that it signed in to, as `signIn` does by itself, or whose mailbox it
   * proved: failed sign-ins from elsewhere do not hold it up.
   */
  rememberDevice(user: string): Promise<void>
  /** Ends the caller's session and expires the cookies. */
  signOut(): Promise<void>
  /** Adds a `_server_messages` notice to the answer. */
  notice(message: string, title?: string, indicator?: 'green' | 'blue'): void
  /** Adds a top-level key to the answer (`home_page`, `docs` …). */
  extra(key: string, value: unknown): void
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

/** The document store: every verb passes the gate. All take the wire's raw forms and check them. */
export interface Documents {
  /** Descriptions by name; unknown → AppError not_found. */
  type(doctype: string): Doctype
  list(session: Session, doctype: string, query: ListQuery): Promise<Record<string, unknown>[]>
  count(session: Session, doctype: string, query: Pick<ListQuery, 'filters' | 'or_filters'>): Promise<number>
  get(session: Session, doctype: string, name: string): Promise<AnyDoc>
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

/** Where sessions live. Written by the accounts feature, used by the wire; both know it only by this shape. */
export interface SessionStore {
  /** The live session of a `sid` cookie; null for unknown, ended or expired ones. Slides the idle time. */
  resolveCookie(sid: string, ip: string): Promise<{ session: Session; csrfToken: string } | null>
  /** `Authorization` header → session; null when its credentials are wrong. */
  resolveAuthorization(header: string, ip: string): Promise<Session | null>
  /**
   * Starts a session with a new random sid; `sid` is given once, only its hash is kept. `ttlSeconds` is the cookie's life.
   * `continues`: the caller's session until now, which goes on under the new sid when it waits for that. `provenWith`: as
   * in `signIn`; whoever changes a password ends every session that was started with the one before.
   */
  create(
    user: string,
    client: { ip: string; userAgent: string; continues?: string | null; provenWith?: string | undefined },
  ): Promise<{ sid: string; csrfToken: string; session: Session; ttlSeconds: number }>
  /** Makes a device known to an account. Returns the new value of the device cookie. */
  rememberDevice(user: string, client: { ip: string; device: string | null }): Promise<string>
  end(sessionId: string): Promise<void>
  /** Cookie facts of a user: `full_name`, `user_image`, `system_user`. */
  profile(user: string): Promise<{ full_name: string; user_image: string; system_user: 'yes' | 'no' }>
  /**
   * Told (in every process, within 5 s) when sessions end or a user loses an organization, so that sockets close.
   * Without a user: something may have been missed, every connection's session is to be looked at again.
   */
  onRevoked(
    listener: (revoked: { user: string | null; sessionId: string | null; organization: string | null }) => void,
  ): () => void
}

/** What each feature hands to the composition root. */
export interface Feature {
  controllers?: readonly Controller[]
  methods?: readonly Method[]
}
