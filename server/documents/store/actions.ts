import { hasFreshPassword } from '#server/contracts/session.ts'
import { fieldLabel, type Action, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'
import { holds, loadFor, type LockRequest } from '../permissions/access.ts'
import type { RuleContext } from '../permissions/rule-sql.ts'
import { actionGrant } from '../permissions/gate.ts'
import { peopleChangedBy, type LockTarget } from './locks.ts'
import { referenceOf } from './reference.ts'
import { revealing } from './reveal.ts'
import { DeniedError } from '../permissions/access-errors.ts'
import type { OpenTransaction } from './transaction-context.ts'
import type { ActionResult, Controller, HookContext } from '#server/contracts/controller.ts'
import { coerce, problemOf } from './values.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

type Handler = NonNullable<Controller['actions']>[string]

/** Handler of a declared action; null if no controller has one. */
export function actionHandler(controllers: readonly Controller[], action: string): Handler | null {
  for (const controller of controllers) {
    if (controller.actions && Object.hasOwn(controller.actions, action)) return controller.actions[action] ?? null
  }
  return null
}

/**
 * Runs a declared action on the stored document: checks permissions, state and arguments, then calls the handler, all in one
 * transaction that locks the document's row. Throws DeniedError, `invalid` for a wrong state or argument, `not_found`. Returns
 * the handler's result, and the document as activity entries name it, which is what it was before the action.
 */
export async function performAction(
  tx: OpenTransaction,
  type: Doctype,
  name: string,
  actionName: string,
  args: Record<string, unknown>,
  controllers: readonly Controller[],
  typeByName: TypeByName,
): Promise<{ reference: ReturnType<typeof referenceOf>; result: ActionResult }> {
  const { session } = tx
  const declared = type.actions && Object.hasOwn(type.actions, actionName) ? type.actions[actionName] : undefined
  const admitted = async (lock: LockRequest) => {
    const loaded = await loadFor(tx.connection, session, type, name, 'read', typeByName, { lock })
    const { doc, accessContext } = loaded
    const handler = declared?.reveals
      ? revealing(type, actionName, accessContext)
      : actionHandler(controllers, actionName)
    if (!declared || !handler)
      throw new AppError('forbidden', msg`${actionName.slice(0, 60)} is not an action of ${labelMessage(type.name)}.`)
    const context: RuleContext = { accessContext, typeByName }
    if (!(await holds(tx.connection, actionGrant(accessContext, type, declared), type, doc, context)))
      throw new DeniedError(referenceOf(type, doc), actionName)
    if (loaded.locked) tx.keep(type, doc)
    return { doc, action: declared, handler }
  }
  // Check permissions before locking other users' rows, so that unauthorized callers can't make others wait.
  if (declared?.rights_of) await admitted(false)
  const changes = (target: LockTarget) =>
    peopleChangedBy(tx.connection, session, target, declared?.rights_of ?? [], args)
  const lock = declared?.rights_of ? { changes } : true
  const { doc, action, handler } = await admitted(declared?.reads !== true && lock)
  checkState(type, action, doc)
  const given = parseArgs(action.args ?? {}, args)
  if (action.confirm_field && args.confirm_name !== doc[action.confirm_field]) {
    throw new AppError('invalid', msg`Type ${String(doc[action.confirm_field])} to confirm.`, {
      field: 'confirm_name',
      excType: 'ValidationError',
    })
  }
  if (action.reauth && !hasFreshPassword(session)) {
    throw new AppError('forbidden', msg`Confirm your password to go on.`, {
      field: 'password',
      nextAction: msg`Enter your password again, then repeat this.`,
    })
  }
  const reference = referenceOf(type, doc)
  return { reference, result: await handler(doc, given, { session, tx } satisfies HookContext) }
}

function checkState(type: Doctype, action: Action, doc: AnyDoc): void {
  if (!action.from || action.from.includes(String(doc.status))) return
  throw new AppError(
    'invalid',
    msg`${labelMessage(action.label)} is not possible while the ${labelMessage(type.name.toLowerCase())} is ${labelMessage(String(doc.status))}.`,
    {
      field: 'status',
      excType: 'ValidationError',
    },
  )
}

/** Validates arguments against their description; unknown ones are ignored. Also validates the parameters of methods. */
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
    const problem = problemOf(name, field, value)
    if (problem) throw new AppError('invalid', problem.message, { field: name, excType: problem.excType })
    given[name] = value
  }
  return given
}
