import { closeSync, linkSync, readSync, writeSync } from 'node:fs'
import { folderOf, splitPath } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import type { Folder } from '../trees/folder.ts'
import { removeEntry } from '../trees/remove-tree.ts'
import { remainsOf, takeContents } from './placed-folders.ts'
import { FileRefusal, refusing } from './refusal.ts'
import { isStringList } from './string-list.ts'
import { atPath, makeFolders } from './tree-path.ts'
import { createIn, namesWith, type SiteTree } from './work-folder.ts'

/** What an archive puts into place: a file or folder that is new, or a file that replaces another one. */
export interface Placed {
  readonly path: string
  readonly replaces: boolean
  /** Of a new folder: what the archive puts into it, as from `contentsOf`. */
  readonly contents?: readonly string[]
}

const prefix = '.undo-'
const journalName = Buffer.from('placed.json')
const doneName = Buffer.from('done')
/** Largest journal: paths of the most entries an archive can have, unless all of them are very long. */
const maxJournalBytes = 64 * 1024 * 1024

const nameFor = (operation: string): Buffer => {
  if (!/^[\w-]{1,64}$/.test(operation)) throw new Error('This is no id of an operation.')
  return Buffer.from(prefix + operation)
}

/**
 * Where what an operation replaces is kept, beside the site, until it is sure to stay. What will be placed is written down before
 * anything is moved: a process that ends in between leaves a state that can be taken back.
 */
export interface KeptUnpack {
  /** Keeps the file that one of the placed paths replaces; it stays in place until another one takes its name. */
  keep(path: string, folder: Folder, name: Buffer): void
  /** Everything is in place. */
  done(): void
  close(): void
}

/** Begins to keep. What earlier operations left is removed: changes of one site run one after the other. */
export async function beginKept(tree: SiteTree, operation: string, placed: readonly Placed[]): Promise<KeptUnpack> {
  for (const name of namesWith(tree.trash, prefix)) await removeEntry(tree.trash, name)
  const name = nameFor(operation)
  tree.trash.makeFolder(name, 0o700)
  const folder = tree.trash.open(name)
  if (folder === null) throw new Error('A folder for what is replaced vanished.')
  const replaced = placed.filter(({ replaces }) => replaces).map(({ path }) => path)
  const added = placed.filter(({ replaces }) => !replaces)
  const contents = added.flatMap((one) => (one.contents ? [`${one.path}/`, ...one.contents] : []))
  const text = JSON.stringify({ replaced, added: added.map(({ path }) => path), contents })
  if (Buffer.byteLength(text) > maxJournalBytes)
    throw new FileRefusal('invalid', msg`The archive has too many files with long names.`, msg`Extract it in parts.`)
  writeNew(folder, journalName, text)
  const indexes = new Map(replaced.map((path, index) => [path, index]))
  return {
    keep(path, from, fileName) {
      const index = indexes.get(path)
      if (index === undefined) throw new Error('A file is in the way that was not there before.')
      const target = Buffer.from(String(index))
      try {
        linkSync(from.pathOf(fileName), folder.pathOf(target))
      } catch {
        // Somebody else's file, or a file system without hard links.
        refusing(path, () => from.rename(fileName, folder, target))
      }
    },
    done: () => writeNew(folder, doneName, ''),
    close: () => folder.close(),
  }
}

/** Whether everything of the operation is in place. */
export function isUnpacked(tree: SiteTree, operation: string): boolean {
  const folder = tree.trash.open(nameFor(operation))
  if (folder === null) return false
  try {
    return folder.statsOf(doneName) !== null
  } finally {
    folder.close()
  }
}

/**
 * Removes what the operation placed and puts back what it replaced; nothing if it is not kept. Can be repeated. What others put into
 * its folders meanwhile stays: returns the first paths of that, and whether anything was kept.
 */
export async function undoUnpack(tree: SiteTree, operation: string): Promise<{ left: string[]; kept: boolean }> {
  const name = nameFor(operation)
  const kept = tree.trash.open(name)
  if (kept === null) return { left: [], kept: false }
  const left: string[] = []
  try {
    const { replaced, added, contents } = readJournal(kept)
    const folders = new Set(contents.filter((path) => path.endsWith('/')))
    takeContents(tree.root, contents, (path, index) => takeAway(tree.root, path, kept, Buffer.from(`content-${index}`)))
    added.forEach((path, index) => {
      if (folders.has(`${path}/`)) left.push(...remainsOf(tree.root, path))
      else takeAway(tree.root, path, kept, Buffer.from(`added-${index}`))
    })
    replaced.forEach((path, index) => {
      const from = Buffer.from(String(index))
      // It is back already, or was not replaced yet.
      if (kept.statsOf(from) === null) return
      takeAway(tree.root, path, kept, Buffer.from(`new-${index}`))
      makeFolders(tree.root, folderOf(path))
      atPath(tree.root, path, (folder, target) => kept.rename(from, folder, target))
    })
  } finally {
    kept.close()
  }
  await removeEntry(tree.trash, name)
  return { left, kept: true }
}

/** Forgets what the operation replaced. */
export async function finishUnpack({ trash }: SiteTree, operation: string): Promise<void> {
  const name = nameFor(operation)
  if (trash.statsOf(name) !== null) await removeEntry(trash, name)
}

function takeAway(root: Folder, path: string, kept: Folder, to: Buffer): void {
  try {
    atPath(root, path, (folder, name) => {
      if (folder.statsOf(name) !== null && kept.statsOf(to) === null) folder.rename(name, kept, to)
    })
  } catch (error) {
    // The folder that held it is gone.
    if (!(error instanceof FileRefusal) || error.code !== 'not_found') throw error
  }
}

function writeNew(folder: Folder, name: Buffer, text: string): void {
  const file = createIn(folder, name)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
  } finally {
    closeSync(file)
  }
}

interface Journal {
  readonly replaced: readonly string[]
  readonly added: readonly string[]
  readonly contents: readonly string[]
}

const nothingPlaced: Journal = { replaced: [], added: [], contents: [] }

/** Code that escaped from PHP could have written it: what is no list of paths is nothing to put back. */
function readJournal(kept: Folder): Journal {
  const file = kept.openFile(journalName)
  // The operation ended before it placed anything.
  if (file === null) return nothingPlaced
  try {
    if (file.stats.size > maxJournalBytes) throw unreadable()
    const bytes = Buffer.alloc(file.stats.size)
    const read = readSync(file.fd, bytes, 0, bytes.length, 0)
    const value: unknown = JSON.parse(bytes.toString('utf8', 0, read))
    const list = (name: string): readonly string[] => {
      const paths: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null
      if (!isStringList(paths) || !paths.every((path) => isPath(path.replace(/\/$/, '')))) throw unreadable()
      return paths
    }
    return { replaced: list('replaced'), added: list('added'), contents: list('contents') }
  } catch (error) {
    // Cut off while it was written: nothing was placed.
    if (error instanceof SyntaxError) return nothingPlaced
    throw error
  } finally {
    closeSync(file.fd)
  }
}

const isPath = (path: string): boolean => path !== '' && Array.isArray(splitPath(path))

const unreadable = (): FileRefusal =>
  new FileRefusal(
    'invalid',
    msg`What the archive replaced cannot be read any more.`,
    msg`Look at the files of the site.`,
  )
