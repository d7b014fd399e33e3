import { assertFreshPassword, type Session } from '#server/contracts/session.ts'
import {
  ExternalCall,
  type ActionResult,
  type Controller,
  type Finish,
  type HookContext,
} from '#server/contracts/controller.ts'
import type { WithinAction } from '#server/contracts/documents.ts'
import { fieldLabel, type Action, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { appliesTo, isPossibleIn } from '#shared/action-state.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { runningJobMessage } from '#shared/rules/running-job.ts'
import { assertMayRun, loadFor, type LockRequest } from '../permissions/access.ts'
import { usersChangedBy, type LockTarget } from '../store/locks.ts'
import { referenceOf } from '../store/reference.ts'
import type { OpenTransaction } from '../store/transaction-context.ts'
import { displayValue } from '../query/columns.ts'
import { coerce, validationError } from '../store/values.ts'
import { transactionCaller, type DocumentsContext } from './documents-context.ts'
import { beginCall, endCall } from './open-calls.ts'
import { createRevealHandler } from './reveal.ts'

type Handler = NonNullable<NonNullable<Controller['actions']>[string]>

/** Handler of a declared action; null if no controller has one. */
export function actionHandler(controllers: readonly Controller[], action: string): Handler | null {
  for (const controller of controllers) {
    if (controller.actions && Object.hasOwn(controller.actions, action)) return controller.actions[action] ?? null
  }
  return null
}

/** A request to run an action on a document. */
export interface ActionCall {
  readonly type: Doctype
  /** The document's name. */
  readonly name: string
  readonly action: string
  readonly args: Record<string, unknown>
}

/**
 * Runs a declared action on a document and records it in the activity log; `within` runs in the same transaction. Returns the
 * handler's result.
 */
export async function runAction(
  context: DocumentsContext,
  session: Session,
  call: ActionCall,
  within: WithinAction = {},
): Promise<ActionResult> {
  const started = performance.now()
  const { reference, result, open } = await context.transactions.run(session, async (tx) => {
    within.before?.(tx)
    const performed = await performAction(context, tx, call)
    const { reference, result } = performed
    if (result instanceof ExternalCall) {
      if (within.after) throw new Error(`${call.action} ends after its transaction`)
      return { ...performed, open: await noteCall(tx, call, reference, result) }
    }
    if (within.after) await within.after(tx, result)
    await recordAction(tx, call, reference, Math.round(performance.now() - started))
    return { ...performed, open: null }
  })
  return result instanceof ExternalCall
    ? callOutside(context, session, { call, reference, started, open }, result)
    : result
}

/** The entry of an action that calls another system. */
const entryOf = (call: ActionCall, reference: ReturnType<typeof referenceOf>, external: ExternalCall) => ({
  ...reference,
  action: external.entry?.action ?? `${call.type.name}.${call.action}`,
})

/** Notes a call that changes something, until it is recorded how it went; null of others. */
async function noteCall(
  tx: OpenTransaction,
  call: ActionCall,
  reference: ReturnType<typeof referenceOf>,
  external: ExternalCall,
): Promise<string | null> {
  if (declaredAction(call)?.reads === true || external.entry === null) return null
  return beginCall(tx, entryOf(call, reference, external), external.deadlineMs)
}

/** Runs the part of an action that calls another system, then what ends it; records how that went. */
async function callOutside(
  context: DocumentsContext,
  session: Session,
  called: { call: ActionCall; reference: ReturnType<typeof referenceOf>; started: number; open: string | null },
  external: ExternalCall,
): Promise<ActionResult> {
  const { call, reference, started, open } = called
  const record = async (tx: OpenTransaction, result: 'Done' | 'Failed'): Promise<void> => {
    if (open === null) return
    const took_ms = Math.round(performance.now() - started)
    await endCall(tx, open)
    await tx.activity({ ...external.entry, ...entryOf(call, reference, external), result, took_ms })
  }
  try {
    const outcome = await withinDeadline(external)
    if (open === null && typeof outcome !== 'function') return outcome
    return await context.transactions.run(session, async (tx) => {
      const result = typeof outcome === 'function' ? await finish(context, tx, call, outcome) : outcome
      await record(tx, 'Done')
      return result
    })
  } catch (error) {
    if (open !== null) await context.transactions.run(session, (tx) => record(tx, 'Failed'))
    throw error
  }
}

/** Throws `unavailable` at the deadline: what was called may go on, but nobody waits for it. */
async function withinDeadline({ run, deadlineMs }: ExternalCall): Promise<ActionResult | Finish> {
  const signal = AbortSignal.timeout(deadlineMs)
  const late = Promise.withResolvers<never>()
  signal.addEventListener('abort', () =>
    late.reject(
      new AppError(
        'unavailable',
        msg`This took longer than ${Math.ceil(deadlineMs / 1000)} seconds, so it was given up.`,
        {
          nextAction: msg`It may still have happened. Look before you repeat it.`,
        },
      ),
    ),
  )
  return Promise.race([run(signal), late.promise])
}

/** What the caller may no longer do, or is no longer possible, is not written and not told. */
async function finish(
  context: DocumentsContext,
  tx: OpenTransaction,
  call: ActionCall,
  write: Finish,
): Promise<ActionResult> {
  const { doc, action } = await admitted(context, tx, call, declaredAction(call)?.reads !== true)
  await checkState(tx, call.type, action, doc)
  return write(doc, { session: tx.session, tx })
}

/**
 * Actions that start a job are recorded by the job when it ends. If a handler has already recorded its own entry, or changed
 * the document, that entry becomes the one of the action: one act is one entry.
 */
async function recordAction(
  tx: OpenTransaction,
  { type, name, action }: ActionCall,
  reference: ReturnType<typeof referenceOf>,
  tookMs: number,
): Promise<void> {
  const { job, reads } = type.actions?.[action] ?? {}
  const entry = { ...reference, action: `${type.name}.${action}` }
  const find = (action: string) => tx.activities.find((one) => one.action === action && one.reference_name === name)
  const logged = find(entry.action) ?? (job || reads ? undefined : find(`${type.name}.update`))
  if (logged) Object.assign(logged, { action: entry.action, took_ms: logged.took_ms ?? tookMs })
  else if (!job && !reads) await tx.activity({ ...entry, took_ms: tookMs })
}

/**
 * Runs a declared action on the stored document: checks permissions, state and arguments, then calls the handler, all in one
 * transaction that locks the document's row. Throws DeniedError, `invalid` for a wrong state or argument, `not_found`. Returns
 * the handler's result, and the document as activity entries name it, which is what it was before the action.
 */
async function performAction(
  context: DocumentsContext,
  tx: OpenTransaction,
  call: ActionCall,
): Promise<{ reference: ReturnType<typeof referenceOf>; result: ActionResult | ExternalCall }> {
  const { session } = tx
  const { type, args } = call
  const declared = declaredAction(call)
  // Check permissions before locking other users' rows, so that unauthorized callers can't make others wait.
  if (declared?.rights_of) await admitted(context, tx, call, false)
  const changes = (target: LockTarget) =>
    usersChangedBy(tx.connection, session, target, declared?.rights_of ?? [], args)
  const lock = declared?.rights_of ? { changes } : true
  const { doc, action, handler } = await admitted(context, tx, call, declared?.reads !== true && lock)
  // Like every right, checked before state and values.
  if (action.reauth) assertFreshPassword(session)
  await checkState(tx, type, action, doc)
  const given = parseArgs(action.args ?? {}, args)
  // Clients that know the action send what was typed under the name of the field.
  const typed = args['confirm_name'] ?? (action.confirm_field && args[action.confirm_field])
  if (action.confirm_field && typed !== doc[action.confirm_field]) {
    throw new AppError('invalid', msg`Type ${String(doc[action.confirm_field])} to confirm.`, {
      field: 'confirm_name',
      excType: 'ValidationError',
    })
  }
  const reference = referenceOf(type, doc)
  const result = await handler(doc, given, { session, tx } satisfies HookContext)
  // Called in a status that passes, it can't have started: the job that holds the document was in its way.
  if (action.from && !action.from.includes(String(doc.status))) throw await impossibleIn(tx, type, action, doc)
  return { reference, result }
}

function declaredAction({ type, action }: ActionCall): Action | undefined {
  return type.actions && Object.hasOwn(type.actions, action) ? type.actions[action] : undefined
}

/** The document, the action and its handler, if the caller can run it. Throws `not_found`, `forbidden` or DeniedError. */
async function admitted(
  context: DocumentsContext,
  tx: OpenTransaction,
  call: ActionCall,
  lock: LockRequest,
): Promise<{ doc: AnyDoc; action: Action; handler: Handler }> {
  const { type, name, action } = call
  const caller = transactionCaller(context, tx)
  const loaded = await loadFor(caller, type, name, 'read', { lock })
  const { doc, accessContext } = loaded
  const declared = declaredAction(call)
  const handler = declared?.reveals
    ? createRevealHandler(type, action, accessContext)
    : actionHandler(context.controllers(type.name), action)
  if (!declared || !handler)
    throw new AppError('forbidden', msg`${action.slice(0, 60)} is not an action of ${labelMessage(type.name)}.`)
  await assertMayRun(caller, type, loaded, { name: action, action: declared })
  if (loaded.locked) tx.keep(type, doc)
  return { doc, action: declared, handler }
}

async function checkState(tx: OpenTransaction, type: Doctype, action: Action, doc: AnyDoc): Promise<void> {
  if (!appliesTo(action, doc)) throw notFor(type, action, doc)
  if (!isPossibleIn(type, action, doc)) throw await impossibleIn(tx, type, action, doc)
}

function notFor(type: Doctype, action: Action, doc: AnyDoc): AppError {
  const name = action.for?.[0] ?? ''
  const field = labelMessage(fieldLabel(name, type.fields[name] ?? {}))
  const kind = labelMessage(type.name.toLowerCase())
  const value = displayValue(doc[name] ?? '')
  const label = labelMessage(action.label)
  return new AppError(
    'unsupported',
    value === ''
      ? msg`${label} is not possible for a ${kind} without a value for ${field}.`
      : msg`${label} is not possible for a ${kind} whose ${field} is ${labelMessage(value)}.`,
    { field: name },
  )
}

/** Names the job that the document is in this status for, if there is one. */
async function impossibleIn(tx: OpenTransaction, type: Doctype, action: Action, doc: AnyDoc): Promise<AppError> {
  const holder: unknown = doc['locked_by_job']
  const job = typeof holder === 'string' && holder !== '' ? await tx.get(JobDoctype, holder) : null
  return new AppError(
    'invalid',
    msg`${labelMessage(action.label)} is not possible while the ${labelMessage(type.name.toLowerCase())} is ${labelMessage(String(doc.status))}.`,
    {
      field: 'status',
      excType: 'ValidationError',
      ...(job && { nextAction: runningJobMessage(job) }),
    },
  )
}

/** Validates arguments against their description; unknown ones are ignored. */
export function parseArgs(described: Record<string, Field>, args: Record<string, unknown>): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(described)) {
    const value = coerce(name, field, Object.hasOwn(args, name) ? args[name] : field.default)
    if (field.reqd && value === null) {
      throw new AppError('invalid', msg`${labelMessage(fieldLabel(name, field))} is required.`, {
        field: name,
        excType: 'MandatoryError',
      })
    }
    const problem = validationError(name, field, value)
    if (problem) throw new AppError('invalid', problem.message, { field: name, excType: problem.excType })
    given[name] = value
  }
  return given
}
