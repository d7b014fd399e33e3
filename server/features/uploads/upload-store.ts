import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { ResumableUpload, UploadProgress } from '#server/contracts/resumable-upload.ts'
import type { Session } from '#server/contracts/session.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { assertMayUpload, isUploadId, kindOf, ownUpload, uploadNotFound, type UploadRow } from './upload-access.ts'
import { writeAt } from './upload-content.ts'
import { assertSpace } from './upload-space.ts'
import { contentPath, type UploadsContext } from './uploads-context.ts'

/** Uploads per account that are not finished, or still to be used. */
const maxUnfinished = 10
/** Minutes after which a kind that has not taken a content is called again: its process has ended. */
const finishMinutes = 30

/** See `UploadStore.create`. */
export async function createUpload(context: UploadsContext, session: Session, upload: ResumableUpload): Promise<void> {
  const kind = kindOf(context, upload.kind)
  if (!isUploadId(upload.id)) throw uploadNotFound()
  if (upload.size === 0) throw new AppError('invalid', msg`The file is empty.`, { field: 'file' })
  if (upload.size > kind.maxSize)
    throw new AppError('too_large', msg`The file is larger than ${Math.floor(kind.maxSize / 2 ** 20)} MB.`, {
      field: 'file',
      nextAction: msg`Choose a smaller file.`,
    })
  await assertMayUpload(session, kind, upload)
  await context.creations.run({ key: session.user, known: true }, () => addUpload(context, session, upload))
}

async function addUpload(context: UploadsContext, session: Session, upload: ResumableUpload): Promise<void> {
  const { db, machine } = context
  await db.transaction().execute(async (trx) => {
    await transactionLock({ trx }, `uploads:${machine}`)
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from easydash_upload
      where "user" = ${session.user} and (response is null or jsonb_exists(response, 'upload'))`.execute(trx)
    if ((rows[0]?.n ?? 0) >= maxUnfinished)
      throw new AppError('limit_reached', msg`There are ${maxUnfinished} unfinished uploads of this account.`, {
        nextAction: msg`Finish or cancel one of them.`,
      })
    await assertSpace(context, trx, upload.size)
    await sql`insert into easydash_upload (id, kind, "user", organization, file_name, size, metadata, machine)
      values (${upload.id}, ${upload.kind}, ${session.user}, ${session.organization}, ${upload.fileName},
      ${upload.size}, ${JSON.stringify(upload.metadata)}::jsonb, ${machine})`.execute(trx)
  })
}

/** See `UploadStore.get`. */
export async function readUpload(context: UploadsContext, session: Session, id: string): Promise<UploadProgress> {
  const row = await ownUpload(context, session, id)
  return progressOf(row, await sizeOf(contentPath(context, id)))
}

/** See `UploadStore.append`. */
export async function appendToUpload(
  context: UploadsContext,
  session: Session,
  id: string,
  offset: number,
  content: Readable,
): Promise<number> {
  const row = await ownUpload(context, session, id)
  if (row.response !== null) return Number(row.size)
  return writeAt(contentPath(context, id), offset, content)
}

/** See `UploadStore.finish`. */
export async function finishUpload(
  context: UploadsContext,
  session: Session,
  id: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { db } = context
  const row = await ownUpload(context, session, id)
  if (row.response !== null) return row.response
  const upload = progressOf(row, await sizeOf(contentPath(context, id)))
  if (upload.offset !== upload.size) throw new AppError('conflict', msg`The file is not complete yet.`)
  const kind = kindOf(context, row.kind)
  // Rights may have changed since the first part.
  await assertMayUpload(session, kind, upload)
  const claim = await sql`update easydash_upload set finishing = now()
    where id = ${id} and response is null
    and (finishing is null or finishing < now() - make_interval(mins => ${finishMinutes}))`.execute(db)
  if (Number(claim.numAffectedRows ?? 0) === 0)
    throw new AppError('conflict', msg`The file is being taken over already.`, { retryable: true })
  try {
    const response = await kind.finish(session, upload, contentPath(context, id))
    await sql`update easydash_upload set response = ${JSON.stringify(response)}::jsonb where id = ${id}`.execute(db)
    await rm(contentPath(context, id), { force: true })
    return response
  } catch (error) {
    if (kind.invalidIsFinal && error instanceof AppError && error.code === 'invalid') await forget(context, id)
    else await sql`update easydash_upload set finishing = null where id = ${id}`.execute(db)
    throw error
  }
}

/** See `UploadStore.remove`. */
export async function removeUpload(context: UploadsContext, session: Session, id: string): Promise<void> {
  const { response, kind } = await ownUpload(context, session, id)
  if (response?.['upload'] === id) await kindOf(context, kind).discard?.(id)
  else if (response !== null)
    throw new AppError('invalid', msg`The file was taken over already.`, {
      nextAction: msg`Delete what was made of it instead.`,
    })
  await forget(context, id)
}

async function forget(context: UploadsContext, id: string): Promise<void> {
  await sql`delete from easydash_upload where id = ${id}`.execute(context.db)
  await rm(contentPath(context, id), { force: true })
}

function progressOf(
  { id, kind, file_name: fileName, size, metadata, response }: UploadRow,
  stored: number,
): UploadProgress {
  return { id, kind, fileName, size: Number(size), metadata, offset: response === null ? stored : Number(size) }
}
