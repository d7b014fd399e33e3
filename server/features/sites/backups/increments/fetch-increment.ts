import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { JobContext } from '#server/contracts/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { Damaged } from '../damaged.ts'
import { putTogether, readIncrement, UnreadableIncrement } from './increment-archive.ts'

/**
 * Puts together at `path` the whole archive of a backup that contains only what was new, of unpacked archives beside it. Throws `Damaged`, which names the backup whose
 * archive it is that is damaged.
 * @param fetchOne fetches the archive of one backup to a path
 */
export async function fetchIncrement(
  backup: SiteBackup,
  path: string,
  job: Pick<JobContext, 'transaction' | 'signal'>,
  fetchOne: (one: SiteBackup, to: string) => Promise<unknown>,
): Promise<void> {
  const paths = new Map<string, string>()
  try {
    for (const name of [...(backup.needs ?? []), backup.name]) {
      const tar = join(dirname(path), `${name}.tar`)
      paths.set(name, tar)
      const one = name === backup.name ? backup : await job.transaction((tx) => tx.get(SiteBackupDoctype, name))
      if (!one) throw new Damaged('A backup that it needs no longer exists.', name, name)
      await fetchOne(one, path).catch((error: unknown) => {
        throw error instanceof Damaged && one !== backup ? ofAnother(error, one) : error
      })
      await pipeline(createReadStream(path), createZstdDecompress(), createWriteStream(tar, { mode: 0o600 }), {
        signal: job.signal,
      })
    }
    const increment = await readIncrement(paths.get(backup.name) ?? '')
    if (!increment) throw new UnreadableIncrement('It is not what was stored.')
    await pipeline(
      Readable.from(putTogether(increment, paths), { objectMode: false }),
      createZstdCompress(),
      createWriteStream(path, { mode: 0o600 }),
      { signal: job.signal },
    )
  } catch (error) {
    await rm(path, { force: true })
    if (!(error instanceof UnreadableIncrement)) throw error
    throw new Damaged('The archive cannot be put together from those that it needs.', error.message)
  } finally {
    for (const tar of paths.values()) await rm(tar, { force: true })
  }
}

const ofAnother = ({ message, evidence }: Damaged, { name, taken_at: at }: SiteBackup): Damaged =>
  new Damaged(`It needs the archive of the backup of ${(at ?? '').slice(0, 16)} (UTC). ${message}`, evidence, name)
