import { systemErrorCode } from '../processes/startup-error.ts'
import { siteFileLimits } from '#shared/rules/site-files.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** An operation on files was refused; nothing was changed. */
export class FileRefusal extends Error {
  readonly code: 'invalid' | 'conflict' | 'not_found' | 'unavailable'
  readonly localized: LocalizedMessage
  /** What the user can do next, one sentence. */
  readonly nextAction: LocalizedMessage
  constructor(code: FileRefusal['code'], localized: LocalizedMessage, nextAction: LocalizedMessage) {
    super(localized.text)
    this.name = 'FileRefusal'
    this.code = code
    this.localized = localized
    this.nextAction = nextAction
  }
}

/** Nothing is at the path. */
export function missing(path: string): FileRefusal {
  return new FileRefusal('not_found', msg`${path} does not exist any more.`, msg`Refresh the list.`)
}

/** What was deleted is gone for good, or was restored. */
export function notInTrash(): FileRefusal {
  return new FileRefusal(
    'not_found',
    msg`What was deleted is no longer in the trash.`,
    msg`Deleted files are kept for ${siteFileLimits.trashDays} days.`,
  )
}

/** Something is at the path already. */
export function taken(path: string): FileRefusal {
  return new FileRefusal('conflict', msg`${path} exists already.`, msg`Choose another name.`)
}

/** What is at the path is a link, or something that is neither a file nor a folder. */
export function notPlain(path: string): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`${path} is a link or a special file, which cannot be opened here.`,
    msg`You can rename or delete it.`,
  )
}

/** It is not any more what was read of it. */
export function changedMeanwhile(path: string): FileRefusal {
  return new FileRefusal(
    'conflict',
    msg`${path} was changed by someone else after you opened it.`,
    msg`Load the new content, or save yours over it.`,
  )
}

/** A text is too large to be written as one. */
export function tooLargeText(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`A text can have ${siteFileLimits.text / 1024} KB at the most.`,
    msg`Upload it as a file instead.`,
  )
}

/** There is no room for it within the limits. */
export function noRoom(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`That is more than the quota of the site has room for.`,
    msg`Delete files you do not need and empty the trash, or ask the platform admin for a larger quota.`,
  )
}

const refusals: Readonly<Record<string, (path: string) => FileRefusal>> = {
  ENOENT: missing,
  EEXIST: taken,
  ENOTEMPTY: taken,
  ENOTDIR: missing,
  ELOOP: notPlain,
  EISDIR: taken,
  ENAMETOOLONG: (path) => new FileRefusal('invalid', msg`The name ${path} is too long.`, msg`Choose a shorter name.`),
  EINVAL: (path) => new FileRefusal('invalid', msg`${path} cannot be moved into itself.`, msg`Choose another folder.`),
  EACCES: closed,
  EPERM: closed,
  EDQUOT: fullDisk,
  ENOSPC: fullDisk,
}

/** The disk has no room, or the system gives a user no more of it: that says nothing about what was to be written. */
export function fullDisk(): FileRefusal {
  return new FileRefusal(
    'unavailable',
    msg`The disk of this machine has no room for it.`,
    msg`Make room on the disk, or ask the operator of this installation to, then try again.`,
  )
}

/** Its permissions do not allow it. */
export function closed(path: string): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`The permissions of ${path} do not allow this.`,
    msg`Change its permissions in the site, or choose another folder.`,
  )
}

/** Runs work on one path; system errors that follow from what is there become refusals. */
export function refusing<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const refusal = refusals[systemErrorCode(error)]
    if (refusal === undefined || error instanceof FileRefusal) throw error
    throw refusal(path)
  }
}
