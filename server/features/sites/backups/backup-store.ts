import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { roomOn } from '#server/platform/files/disk-space.ts'
import type { SendPart, SentContent } from '#server/platform/network/sent-parts.ts'
import { filesOlderThan, listNames } from '#server/platform/files/list-folder.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { fullAsError, noRoom } from './no-room.ts'

/** What an archive is found by: the name of its backup, and for people the name of the site. A Site Backup is one. */
export interface ArchiveRef {
  readonly name: string
  readonly site_domain: string | null
}

/** An archive as a store lists it. `at`: when it was stored, in milliseconds since 1970. */
export interface StoredArchive extends ArchiveRef {
  readonly bytes: number
  readonly at: number
}

/** Where encrypted archives are kept. Needs no database: a bucket or folder is read by its keys alone. */
export interface BackupStore {
  /** Stores an archive: complete, or not at all. Returns its bytes. */
  write(archive: ArchiveRef, content: Readable, signal: AbortSignal): Promise<number>
  /** For archives that their machines send by themselves; null for a store that they can't reach. */
  readonly direct: DirectStore | null
  /** Throws AppError `not_found` if it is not there. */
  read(archive: ArchiveRef): Promise<Readable>
  /** Does nothing if it is not there. An error that is not `retryable` is a refusal: it stays one until somebody changes something. */
  remove(archive: ArchiveRef): Promise<void>
  /** All archives that are complete. */
  list(): AsyncIterable<StoredArchive>
  /** Removes what was begun before a time (milliseconds since 1970) and never completed. Returns how many there were. */
  removeUnfinished(before: number): Promise<number>
}

/** What a store is to machines that send archives to it. */
export interface DirectStore {
  /** Has a machine send a part that is not kept. Returns why that does not work; null if it does. */
  attempt(archive: ArchiveRef, send: SendPart, signal: AbortSignal): Promise<string | null>
  /** Stores an archive whose parts its machine sends: complete, or not at all. Returns its bytes. */
  receive(archive: ArchiveRef, content: SentContent, signal: AbortSignal): Promise<number>
}

/** How names of archives end, in folders and buckets. */
export const archiveEnding = '.tar.zst.age'

/** Names become paths. */
export function assertArchive(name: string): void {
  if (!/^[a-z0-9]{10}$/.test(name)) throw new Error(`Not a backup: ${name}`)
}

/** The error of an archive that is not there. */
export const missingArchive = (cause: unknown) =>
  new AppError('not_found', msg`The archive of this backup is not where it was stored.`, {
    nextAction: msg`Choose another backup.`,
    cause,
  })

/** A folder of this installation. It dies with the disk that the sites are on. */
export function folderStore(folder: string): BackupStore {
  const pathOf = ({ name }: Pick<ArchiveRef, 'name'>): string => {
    assertArchive(name)
    return join(folder, `${name}${archiveEnding}`)
  }
  return {
    async write(archive, content, signal) {
      const path = pathOf(archive)
      const temporary = `${path}.new`
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await pipeline(content, roomOn(folder, noRoom), createWriteStream(temporary, { mode: 0o600 }), { signal })
        const file = await open(temporary, 'r+')
        await file.sync()
        await file.close()
        crashPoint('backups.store/written')
        await rename(temporary, path)
        crashPoint('backups.store/stored')
      } catch (error) {
        await rm(temporary, { force: true })
        throw fullAsError(error)
      }
      return (await stat(path)).size
    },
    direct: null,
    async read(archive) {
      const path = pathOf(archive)
      const found = await stat(path).catch((cause: unknown) => {
        throw missingArchive(cause)
      })
      // A folder can't be read, and of a pipe nobody knows when.
      if (!found.isFile()) throw missingArchive(null)
      return createReadStream(path)
    },
    remove: (archive) => rm(pathOf(archive), { force: true }),
    async *list() {
      for (const file of await listNames(folder)) {
        const name = file.slice(0, -archiveEnding.length)
        if (!file.endsWith(archiveEnding) || !/^[a-z0-9]{10}$/.test(name)) continue
        // It can be removed meanwhile.
        const found = await stat(join(folder, file)).catch(() => null)
        if (found) yield { name, site_domain: null, bytes: found.size, at: found.mtimeMs }
      }
    },
    async removeUnfinished(before) {
      const files = (await filesOlderThan(folder, before)).filter((file) => file.endsWith(`${archiveEnding}.new`))
      for (const file of files) await rm(join(folder, file), { force: true })
      return files.length
    },
  }
}
