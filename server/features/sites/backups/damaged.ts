import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** An archive that cannot be restored: what is wrong, for a person, and what shows it. */
export class Damaged extends Error {
  readonly evidence: string
  /** The backup whose archive is damaged; null: the one that was asked for. */
  readonly archive: string | null
  constructor(message: string, evidence: string, archive: string | null = null) {
    super(message)
    this.evidence = evidence
    this.archive = archive
  }
}

/** Throws an error that says nothing about an archive: of our own disk, or of a store that cannot be reached or refuses to answer. */
export function throwUnlessDamage(error: unknown): void {
  const isOfDisk = error instanceof Error && 'syscall' in error && 'code' in error && error.code !== 'ENOENT'
  if (isOfDisk || (error instanceof AppError && error.code !== 'not_found')) throw error
}

/** Damage as an error for people; other errors as they are. */
export const damageAsError = (error: unknown): unknown =>
  error instanceof Damaged
    ? new AppError('invalid', msg`The backup is damaged: ${error.message}`, {
        nextAction: msg`Choose another backup.`,
        cause: error,
      })
    : error
