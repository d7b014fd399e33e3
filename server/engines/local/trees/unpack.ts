import { chmodSync, closeSync, futimesSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { TarHeader, TarSink } from '#server/platform/files/tar.ts'
import { assertSafePath } from '../core/package-names.ts'
import { countWithin, type TreeLimits } from './limits.ts'
import { readArchive } from './read-archive.ts'

/**
 * Unpacks an archive of a site into a new folder that only we can enter: nobody may change it meanwhile, and what is in it
 * is handed over only when all of it stands (`own.ts`). Blocks while it writes.
 * @throws EngineError `invalid` when it holds more than the limits allow; the rest of the folder is the caller's to remove
 */
export async function unpackFolders(
  archive: string,
  into: string,
  limits: TreeLimits,
  signal: AbortSignal,
  onFile: () => void,
): Promise<void> {
  mkdirSync(into, { mode: 0o700 })
  const counted = countWithin(limits)
  /** Folders that not even their owner may write into, with their modes: their content comes first. */
  const closed: [path: string, mode: number][] = []
  await readArchive(archive, signal, (header) => {
    assertSafePath(header.name)
    const path = join(into, header.name)
    if (header.type !== 'other') counted.add(header.size)
    if (header.type === 'directory') {
      mkdirSync(path, { recursive: true, mode: header.mode | 0o700 })
      if ((header.mode & 0o700) !== 0o700) closed.push([path, header.mode])
    }
    return header.type === 'file' ? fileSink(path, header, onFile) : null
  })
  for (const [path, mode] of closed.toReversed()) chmodSync(path, mode)
}

function fileSink(path: string, header: TarHeader, onFile: () => void): TarSink {
  const fd = openNew(path, header.mode)
  return {
    write: (chunk) => {
      for (let at = 0; at < chunk.length;) at += writeSync(fd, chunk, at)
    },
    end: () => {
      futimesSync(fd, header.mtime, header.mtime)
      closeSync(fd)
      onFile()
    },
  }
}

/** Archives name folders before what is in them; one that does not gets them all the same. */
function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true })
    return openSync(path, 'wx', mode)
  }
}
