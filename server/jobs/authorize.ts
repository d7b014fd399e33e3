import type { JobDefinition } from '#server/contracts/job.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { assertMayRun, loadFor } from '#server/documents/documents.ts'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg } from '#shared/localized-message.ts'

const typeByName = typesByName(doctypes)

/**
 * `authorize` of a job: its initiator must still have this right on its reference, or be allowed to run this action of it. Scheduled
 * jobs need none.
 */
export function authorizeReference(
  type: Doctype,
  right: 'write' | 'delete' | { readonly action: string },
): NonNullable<JobDefinition['authorize']> {
  return async ({ session, referenceName }, tx) => {
    if (session.user === 'System') return
    const caller = { db: tx.trx, session, typeByName }
    try {
      if (typeof right === 'string') await loadFor(caller, type, referenceName, right)
      else {
        const action = type.actions?.[right.action]
        if (!action) throw new Error(`${type.name} has no action ${right.action}`)
        await assertMayRun(caller, type, await loadFor(caller, type, referenceName, 'read'), {
          name: right.action,
          action,
        })
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw new AppError(
        'forbidden',
        msg`The account that started this can no longer change the ${labelMessage(type.name.toLowerCase())}.`,
        { nextAction: msg`Ask an admin of the organization to do it.`, cause: error },
      )
    }
  }
}
