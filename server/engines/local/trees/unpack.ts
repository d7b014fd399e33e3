import { chmodSync, closeSync, futimesSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { TarHeader, TarSink } from '#server/platform/files/tar.ts'
import { assertSafePath } from '../core/package-names.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'
import { readArchive } from './read-archive.ts'

/**
 * Unpacks an archive of a site into a new folder that only we can enter: nobody can change it meanwhile, and its owner is
 * changed only when it is complete (`chown-tree.ts`). Synchronous writes.
 * @throws EngineError `invalid` if it exceeds the limits; the caller must remove the partial folder
 */
export async function unpackFolders(
  archive: string,
  into: string,
  limits: TreeLimits,
  signal: AbortSignal,
  onFile: () => void,
): Promise<void> {
  mkdirSync(into, { mode: 0o700 })
  const counted = createTreeCounter(limits)
  /** Folders that even their owner can't write to, with their modes: their contents are written first. */
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

/** Archives list folders before their contents; a missing one is created anyway. */
function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true })
    return openSync(path, 'wx', mode)
  }
}
