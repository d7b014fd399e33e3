import type { AnyDoc } from '#shared/doctype.ts'
import type { Session } from './session.ts'
import type { Tx } from './transaction.ts'

/** What hooks and actions get. Everything through `tx` happens in the one transaction of the request. */
export interface HookContext {
  readonly session: Session
  readonly tx: Tx
}

/** What an action gives back as the call's `message`. */
export type ActionResult = Record<string, unknown> | readonly unknown[] | null

/** Behavior of a doctype: hooks run in the transaction of the write, actions behind the gate. */
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
