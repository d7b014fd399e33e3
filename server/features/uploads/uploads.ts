import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Feature } from '#server/contracts/feature.ts'
import type { ResumableUpload, UploadKind, UploadProgress, UploadStore } from '#server/contracts/resumable-upload.ts'
import { isMachine, requireScope, type Session } from '#server/contracts/session.ts'
import type { Database } from '#server/platform/database/database.ts'
import { oneAtATime } from '#server/platform/database/one-at-a-time.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { olderThan } from '#server/platform/files/list-folder.ts'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { writeAt } from './upload-content.ts'
import { uploadTable } from './upload-table.ts'

/** Unfinished uploads per account. */
const mostUnfinished = 10
/** Days after which an upload is deleted, finished or not. */
const keptDays = 3
/** Minutes after which a kind that has not taken a content is asked again: its process has ended. */
const finishMinutes = 30
/** Bytes that must stay free on the disk. */
const reserve = 2 ** 30

/** Files younger than this are not taken for leftovers. */
const youngMs = 3_600_000

/** Ids as the protocol's package makes them; nothing else reaches the file system. */
const idPattern = /^[0-9a-f]{32}$/

/** Options of the uploads feature. */
export interface UploadsOptions {
  database: Pick<Database, 'db'>
  /** The kinds all features declare. Read at each call, because features are collected after this one is created. */
  kinds: () => readonly UploadKind[]
  /** Folder of unfinished contents, not accessible to others. */
  folder: string
  /** This machine: the others cannot read the folder. */
  machine: string
  /** Free bytes on the disk of the folder; tests replace it. */
  free?: (folder: string) => Promise<number>
}

/** What the uploads feature provides to the composition root. */
export interface Uploads extends Feature {
  readonly store: UploadStore
}

interface Row {
  id: string
  kind: string
  file_name: string
  size: string
  metadata: Record<string, string>
  response: Record<string, unknown> | null
}

const missing = () => new AppError('not_found', msg`The upload does not exist.`)

function progressOf({ id, kind, file_name: fileName, size, metadata, response }: Row, stored: number): UploadProgress {
  return { id, kind, fileName, size: Number(size), metadata, offset: response === null ? stored : Number(size) }
}

/** Large files sent in parts: contents in the data folder, state in the database. */
export function createUploads(options: UploadsOptions): Uploads {
  const { folder, machine } = options
  const { db } = options.database
  const free = options.free ?? (async (path: string) => (await diskSpace(path)).free)
  const pathOf = (id: string): string => join(folder, id)

  function kindOf(name: string): UploadKind {
    const kind = options.kinds().find((one) => one.name === name)
    if (!kind) throw new AppError('invalid', msg`There is no such kind of upload.`, { field: 'kind' })
    return kind
  }

  /** Whether the caller may send this file, now. */
  async function check(session: Session, kind: UploadKind, upload: ResumableUpload): Promise<void> {
    if (isMachine(session) || (session.kind === 'token' && kind.tokens === undefined))
      throw new AppError('forbidden', msg`This file is uploaded by people only.`)
    if (kind.tokens !== undefined) requireScope(session, kind.tokens)
    await kind.check(session, upload)
  }

  async function rowOf(session: Session, id: string): Promise<Row> {
    const { rows } =
      await sql<Row>`select id, kind, file_name, size::text as size, metadata, response from easydash_upload
      where id = ${id} and machine = ${machine} and "user" = ${session.user}
      and organization is not distinct from ${session.organization}`.execute(db)
    if (!rows[0] || !idPattern.test(id)) throw missing()
    return rows[0]
  }

  async function checkSpace(more: number, unfinished: number): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await free(folder)) - unfinished - more >= reserve) return
    throw new AppError('unavailable', msg`There is not enough free space on this machine for this file.`, {
      nextAction: msg`Ask the operator of this installation for space.`,
    })
  }

  /** Bytes that unfinished uploads of this machine have announced and not sent. */
  async function awaitedBytes(): Promise<number> {
    const { rows } = await sql<{ id: string; size: string }>`select id, size::text as size from easydash_upload
      where machine = ${machine} and response is null`.execute(db)
    const left = await Promise.all(rows.map(async ({ id, size }) => Number(size) - (await sizeOf(pathOf(id)))))
    return left.reduce((sum, bytes) => sum + bytes, 0)
  }

  const store: UploadStore = {
    async create(session, upload) {
      const kind = kindOf(upload.kind)
      if (!idPattern.test(upload.id)) throw missing()
      if (upload.size === 0) throw new AppError('invalid', msg`The file is empty.`, { field: 'file' })
      if (upload.size > kind.maxSize)
        throw new AppError('too_large', msg`The file is larger than ${Math.floor(kind.maxSize / 2 ** 20)} MB.`, {
          field: 'file',
          nextAction: msg`Choose a smaller file.`,
        })
      await check(session, kind, upload)
      await db.transaction().execute(async (trx) => {
        await oneAtATime({ trx }, `uploads:${machine}`)
        const { rows } = await sql<{ n: number }>`select count(*)::int as n from easydash_upload
          where "user" = ${session.user} and response is null`.execute(trx)
        if ((rows[0]?.n ?? 0) >= mostUnfinished)
          throw new AppError('limit_reached', msg`There are ${mostUnfinished} unfinished uploads of this account.`, {
            nextAction: msg`Finish or cancel one of them.`,
          })
        await checkSpace(upload.size, await awaitedBytes())
        await sql`insert into easydash_upload (id, kind, "user", organization, file_name, size, metadata, machine)
          values (${upload.id}, ${upload.kind}, ${session.user}, ${session.organization}, ${upload.fileName},
          ${upload.size}, ${JSON.stringify(upload.metadata)}::jsonb, ${machine})`.execute(trx)
      })
    },

    async get(session, id) {
      const row = await rowOf(session, id)
      return progressOf(row, await sizeOf(pathOf(id)))
    },

    async append(session, id, offset, content) {
      const row = await rowOf(session, id)
      if (row.response !== null) return Number(row.size)
      return writeAt(pathOf(id), offset, content)
    },

    async finish(session, id) {
      const row = await rowOf(session, id)
      if (row.response !== null) return row.response
      const upload = progressOf(row, await sizeOf(pathOf(id)))
      if (upload.offset !== upload.size) throw new AppError('conflict', msg`The file is not complete yet.`)
      const kind = kindOf(row.kind)
      // Rights may have changed since the first part.
      await check(session, kind, upload)
      const claim = await sql`update easydash_upload set finishing = now()
        where id = ${id} and response is null
        and (finishing is null or finishing < now() - make_interval(mins => ${finishMinutes}))`.execute(db)
      if (Number(claim.numAffectedRows ?? 0) === 0)
        throw new AppError('conflict', msg`The file is being taken over already.`, { retryable: true })
      try {
        const response = await kind.finish(session, upload, pathOf(id))
        await sql`update easydash_upload set response = ${JSON.stringify(response)}::jsonb where id = ${id}`.execute(db)
        await rm(pathOf(id), { force: true })
        return response
      } catch (error) {
        await sql`update easydash_upload set finishing = null where id = ${id}`.execute(db)
        throw error
      }
    },

    async remove(session, id) {
      await rowOf(session, id)
      await sql`delete from easydash_upload where id = ${id}`.execute(db)
      await rm(pathOf(id), { force: true })
    },
  }

  async function sweep(): Promise<number> {
    const gone = await sql`delete from easydash_upload where machine = ${machine}
      and creation < now() - make_interval(days => ${keptDays})`.execute(db)
    const { rows } = await sql<{ id: string }>`select id from easydash_upload
      where machine = ${machine} and response is null`.execute(db)
    const known = new Set(rows.map(({ id }) => id))
    // Young ones may belong to an upload that began after the rows were read.
    const leftovers = (await olderThan(folder, Date.now() - youngMs)).filter((name) => !known.has(name))
    for (const name of leftovers) await rm(join(folder, name), { force: true })
    return Number(gone.numAffectedRows ?? 0)
  }

  return {
    store,
    tables: uploadTable,
    sweeps: [{ name: `uploads.sweep ${machine}`, everySeconds: 3600, run: sweep }],
  }
}
