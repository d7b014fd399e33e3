import type { ActionResult, HookContext } from '#server/contracts/controller.ts'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { DeniedError } from '../permissions/access-errors.ts'
import { mayReadField, type AccessContext } from '../permissions/gate.ts'
import { fieldOf } from '../query/columns.ts'
import { referenceOf } from '../store/reference.ts'

/**
 * Handles the actions declared with `revealAction`: returns one revealable field in clear text and records the field's name
 * in the activity log.
 */
export function createRevealHandler(type: Doctype, action: string, accessContext: AccessContext) {
  return async (doc: AnyDoc, args: Record<string, unknown>, { tx }: HookContext): Promise<ActionResult> => {
    const field = String(args['fieldname'])
    if (fieldOf(type, field)?.secret !== 'revealable' || !mayReadField(accessContext, type, field))
      throw new DeniedError(referenceOf(type, doc), action)
    const value = await tx.secret(type.name, doc.name, field)
    await tx.activity({ ...referenceOf(type, doc), action: `${type.name}.${action}`, after: { field } })
    return { value }
  }
}
