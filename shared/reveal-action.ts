import type { Action } from './doctype.ts'
import { select } from './fields.ts'

/**
 * The only way to read a `revealable()` field: an action that requires a recent password check, returns one field at a time
 * and is recorded in the activity log. The document engine handles it; a doctype declares it with its fields and the allowed
 * roles. `activity`: its wording in the activity log.
 */
export function revealAction(fields: readonly string[], allow: Action['allow'], activity: string): Action {
  return {
    label: 'Reveal',
    activity,
    allow,
    args: { fieldname: select(fields, { reqd: true, label: 'Field' }) },
    returns: 'RevealedValue',
    reveals: true,
    reauth: true,
    while_locked: true,
    tokens: false,
    hidden: true,
  }
}
