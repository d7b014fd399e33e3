import type { JobDefinition } from '#server/contracts/job.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { loadFor } from '#server/documents/documents.ts'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg } from '#shared/localized-message.ts'

const typeByName = typesByName(doctypes)

/** `authorize` of a job: its initiator must still have this right on its reference; scheduled jobs need none. */
export function authorizeReference(type: Doctype, right: 'write' | 'delete'): NonNullable<JobDefinition['authorize']> {
  return async ({ session, referenceName }, tx) => {
    if (session.user === 'System') return
    try {
      await loadFor({ db: tx.trx, session, typeByName }, type, referenceName, right)
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
