import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  isIncrementHeader,
  putTogether,
  readIncrement,
  UnreadableIncrement,
} from '#server/features/sites/backups/increments/increment-archive.ts'
import { AppError } from '#shared/errors.ts'

/**
 * The unpacked archive of a whole backup. Of one that contains only what was new, it is put together from the archives that it needs.
 * Throws `UnreadableIncrement` if that is not possible.
 * @param unpacked what is stored of it
 * @param unpackedOf opens the archive of another backup; null: it is not there
 */
export async function* wholeArchive(
  unpacked: AsyncIterable<Buffer>,
  unpackedOf: (name: string) => Promise<AsyncIterable<Buffer> | null>,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = unpacked[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  const all = async function* (): AsyncGenerator<Buffer, void, undefined> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  if (!isIncrementHeader(first.value)) {
    yield* all()
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'easydash-backup-'))
  try {
    const own = join(folder, 'own')
    await pipeline(all(), createWriteStream(own, { mode: 0o600 }))
    const increment = await readIncrement(own)
    if (!increment) throw new UnreadableIncrement('It is damaged.')
    const paths = new Map([[increment.about.backup, own]])
    for (const name of increment.about.needs) {
      const content = await unpackedOf(name)
      if (content === null)
        throw new UnreadableIncrement(
          `It needs the backup ${name}, which is neither in its folder nor in those beside that.`,
        )
      paths.set(name, join(folder, name))
      await pipeline(content, createWriteStream(join(folder, name), { mode: 0o600 })).catch((error: unknown) => {
        if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) throw error
        throw new UnreadableIncrement(`It needs the backup ${name}, which is damaged: ${String(error).slice(0, 200)}`)
      })
    }
    yield* putTogether(increment, paths)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
