import type { ActionName, Args, Doc, Doctype } from '#shared/doctype.ts'
import type { Session } from './session.ts'
import type { Tx } from './transaction.ts'

/** What hooks and actions get. Everything through `tx` happens in the one transaction of the request. */
export interface HookContext {
  readonly session: Session
  readonly tx: Tx
}

/** What an action gives back as the call's `message`. */
export type ActionResult = Record<string, unknown> | readonly unknown[] | null

/** The handler of an action. `doc` is locked, the arguments are checked; the returned object is the call's `message`. */
type ActionHandler<D extends Doctype, K extends ActionName<D>> = (
  doc: Doc<D>,
  args: Args<D, K>,
  context: HookContext,
) => Promise<ActionResult>

/**
 * Hooks run in the transaction of the write, actions behind the gate. In `before_insert` and `validate` required fields may
 * still be empty: the store checks the values after them.
 */
export interface Behavior<D extends Doctype> {
  /** May change `doc` (defaults, derived fields) or throw. */
  before_insert?(doc: Doc<D>, context: HookContext): Promise<void>
  /** May name a job that it started in `job`: the answer to the insertion carries it. */
  after_insert?(doc: Doc<D> & { job?: string | null }, context: HookContext): Promise<void>
  /** Runs before each write, insert included (`before` is null then). May change `doc` or throw. */
  validate?(doc: Doc<D>, before: Doc<D> | null, context: HookContext): Promise<void>
  on_update?(doc: Doc<D>, before: Doc<D>, context: HookContext): Promise<void>
  /**
   * Runs just before each row is written, our own writes without hooks included (`before` is null for a new one). May
   * throw, not change: for rules no road may go around, such as the limits of a plan.
   */
  guard?(doc: Doc<D>, before: Doc<D> | null, context: HookContext): Promise<void>
  before_delete?(doc: Doc<D>, context: HookContext): Promise<void>
  after_delete?(doc: Doc<D>, context: HookContext): Promise<void>
  /**
   * Replaces the plain deletion a client asks for (DELETE on the wire), e.g. by starting a job.
   * Returns what the answer carries beside "ok".
   */
  delete_request?(doc: Doc<D>, context: HookContext): Promise<Record<string, unknown>>
  /** Handlers of the doctype's declared actions. */
  actions?: { [K in ActionName<D>]?: ActionHandler<D, K> }
}

/** Behavior of a doctype, as the store calls it. */
export interface Controller extends Behavior<Doctype> {
  readonly doctype: string
}

/** Behavior of a doctype: documents, actions and their arguments have the types of the description. */
export function controller<D extends Doctype>(type: D, behavior: Behavior<NoInfer<D>>): Controller {
  // The store hands each hook documents of this doctype only, and each action its own arguments.
  return { doctype: type.name, ...(behavior as Behavior<Doctype>) }
}
