import { systemErrorCode } from '../processes/startup-error.ts'
import type { Folder } from '../trees/folder.ts'
import { FileRefusal } from './refusal.ts'
import { atPath, textOf } from './tree-path.ts'

/** Most paths of what stays that are named. */
const mostNamed = 20
/** Errors that mean: somebody put something into the folder, or it is gone. */
const notEmpty = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'])

/** Everything in a folder by its path, folders with a slash at the end and before what they contain. */
export function contentsOf(folder: Folder, path: string): string[] {
  const found: string[] = []
  for (const { name, kind } of entriesOf(folder)) {
    const at = path === '' ? name.toString('utf8') : `${path}/${name.toString('utf8')}`
    if (kind !== 'folder') {
      found.push(at)
      continue
    }
    found.push(`${at}/`)
    const inner = folder.open(name)
    try {
      // Not by a spread: a call takes about 100,000 arguments.
      if (inner !== null) for (const one of contentsOf(inner, at)) found.push(one)
    } finally {
      inner?.close()
    }
  }
  return found
}

/**
 * Takes what was placed out of its folders, by `takeFile`, and removes those that are empty then. What others put into them
 * meanwhile stays. `contents`: as from `contentsOf`.
 */
export function takeContents(
  root: Folder,
  contents: readonly string[],
  takeFile: (path: string, index: number) => void,
): void {
  for (const [index, path] of [...contents.entries()].toReversed())
    if (path.endsWith('/')) removeEmpty(root, path.slice(0, -1))
    else takeFile(path, index)
}

function removeEmpty(root: Folder, path: string): void {
  try {
    atPath(root, path, (folder, name) => {
      if (folder.statsOf(name)?.isDirectory() !== true) return
      try {
        folder.removeFolder(name)
      } catch (error) {
        if (!notEmpty.has(systemErrorCode(error) ?? '')) throw error
      }
    })
  } catch (error) {
    if (!(error instanceof FileRefusal) || error.code !== 'not_found') throw error
  }
}

/** What is in a folder of the site, by path, the first of it only; nothing if there is no such folder. */
export function remainsOf(root: Folder, path: string): string[] {
  try {
    return atPath(root, path, (parent, name) => {
      const folder = parent.open(name)
      try {
        return folder === null ? [] : firstFiles(folder, path)
      } finally {
        folder?.close()
      }
    })
  } catch (error) {
    if (error instanceof FileRefusal && error.code === 'not_found') return []
    throw error
  }
}

function firstFiles(folder: Folder, path: string): string[] {
  const found: string[] = []
  for (const { name, kind } of entriesOf(folder)) {
    if (found.length >= mostNamed) break
    const at = `${path}/${textOf(name) ?? '?'}`
    const inner = kind === 'folder' ? folder.open(name) : null
    try {
      found.push(...(inner === null ? [at] : firstFiles(inner, at)))
    } finally {
      inner?.close()
    }
  }
  return found.slice(0, mostNamed)
}

function entriesOf(folder: Folder): { name: Buffer; kind: string }[] {
  const entries: { name: Buffer; kind: string }[] = []
  const listing = folder.list()
  try {
    for (let entry = listing.next(); entry !== null; entry = listing.next()) entries.push(entry)
  } finally {
    listing.close()
  }
  return entries
}
