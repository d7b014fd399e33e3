import { sql } from 'kysely'
import type { ResumableUpload, UploadKind } from '#server/contracts/resumable-upload.ts'
import { isMachine, requireScope, type Session } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { UploadsContext } from './uploads-context.ts'

/** An upload as stored. */
export interface UploadRow {
  id: string
  kind: string
  file_name: string
  size: string
  metadata: Record<string, string>
  response: Record<string, unknown> | null
}

/** The upload does not exist, at least not for this caller. */
export function uploadNotFound(): AppError {
  return new AppError('not_found', msg`The upload does not exist.`)
}

/** Whether this is an id as the protocol's package makes them; nothing else reaches the file system. */
export function isUploadId(id: string): boolean {
  return /^[0-9a-f]{32}$/.test(id)
}

/** The kind of this name. Throws `invalid` if no feature declares it. */
export function kindOf({ kinds }: UploadsContext, name: string): UploadKind {
  const kind = kinds().find((one) => one.name === name)
  if (!kind) throw new AppError('invalid', msg`There is no such kind of upload.`, { field: 'kind' })
  return kind
}

/** Throws AppError unless the caller may send this file now. */
export async function assertMayUpload(session: Session, kind: UploadKind, upload: ResumableUpload): Promise<void> {
  if (isMachine(session) || (session.kind === 'token' && kind.tokens === undefined))
    throw new AppError('forbidden', msg`This file is uploaded by people only.`)
  if (kind.tokens !== undefined) requireScope(session, kind.tokens)
  await kind.check(session, upload)
}

/** The caller's upload. Throws `not_found` if there is none, or not for this caller. */
export async function ownUpload({ db, machine }: UploadsContext, session: Session, id: string): Promise<UploadRow> {
  const { rows } =
    await sql<UploadRow>`select id, kind, file_name, size::text as size, metadata, response from easydash_upload
    where id = ${id} and machine = ${machine} and "user" = ${session.user}
    and organization is not distinct from ${session.organization}`.execute(db)
  if (!rows[0] || !isUploadId(id)) throw uploadNotFound()
  return rows[0]
}
