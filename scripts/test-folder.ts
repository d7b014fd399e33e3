/** The folder for temporary files of a test run. */
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** File systems in memory, as Linux numbers them (statfs(2), TMPFS_MAGIC). */
const tmpfs = 0x01021994
const gigabyte = 1024 ** 3
/** A run keeps at most 0.8 GB there, and its processes take up to 6 GB. */
const needed = { folder: 4 * gigabyte, memory: 10 * gigabyte }

/**
 * Creates the folder: in memory where Linux offers enough of it, else in the system's folder for temporary files. Tests create
 * and remove hundreds of installations of WordPress, which takes a disk a fifth of the processor's time.
 *
 * @returns the path and a function that removes the folder
 */
export async function createTestFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join((await hasRoomInMemory()) ? '/dev/shm' : tmpdir(), 'easydash-tests-'))
  // Like /tmp: tests run programs as other users, who need folders of their own in it.
  await chmod(path, 0o1777)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    const { type, bavail, bsize } = await statfs('/dev/shm')
    const available = /^MemAvailable: +(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8'))?.[1]
    return type === tmpfs && bavail * bsize >= needed.folder && Number(available) * 1024 >= needed.memory
  } catch {
    // Not Linux, or a container without /dev/shm.
    return false
  }
}
