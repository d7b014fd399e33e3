import type { Stats } from 'node:fs'
import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { bytesOnDisk } from '../quota/size-on-disk.ts'

/**
 * Where PHP keeps what belongs to no request alone: sessions, temporary files, parts of uploads. It is a folder beside the site's
 * files, so that all PHP instances see the same, and the next process of the site, too.
 */
export const temporaryFolder = { inPhp: '/tmp', onDisk: './temporary' } as const

/** PHP's settings for it. */
export const temporaryIni: Readonly<Record<string, string>> = {
  sys_temp_dir: temporaryFolder.inPhp,
  upload_tmp_dir: temporaryFolder.inPhp,
  'session.save_path': temporaryFolder.inPhp,
  // Of one instance only, so it stays in its memory: each has an OPcache of its own.
  'opcache.lockfile_path': '/internal/shared',
}

/** Temporary files that nobody changed for so long are removed, as other systems do. */
const keptMs = 10 * 24 * 60 * 60_000
const everyMs = 24 * 60 * 60_000
/** PHP removes old sessions itself, after the time that the site chose. */
const isSession = (name: string): boolean => name.startsWith('sess_')

/** Removes old temporary files, now and every day. `removed` is called with what each one had occupied. */
export function keepTemporarySmall(removed: (bytes: number, entries: number) => void): void {
  const round = (): void => {
    removeOld(temporaryFolder.onDisk, Date.now() - keptMs, removed).catch((error: unknown) => {
      // The engine keeps the end of it; the next round tries again.
      process.stderr.write(`Temporary files could not be removed: ${String(error)}\n`)
    })
  }
  round()
  setInterval(round, everyMs).unref()
}

async function removeOld(
  folder: string,
  before: number,
  removed: (bytes: number, entries: number) => void,
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (isSession(entry.name)) continue
    const stats = await unlessGone(() => lstat(path))
    if (stats === null) continue
    // Emptying it changes the folder's own time.
    if (stats.isDirectory()) await removeOld(path, before, removed)
    if (stats.mtimeMs < before && (await remove(path, stats))) removed(bytesOnDisk(stats), 1)
  }
}

/** Whether it was removed: a folder that is not empty stays. */
async function remove(path: string, stats: Stats): Promise<boolean> {
  try {
    await (stats.isDirectory() ? rmdir(path) : rm(path))
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error))) return false
    throw error
  }
}

async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}
