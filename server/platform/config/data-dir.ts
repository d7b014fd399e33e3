import * as realFs from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../files/replace-file.ts'
import { takeLock } from '../processes/lock-file.ts'
import { explainFileError, StartupError } from '../processes/startup-error.ts'

/** File-system calls used at startup; tests simulate a full or read-only disk. */
export type FileSystem = Pick<typeof realFs, 'mkdir' | 'writeFile' | 'readFile' | 'rename' | 'link' | 'rm' | 'open'>

const SETTING = 'EASYDASH_DATA_DIR'

/**
 * Creates the data folder if it is missing and checks that it is writable. As root, other users can pass through it (0711),
 * because the database runs as another user; its contents have their own permissions. Throws `StartupError` (not writable,
 * disk full, a file in the way) and leaves nothing behind then.
 */
export async function openDataDir(dataDir: string, fs: FileSystem = realFs): Promise<void> {
  const subject = `The data folder ${dataDir}`
  const probe = join(dataDir, `.write-test-${process.pid}`)
  let created: string | undefined
  try {
    created = await fs.mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
    await fs.writeFile(probe, 'x'.repeat(4096), { mode: 0o600 })
  } catch (error) {
    await fs.rm(probe, { force: true }).catch(() => undefined)
    if (created) await fs.rm(created, { recursive: true, force: true })
    throw explainFileError(error, subject, SETTING)
  }
  await fs.rm(probe, { force: true })
}

/** Replaces a file of ours (`replaceFile`). Throws `StartupError` for errors of the disk. */
export async function writeFileAtomic(
  path: string,
  text: string,
  mode = 0o600,
  fs: FileSystem = realFs,
): Promise<void> {
  try {
    await replaceFile(path, text, { mode, fs })
  } catch (error) {
    throw explainFileError(error, `The file ${path}`, SETTING)
  }
}

/**
 * Makes this process the only server of the data folder. Throws `StartupError` naming the process that holds the lock; a
 * stale lock is taken over. Returns the function that releases it.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const lock = await takeLock(join(dataDir, 'server.lock')).catch((error: unknown) => {
    throw explainFileError(error, `The data folder ${dataDir}`, SETTING)
  })
  if (lock.held) return lock.release
  throw new StartupError(
    `Another Easydash (process ${lock.holder}) already runs on the data folder ${dataDir}.`,
    `Stop it first, or set ${SETTING} to another folder.`,
  )
}
