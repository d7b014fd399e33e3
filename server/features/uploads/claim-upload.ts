import { sql } from 'kysely'
import type { ClaimedUpload } from '#server/contracts/resumable-upload.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/**
 * Takes an upload of the caller for what this transaction makes of it: it can't be used again then. Throws AppError `invalid`, with the
 * field, for anything but one that was sent to this machine completely and is still to be used.
 */
export async function claimUpload(
  { trx }: Pick<Tx, 'trx'>,
  { user, organization }: Pick<Session, 'user' | 'organization'>,
  { id, machine, field }: { readonly id: string; readonly machine: string; readonly field: string },
): Promise<ClaimedUpload> {
  const { rows } = await sql<ClaimedUpload>`update easydash_upload set response = response - 'upload'
    where id = ${id} and machine = ${machine} and "user" = ${user}
    and organization is not distinct from ${organization} and jsonb_exists(response, 'upload')
    returning kind, file_name as "fileName", response`.execute(trx)
  if (rows[0]) return rows[0]
  throw new AppError('invalid', msg`There is no complete upload of this name that is still to be used.`, {
    field,
    nextAction: msg`Upload the archive again.`,
  })
}
