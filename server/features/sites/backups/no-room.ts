import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** The error of a disk that has no room for what is made of backups. */
export const noRoom = (cause?: unknown) =>
  new AppError('unavailable', msg`The disk of this installation has no room for the backup.`, {
    nextAction: msg`Make room on the disk, or delete backups, then try again.`,
    cause,
  })

/** A full disk as an error for people; other errors as they are. */
export const fullAsError = (error: unknown): unknown => (isOfFullDisk(error) ? noRoom(error) : error)
