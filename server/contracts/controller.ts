import type { ActionName, AnyDoc, Args, Doc, Doctype } from '#shared/doctype.ts'
import type { Session } from './session.ts'
import type { ActivityEntry, Tx } from './transaction.ts'

/** Passed to hooks and actions. Everything done through `tx` runs in the request's single transaction. */
export interface HookContext {
  readonly session: Session
  readonly tx: Tx
}

/** Return value of an action, sent as the response's `message`. */
export type ActionResult = Record<string, unknown> | readonly unknown[] | null

/**
 * What the activity log's entry of an action says besides who did it to which document. `action`: its key, for an action whose
 * arguments decide what it does.
 */
export type ActionEntry = Pick<ActivityEntry, 'detail' | 'before' | 'after'> & Partial<Pick<ActivityEntry, 'action'>>

/**
 * The end of an action whose call outside has ended, in a transaction of its own: `doc` is locked and as it is now, and the
 * caller's rights and its state were checked again. Returns the response.
 */
export type Finish = (doc: AnyDoc, context: HookContext) => Promise<ActionResult>

/**
 * The part of an action that calls another system, such as a site. A handler returns it instead of a result; the store runs it
 * after the transaction, once, so that a slow or hostile system never holds a database connection or a lock. It returns the
 * response, or what writes the outcome. The entry in the activity log is written when all has ended, as Done or Failed.
 */
export class ExternalCall {
  /** `signal` aborts at the deadline; what ends later is not used. */
  readonly run: (signal: AbortSignal) => Promise<ActionResult | Finish>
  /** Null: nothing was changed, so nothing is recorded, as for a dry run. */
  readonly entry: ActionEntry | null
  readonly deadlineMs: number
  /** The default deadline is longer than the limits that engines have for their own work. */
  constructor(run: ExternalCall['run'], entry: ActionEntry | null = {}, deadlineMs = 300_000) {
    this.run = run
    this.entry = entry
    this.deadlineMs = deadlineMs
  }
}

/**
 * Handler of an action. `doc` is locked and the arguments are validated; the returned object is the response's `message`.
 */
type ActionHandler<D extends Doctype, K extends ActionName<D>> = (
  doc: Doc<D>,
  args: Args<D, K>,
  context: HookContext,
) => Promise<ActionResult | ExternalCall>

/**
 * Hooks run in the transaction of the write; actions run after the permission check. In `before_insert` and `validate`,
 * required fields may still be empty: the store checks values after these hooks.
 */
export interface Behavior<D extends Doctype> {
  /** Can change `doc` (defaults, derived fields) or throw. */
  before_insert?(doc: Doc<D>, context: HookContext): Promise<void>
  /** Can set `job` to the name of a job it started; the insert response includes it. */
  after_insert?(doc: Doc<D> & { job?: string | null }, context: HookContext): Promise<void>
  /** Runs before each write, including inserts (`before` is null). Can change `doc` or throw. */
  validate?(doc: Doc<D>, before: Doc<D> | null, context: HookContext): Promise<void>
  on_update?(doc: Doc<D>, before: Doc<D>, context: HookContext): Promise<void>
  /**
   * Runs right before each row is written, including our own writes without hooks (`before` is null for a new row). Can
   * throw but must not change `doc`: for invariants enforced on every write path, such as plan limits.
   */
  guard?(doc: Doc<D>, before: Doc<D> | null, context: HookContext): Promise<void>
  before_delete?(doc: Doc<D>, context: HookContext): Promise<void>
  after_delete?(doc: Doc<D>, context: HookContext): Promise<void>
  /**
   * Replaces the plain deletion when a client requests one (DELETE), for example to start a job. Returns the fields the
   * response carries besides "ok".
   */
  delete_request?(doc: Doc<D>, context: HookContext): Promise<Record<string, unknown>>
  /** Handlers for the doctype's declared actions. */
  actions?: { [K in ActionName<D>]?: ActionHandler<D, K> }
}

/** Behavior of a doctype, as called by the store. */
export interface Controller extends Behavior<Doctype> {
  readonly doctype: string
}

/** Defines a doctype's behavior; documents, actions and arguments are typed by its description. */
export function controller<D extends Doctype>(type: D, behavior: Behavior<NoInfer<D>>): Controller {
  // Safe cast: the store passes each hook documents of this doctype only, and each action its own arguments.
  return { doctype: type.name, ...(behavior as Behavior<Doctype>) }
}
