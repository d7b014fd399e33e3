import { StartupError } from '#server/platform/processes/startup-error.ts'

const otherCopy = 'Use another copy of it. Nothing was imported.'

/** The archive is not what an export wrote: a bit of it differs, or somebody wrote it who does not have the keys. */
export function damaged(cause?: unknown): StartupError {
  return new StartupError('The archive is damaged, or it was changed after it was made.', otherCopy, cause)
}

/** The archive ends before its end. */
export function cutShort(): StartupError {
  return new StartupError('The archive is not whole: its end is missing.', otherCopy)
}

/** The archive was opened with its key and holds what no export writes. `what` ends the sentence. */
export function unfit(what: string): StartupError {
  return new StartupError(`The archive cannot be imported: it holds ${what}.`, otherCopy)
}
