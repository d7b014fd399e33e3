import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { unzstd } from '#server/platform/files/unzstd.ts'
import type { JobContext } from '#server/contracts/job.ts'
import { isDiskFull, roomOn } from '#server/platform/files/disk-space.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { Damaged, throwUnlessDamage } from '../damaged.ts'
import { noRoom } from '../no-room.ts'
import { putTogether, readIncrement, UnreadableIncrement } from './increment-archive.ts'

/**
 * Puts together at `path` the whole archive of a backup that contains only what was new, of unpacked archives beside it. Throws `Damaged`, which names the backup whose
 * archive it is that is damaged, and AppError `unavailable` if the disk has no room.
 * @param fetchOne fetches the archive of one backup to a path
 */
export async function fetchIncrement(
  backup: SiteBackup,
  path: string,
  job: Pick<JobContext, 'transaction' | 'signal'>,
  fetchOne: (one: SiteBackup, to: string) => Promise<unknown>,
): Promise<void> {
  const folder = dirname(path)
  const archives = await archivesOf(backup, job)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const bytes = archives.reduce((sum, { stored_size: stored }) => sum + (stored ?? 0), backup.size ?? 0)
  if (await isDiskFull(folder, bytes)) throw noRoom()
  const paths = new Map<string, string>()
  try {
    for (const one of archives) {
      const tar = join(folder, `${one.name}.tar`)
      paths.set(one.name, tar)
      await fetchOne(one, path).catch((error: unknown) => {
        throw error instanceof Damaged && one !== backup ? ofAnother(error, one) : error
      })
      await pipeline(
        createReadStream(path),
        unzstd(),
        roomOn(folder, noRoom),
        createWriteStream(tar, { mode: 0o600 }),
        { signal: job.signal },
      )
    }
    const increment = await readIncrement(paths.get(backup.name) ?? '')
    if (!increment) throw new UnreadableIncrement('It is not what was stored.')
    await pipeline(
      Readable.from(putTogether(increment, paths), { objectMode: false }),
      createZstdCompress(),
      roomOn(folder, noRoom),
      createWriteStream(path, { mode: 0o600 }),
      { signal: job.signal },
    )
  } catch (error) {
    if (error instanceof Damaged) throw error
    job.signal.throwIfAborted()
    throwUnlessDamage(error)
    const evidence = error instanceof UnreadableIncrement ? error.message : String(error).slice(0, 300)
    throw new Damaged('The archive cannot be put together from those that it needs.', evidence)
  } finally {
    for (const tar of paths.values()) await rm(tar, { force: true })
  }
}

/** The backups whose archives it takes, last itself. */
async function archivesOf(backup: SiteBackup, { transaction }: Pick<JobContext, 'transaction'>): Promise<SiteBackup[]> {
  const archives: SiteBackup[] = []
  for (const name of backup.needs ?? []) {
    const one = await transaction((tx) => tx.get(SiteBackupDoctype, name))
    if (!one) throw new Damaged('A backup that it needs no longer exists.', name, name)
    archives.push(one)
  }
  return [...archives, backup]
}

const ofAnother = ({ message, evidence }: Damaged, { name, taken_at: at }: SiteBackup): Damaged =>
  new Damaged(`It needs the archive of the backup of ${(at ?? '').slice(0, 16)} (UTC). ${message}`, evidence, name)
