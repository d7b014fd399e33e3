import { isUtf8 } from 'node:buffer'
import { closeSync, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import { isReadableBy, openFolder } from '#server/platform/trees/folder.ts'
import { inaccessibleCodes, walkTree, type WalkEntry } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'
import { readExactly } from './read-file.ts'

/** Options of packing. */
export interface PackOptions {
  /** Folder of the site. */
  readonly root: string
  /** Folders in it to pack; missing ones are skipped. */
  readonly folders: readonly string[]
  /** User of the site: files that user could not read are not packed. Null: everything belongs to one user. */
  readonly owner: number | null
  readonly limits: TreeLimits
}

/** Size of the packed content. */
export interface Packed extends TreeLimits {
  files: number
}

/**
 * Packs folders of a site into one zstd-compressed tar file. Links and special files are skipped and never followed. The
 * file gets its final name only when it is complete and on disk; after a failure nothing of it is left.
 * @throws EngineError `invalid` for files that could not be restored, belong to another user, or exceed the limits
 */
export async function packFolders(
  options: PackOptions,
  target: string,
  signal: AbortSignal,
  onFile: () => void,
): Promise<Packed> {
  const temporary = `${target}.new`
  const packed: Packed = { files: 0, bytes: 0, entries: 0 }
  const count = () => {
    packed.files += 1
    onFile()
  }
  try {
    await rm(temporary, { force: true })
    await pipeline(
      Readable.from(packTar(membersOf(options, packed, count)), { objectMode: false }),
      createZstdCompress(),
      createWriteStream(temporary, { mode: 0o600, flags: 'wx' }),
      { signal },
    )
    const file = await open(temporary, 'r+')
    await file.sync()
    await file.close()
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return packed
}

function* membersOf(options: PackOptions, packed: Packed, onFile: () => void): Generator<TarMember, void, undefined> {
  const root = openFolder(options.root)
  const counted = createTreeCounter(options.limits)
  try {
    for (const name of options.folders) {
      const folder = root.open(Buffer.from(name))
      if (folder === null) continue
      try {
        counted.add(0)
        orInaccessible(name, () => folder.list().close())
        yield folderMember(name, folder.stats())
        for (const entry of walkTree(folder, Buffer.from(name))) yield* memberOf(entry, options.owner, counted, onFile)
      } finally {
        folder.close()
      }
    }
  } finally {
    root.close()
    Object.assign(packed, counted.total)
  }
}

function* memberOf(
  { folder, name, path, kind, skipped }: WalkEntry,
  owner: number | null,
  counted: ReturnType<typeof createTreeCounter>,
  onFile: () => void,
): Generator<TarMember, void, undefined> {
  if (kind === 'other') return
  const text = nameOf(path)
  if (skipped !== null) throw skipped === 'deep' ? tooDeep() : inaccessibleError(text)
  if (kind === 'folder') {
    const stats = folder.statsOf(name)
    counted.add(0)
    yield folderMember(text, stats ?? { mode: 0o755, mtimeMs: 0 })
    return
  }
  const file = orInaccessible(text, () => folder.openFile(name))
  if (file === null) throw new Error('A file of the site changed while it was packed.')
  try {
    const { stats, fd } = file
    if (!isReadableBy(stats, owner)) throw foreignOwnerError(text)
    counted.add(stats.size)
    const { size, mode, mtimeMs } = stats
    yield {
      header: { name: text, type: 'file', size, mode: mode & 0o777, mtime: mtimeMs / 1000 },
      content: readExactly(fd, size),
    }
    onFile()
  } finally {
    closeSync(file.fd)
  }
}

/** Runs something that fails where we have no read access. */
function orInaccessible<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw inaccessibleCodes.has(systemErrorCode(error)) ? inaccessibleError(path) : error
  }
}

function folderMember(name: string, { mode, mtimeMs }: { mode: number; mtimeMs: number }): TarMember {
  return {
    header: { name: `${name}/`, type: 'directory', size: 0, mode: mode & 0o777, mtime: mtimeMs / 1000 },
    content: [],
  }
}

/** Nothing may be skipped silently: a name that isn't valid text could not be restored. */
function nameOf(path: Buffer): string {
  const text = path.toString('utf8')
  if (isUtf8(path)) return text
  throw new EngineError('invalid', msg`The site has a file or folder whose name cannot be read: ${text}.`, {
    nextAction: msg`Rename it, or delete the site permanently. Nothing was removed.`,
  })
}

function foreignOwnerError(path: string): EngineError {
  return new EngineError('invalid', msg`The site has a file of another user: ${path}.`, {
    nextAction: msg`Give it to the user of the site, or remove it. Nothing was removed.`,
  })
}

function inaccessibleError(path: string): EngineError {
  return new EngineError('invalid', msg`Easydash can’t read a file or folder of the site: ${path}.`, {
    nextAction: msg`Give its owner the right to read it, or remove it. Nothing was removed.`,
  })
}

function tooDeep(): EngineError {
  return new EngineError('invalid', msg`The site has folders nested deeper than can be packed.`, {
    nextAction: msg`Remove these folders, or delete the site permanently.`,
  })
}
