import { siteFileLimits } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import type { Folder } from '../trees/folder.ts'
import { walkTree } from '../trees/walk.ts'
import { FileRefusal, missing } from './refusal.ts'
import { assertFree } from './text-file.ts'
import { assertNewPath, atPath, namesOf } from './tree-path.ts'

/** A file or folder, and the path it gets. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** Creates an empty folder. */
export function makeFolder(root: Folder, path: string): void {
  assertNewPath(path)
  atPath(root, path, (folder, name) => folder.makeFolder(name, 0o755))
}

/** Moves files and folders. Every one of them is checked before the first is moved. */
export function moveFiles(root: Folder, moves: readonly Move[]): void {
  for (const { from, to } of moves) {
    assertNewPath(to)
    if (to === from || to.startsWith(`${from}/`))
      throw new FileRefusal('invalid', msg`${from} cannot be moved into itself.`, msg`Choose another folder.`)
    atPath(root, from, (folder, name) => {
      const stats = folder.statsOf(name)
      if (stats === null) throw missing(from)
      if (stats.isDirectory()) assertDepth(folder, name, namesOf(to).length - namesOf(from).length, from)
    })
    atPath(root, to, (folder, name) => assertFree(folder, name, to))
  }
  for (const { from, to } of moves)
    atPath(root, from, (source, name) =>
      atPath(root, to, (target, targetName) => {
        // Checked again: a rename replaces a file without a question.
        assertFree(target, targetName, to)
        source.rename(name, target, targetName)
      }),
    )
}

/** Throws if a folder that moves `deeper` levels down would have contents nested too deeply. */
function assertDepth(parent: Folder, name: Buffer, deeper: number, path: string): void {
  if (deeper <= 0) return
  const folder = parent.open(name)
  if (folder === null) return
  try {
    const base = namesOf(path).length + deeper
    for (const { path: below, kind } of walkTree(folder))
      if (kind === 'folder' && base + levels(below) > siteFileLimits.depth) throw tooDeep(path)
  } finally {
    folder.close()
  }
}

const levels = (path: Buffer): number => path.toString('latin1').split('/').length

function tooDeep(path: string): FileRefusal {
  return new FileRefusal('invalid', msg`${path} would be nested too deeply there.`, msg`Choose another folder.`)
}
