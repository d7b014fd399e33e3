import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { Log } from '../log/log.ts'
import { NoPlainFileError, readSmallFile } from './private-file.ts'
import { StartupError, systemErrorCode } from '../processes/startup-error.ts'

async function contentOf(file: FileHandle, path: string): Promise<string> {
  try {
    return (await readSmallFile(file, path)).text
  } catch (error) {
    if (!(error instanceof NoPlainFileError)) throw error
    throw new StartupError(
      `The key file ${path} is not a plain file.`,
      'Put the file with the keys in its place.',
      error,
    )
  }
}

function unreadable(path: string, error: unknown): StartupError {
  if (systemErrorCode(error) === 'ELOOP')
    return new StartupError(
      `The key file ${path} is a link.`,
      'Put the file itself there, or name the other one in EASYDASH_SECRET_KEYS_FILE.',
      error,
    )
  return new StartupError(
    `The key file ${path} cannot be read (${systemErrorCode(error)}).`,
    'Make it readable for the user who starts Easydash (mode 0600).',
    error,
  )
}

/**
 * Reads the key file of the data folder; null if there is none. Links are not followed. Permissions that let others read it
 * are removed, with a warning; if that fails the file is rejected.
 */
export async function readOwnKeyFile(path: string, log?: Log): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw unreadable(path, error)
  })
  if (file === null) return null
  try {
    const text = await contentOf(file, path)
    await restrictToOwner(file, path, log)
    return text
  } finally {
    await file.close()
  }
}

async function restrictToOwner(file: FileHandle, path: string, log: Log | undefined): Promise<void> {
  const { mode } = await file.stat()
  if ((mode & 0o077) === 0) return
  const octal = (mode & 0o777).toString(8).padStart(4, '0')
  try {
    await file.chmod(0o600)
  } catch (error) {
    throw new StartupError(
      `The key file ${path} can be read or changed by other users of this system (mode ${octal}).`,
      `Run "chmod 600 ${path}" as its owner, or put it where files can be closed, then start again.`,
      error,
    )
  }
  log?.warn(
    'Other users of this system could read the key file. That is over; if one of them is not trusted, run "keys rotate"',
    { path, mode: octal },
  )
}

/** Reads a key file configured by the operator. It may be a link, as container secrets are. */
export async function readNamedKeyFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw unreadable(path, error)
    throw new StartupError(
      `The key file ${path} is missing.`,
      'Correct EASYDASH_SECRET_KEYS_FILE, or put the file there. Nothing is generated in its place.',
      error,
    )
  })
  try {
    return await contentOf(file, path)
  } finally {
    await file.close()
  }
}
