import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { filesOlderThan } from '#server/platform/files/list-folder.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Where encrypted archives are kept, by the name of their backup. */
export interface BackupStore {
  /** Stores an archive: complete, or not at all. Returns its bytes. */
  write(backup: string, content: Readable, signal: AbortSignal): Promise<number>
  /** Throws AppError `not_found` if it is not there. */
  read(backup: string): Promise<Readable>
  /** Does nothing if it is not there. */
  remove(backup: string): Promise<void>
  /** Backups that are stored since before a time (milliseconds since 1970). */
  olderThan(before: number): Promise<string[]>
}

const ending = '.tar.zst.age'

/** A folder of this installation. It dies with the disk that the sites are on. */
export function folderStore(folder: string): BackupStore {
  const pathOf = (backup: string): string => {
    if (!/^[a-z0-9]{10}$/.test(backup)) throw new Error(`Not a backup: ${backup}`)
    return join(folder, `${backup}${ending}`)
  }
  return {
    async write(backup, content, signal) {
      const path = pathOf(backup)
      const temporary = `${path}.new`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        await pipeline(content, createWriteStream(temporary, { mode: 0o600 }), { signal })
        const file = await open(temporary, 'r+')
        await file.sync()
        await file.close()
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        if (systemErrorCode(error) !== 'ENOSPC') throw error
        throw new AppError('unavailable', msg`The disk has no room for the backup.`, {
          nextAction: msg`Make room on the disk, or delete backups, then try again.`,
          cause: error,
        })
      }
      return (await stat(path)).size
    },
    async read(backup) {
      const path = pathOf(backup)
      await stat(path).catch((cause: unknown) => {
        throw new AppError('not_found', msg`The archive of this backup is not where it was stored.`, {
          nextAction: msg`Choose another backup.`,
          cause,
        })
      })
      return createReadStream(path)
    },
    remove: (backup) => rm(pathOf(backup), { force: true }),
    async olderThan(before) {
      const names = await filesOlderThan(folder, before)
      return names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
    },
  }
}
