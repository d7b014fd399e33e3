import { createHash } from 'node:crypto'
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isReadableBy, openFolder, type OpenFile } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { overQuota, type TreeLimits } from './limits.ts'
import { readExactly } from './read-file.ts'

/** A file by its content. */
export interface KnownFile {
  readonly bytes: number
  readonly hash: string
}

/** Files by path: bytes, read as Latin-1. */
export type FileList = Map<string, KnownFile>

/** A tree of a site. */
export interface SiteFilesRoot {
  readonly root: string
  /** User of the site; null: everything belongs to one user. */
  readonly owner: number | null
}

/** What each site has for itself: its keys, its database, caches, logs and interrupted work. */
const own = ['wp-content/database/', 'wp-content/cache/', 'wp-content/upgrade/', 'wp-content/upgrade-temp-backup/']
const ownFiles = new Set(['wp-config.php', '.maintenance', 'wp-content/debug.log'])

/** Whether a file stays where it is. */
export const isOwnFile = (path: string): boolean => ownFiles.has(path) || own.some((folder) => path.startsWith(folder))

/** All files of a tree that could be pushed. Throws EngineError `invalid` over the limits, or for a file it can't read. */
export function listFiles({ root, owner }: SiteFilesRoot, limits: TreeLimits, onFile: () => void): FileList {
  const files: FileList = new Map()
  const total = { bytes: 0, entries: 0 }
  const top = openFolder(root)
  try {
    for (const { folder, name, path, kind, skipped } of walkTree(top)) {
      const text = path.toString('latin1')
      if (kind !== 'file') {
        if (skipped !== null && !isOwnFile(`${text}/`)) throw unreadable(path)
        continue
      }
      if (isOwnFile(text)) continue
      const file = folder.openFile(name)
      if (file === null) throw new Error('A file of the site changed while it was read.')
      try {
        if (!isReadableBy(file.stats, owner)) throw unreadable(path)
        total.bytes += file.stats.size
        total.entries += 1
        if (total.bytes > limits.bytes || total.entries > limits.entries) throw overQuota(total, limits)
        files.set(text, { bytes: file.stats.size, hash: hashOf(file) })
      } finally {
        closeSync(file.fd)
      }
      onFile()
    }
  } finally {
    top.close()
  }
  return files
}

function hashOf({ fd, stats }: OpenFile): string {
  const hash = createHash('sha256')
  for (const piece of readExactly(fd, stats.size)) hash.update(piece)
  return hash.digest('base64url').slice(0, 27)
}

/** Writes the list of all files of a tree to a file of ours. Returns their number. */
export function writeManifest(
  { tree, target, limits }: { tree: SiteFilesRoot; target: string; limits: TreeLimits },
  onFile: () => void,
): number {
  const files = listFiles(tree, limits, onFile)
  const fd = openSync(target, 'w', 0o600)
  try {
    let lines = ''
    for (const [path, { bytes, hash }] of files) {
      lines += `${JSON.stringify([path, bytes, hash])}\n`
      if (lines.length < 65_536) continue
      writeSync(fd, lines)
      lines = ''
    }
    writeSync(fd, lines)
  } finally {
    closeSync(fd)
  }
  return files.size
}

/** Reads such a list. */
export async function readManifest(path: string): Promise<FileList> {
  const files: FileList = new Map()
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const [name, bytes, hash] = JSON.parse(line) as [string, number, string]
    files.set(name, { bytes, hash })
  }
  return files
}

function unreadable(path: Buffer): EngineError {
  return new EngineError('invalid', msg`Easydash can’t read a file or folder of the site: ${path.toString('utf8')}.`, {
    nextAction: msg`Give it to the user of the site, move it up, or remove it.`,
  })
}
