import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openBelow, openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { isOwnFile, ownPaths } from '#shared/rules/site-files.ts'
import { noSuchPath } from '../../backup-parts.ts'
import { EngineError } from '../../engine.ts'
import { copyEntries, copyEntry, type CopyOptions } from './copy.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'

/** Input of `graft`. `into`: a copy of a site's tree that only we can enter, so it has no links. */
export interface GraftInput extends Pick<CopyOptions, 'from' | 'owner' | 'into'> {
  /** Files and folders, none of them inside another one. */
  readonly paths: readonly string[]
  /** Of the whole tree. */
  readonly limits: TreeLimits
}

/**
 * Gives files and folders of a tree the state that they have in another one. What Easydash keeps in a WordPress stays as it is.
 * @throws EngineError `invalid` for a path that the other tree has not, or if the tree becomes larger than its limits
 */
export function graftPaths({ from, owner, into, paths, limits }: GraftInput, onFile: () => void): TreeLimits {
  const source = openFolder(from)
  try {
    // Before anything is replaced.
    for (const path of paths) kindAt(source, path)
    for (const path of paths) {
      const keep = ownPaths.filter((own) => own.startsWith(`${path}/`) && statsAt(join(into, own)) !== null)
      keepingAside(into, keep, () => graft(source, path, { into, owner }, onFile))
    }
  } finally {
    source.close()
  }
  return sizeOf(into, limits)
}

function graft(source: Folder, path: string, options: Pick<CopyOptions, 'into' | 'owner'>, onFile: () => void): void {
  const target = join(options.into, path)
  makeFolderFor(options.into, path)
  rmSync(target, { recursive: true, force: true })
  at(source, path, (folder, name) => {
    const kind = kindAt(source, path)
    copyEntry({ folder, name, path: Buffer.from(path), kind }, Buffer.from(target), options.owner, () => undefined)
    if (kind === 'file') return onFile()
    const inside = folder.open(name)
    if (inside === null) throw noSuchPath(path)
    try {
      const isLeft = (found: string) => isOwnFile(Buffer.from(found, 'latin1').toString('utf8'))
      copyEntries(walkTree(inside, Buffer.from(path)), { ...options, isLeft, count: () => undefined }, onFile)
    } finally {
      inside.close()
    }
  })
}

/** Makes the folder that a path is in. */
function makeFolderFor(into: string, path: string): void {
  for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
    const folder = join(into, path.slice(0, end))
    const stats = statsAt(folder)
    if (stats === null) mkdirSync(folder, { mode: 0o755 })
    else if (!stats.isDirectory())
      throw new EngineError('conflict', msg`${path.slice(0, end)} is a file now; in the backup it is a folder.`, {
        nextAction: msg`Restore ${path.slice(0, end)} instead.`,
      })
  }
}

/** Calls `work` while some paths of a tree are kept beside it. */
function keepingAside(into: string, paths: readonly string[], work: () => void): void {
  const places = paths.map((path, number) => ({ path: join(into, path), aside: `${into}.kept-${number}` }))
  for (const { path, aside } of places) renameSync(path, aside)
  work()
  for (const { path, aside } of places) {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(dirname(path), { recursive: true })
    renameSync(aside, path)
  }
}

/** What is at a path. Throws EngineError `invalid` if there is neither a file nor a folder. */
function kindAt(source: Folder, path: string): 'file' | 'folder' {
  return at(source, path, (folder, name) => {
    const stats = folder.statsOf(name)
    if (stats?.isDirectory()) return 'folder'
    if (stats?.isFile()) return 'file'
    throw noSuchPath(path)
  })
}

function at<T>(source: Folder, path: string, work: (folder: Folder, name: Buffer) => T): T {
  const names = path.split('/')
  const name = Buffer.from(names.pop() ?? '')
  const folder = names.length === 0 ? source : openBelow(source, names)
  if (folder === null) throw noSuchPath(path)
  try {
    return work(folder, name)
  } finally {
    if (folder !== source) folder.close()
  }
}

const statsAt = (path: string) => lstatSync(path, { throwIfNoEntry: false }) ?? null

function sizeOf(root: string, limits: TreeLimits): TreeLimits {
  const counter = createTreeCounter(limits)
  const top = openFolder(root)
  try {
    for (const { folder, name, kind } of walkTree(top))
      counter.add(kind === 'file' ? (folder.statsOf(name)?.size ?? 0) : 0)
  } finally {
    top.close()
  }
  return { ...counter.total }
}
