import { StartupError } from '#server/platform/processes/startup-error.ts'

const otherCopy = 'Use another copy of it. Nothing was imported.'

/** The archive differs from what an export wrote: a bit was changed, or it was written without the keys. */
export function damagedArchive(cause?: unknown): StartupError {
  return new StartupError('The archive is damaged, or it was changed after it was made.', otherCopy, cause)
}

/** The archive is truncated. */
export function truncatedArchive(): StartupError {
  return new StartupError('The archive is not whole: its end is missing.', otherCopy)
}

/** The archive was opened with its key but contains something no export writes. `what` completes the sentence. */
export function invalidArchive(what: string): StartupError {
  return new StartupError(`The archive cannot be imported: it holds ${what}.`, otherCopy)
}
