import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Feature } from '#server/contracts/feature.ts'
import type { UploadStore } from '#server/contracts/resumable-upload.ts'
import { createFairQueue } from '#server/platform/fair-queue.ts'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { filesOlderThan } from '#server/platform/files/list-folder.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { appendToUpload, createUpload, finishUpload, readUpload, removeUpload } from './upload-store.ts'
import { uploadTable } from './upload-table.ts'
import type { UploadsContext, UploadsOptions } from './uploads-context.ts'

/** Days after which an upload is deleted, finished or not. */
const retentionDays = 3
/** Files younger than this are not taken for leftovers. */
const minAgeMs = 3_600_000

/** What the uploads feature provides to the composition root. */
export interface Uploads extends Feature {
  readonly store: UploadStore
}

/** Large files sent in parts: contents in the data folder, state in the database. */
export function createUploads(options: UploadsOptions): Uploads {
  const { kinds, folder, machine, free = async (path) => (await diskSpace(path)).free } = options
  const creations = createFairQueue({
    atOnce: 1,
    waiting: { all: 200, ofKind: 200 },
    share: { known: 20, unknown: 0 },
    full: tooManyAtOnce,
  })
  const context: UploadsContext = { db: options.database.db, kinds, folder, machine, free, creations }
  return {
    store: {
      create: (session, upload) => createUpload(context, session, upload),
      get: (session, id) => readUpload(context, session, id),
      append: (session, id, offset, content) => appendToUpload(context, session, id, offset, content),
      finish: (session, id) => finishUpload(context, session, id),
      remove: (session, id) => removeUpload(context, session, id),
    },
    tables: uploadTable,
    sweeps: [{ name: `uploads.sweep ${machine}`, everySeconds: 3600, run: () => sweepUploads(context) }],
  }
}

function tooManyAtOnce(): AppError {
  return new AppError('rate_limited', msg`Too many requests at the same time.`, {
    retryAfterSeconds: 2,
    retryable: true,
    nextAction: msg`Send fewer at once.`,
  })
}

/** Deletes old uploads and contents that no upload has. Returns the number of deleted uploads. */
async function sweepUploads({ db, folder, machine }: UploadsContext): Promise<number> {
  const deleted = await sql`delete from easydash_upload where machine = ${machine}
    and creation < now() - make_interval(days => ${retentionDays})`.execute(db)
  const { rows } = await sql<{ id: string }>`select id from easydash_upload
    where machine = ${machine} and response is null`.execute(db)
  const known = new Set(rows.map(({ id }) => id))
  // Young ones may belong to an upload that began after the rows were read.
  const leftovers = (await filesOlderThan(folder, Date.now() - minAgeMs)).filter((name) => !known.has(name))
  for (const name of leftovers) await rm(join(folder, name), { force: true })
  return Number(deleted.numAffectedRows ?? 0)
}
