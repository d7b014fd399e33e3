import { mkdir } from 'node:fs/promises'
import { sql } from 'kysely'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { contentPath, type UploadsContext } from './uploads-context.ts'

/** Bytes that must stay free on the disk. */
const reserve = 2 ** 30

/** Throws `unavailable` unless the disk has space for an upload of this size beside those that are under way. */
export async function assertSpace(context: UploadsContext, size: number): Promise<void> {
  const { folder, free } = context
  const awaited = await awaitedBytes(context)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await free(folder)) - awaited - size >= reserve) return
  throw new AppError('unavailable', msg`There is not enough free space on this machine for this file.`, {
    nextAction: msg`Ask the operator of this installation for space.`,
  })
}

/** Bytes that unfinished uploads of this machine have announced and not sent. */
async function awaitedBytes(context: UploadsContext): Promise<number> {
  const { db, machine } = context
  const { rows } = await sql<{ id: string; size: string }>`select id, size::text as size from easydash_upload
    where machine = ${machine} and response is null`.execute(db)
  const left = await Promise.all(
    rows.map(async ({ id, size }) => Number(size) - (await sizeOf(contentPath(context, id)))),
  )
  return left.reduce((sum, bytes) => sum + bytes, 0)
}
