import * as z from 'zod/mini'
import type { Action } from './doctype.ts'
import { select } from './fields.ts'
import { described } from './schema.ts'

/**
 * The one way to read a `revealable()` field: an action that wants the password checked a moment ago, gives back one field
 * at a time and is written to the activity log. The document engine handles it; a doctype declares it with its fields and
 * the roles that may.
 */
export function revealAction(fields: readonly string[], allow: Action['allow']): Action {
  return {
    label: 'Reveal',
    allow,
    args: { fieldname: select(fields, { reqd: true, label: 'Field' }) },
    returns: z.object({ value: described(z.nullable(z.string()), 'In clear; null when it is not set') }),
    reveals: true,
    reauth: true,
    while_locked: true,
    tokens: false,
    hidden: true,
  }
}
