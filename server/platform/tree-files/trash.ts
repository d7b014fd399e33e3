import { randomBytes } from 'node:crypto'
import { closeSync, readSync, writeSync } from 'node:fs'
import { isStringList } from './string-list.ts'
import { siteFileLimits, splitPath, folderOf } from '#shared/rules/site-files.ts'
import type { Folder } from '../trees/folder.ts'
import { removeEntry } from '../trees/remove-tree.ts'
import { missing, notInTrash } from './refusal.ts'
import { assertFree } from './text-file.ts'
import { atPath, makeFolders } from './tree-path.ts'
import { createIn, type SiteTree } from './work-folder.ts'

/** What was deleted together; see `SiteTrashItem`. */
export interface TrashItem {
  id: string
  paths: string[]
  deleted: number
}

/** An id begins with the time, so that a listing shows which are old. */
const idForm = /^([0-9a-z]{8,11})-[0-9a-f]{16}$/
const infoName = Buffer.from('info.json')
const longestInfo = siteFileLimits.chosen * (siteFileLimits.path * 2 + 10)
/** Entries of the trash that are read; the oldest ones beyond it are only found once others are gone. */
const maxRead = 10_000
const maxListed = 200

/** Moves files and folders into the trash. Returns their id there. */
export function removeFiles({ root, trash }: SiteTree, paths: readonly string[], now: number): { id: string } {
  for (const path of paths)
    atPath(root, path, (folder, name) => {
      if (folder.statsOf(name) === null) throw missing(path)
    })
  const id = `${Math.max(0, Math.round(now)).toString(36).padStart(8, '0')}-${randomBytes(8).toString('hex')}`
  trash.makeFolder(Buffer.from(id), 0o700)
  const into = trash.open(Buffer.from(id))
  if (into === null) throw new Error('A folder of the trash vanished.')
  try {
    const file = createIn(into, infoName)
    try {
      writeSync(file, JSON.stringify({ paths }))
    } finally {
      closeSync(file)
    }
    paths.forEach((path, index) => {
      atPath(root, path, (folder, name) => folder.rename(name, into, Buffer.from(String(index))))
    })
  } finally {
    into.close()
  }
  return { id }
}

/** What is in the trash, newest first. */
export function listTrash(trash: Folder): TrashItem[] {
  return idsIn(trash)
    .toSorted((a, b) => b.deleted - a.deleted)
    .slice(0, maxListed)
    .flatMap(({ id, deleted }) => {
      const paths = pathsOf(trash, id)
      return paths === null ? [] : [{ id, deleted, paths }]
    })
}

/** Moves everything deleted together back, or nothing if something is in the way. */
export async function restoreFiles({ root, trash }: SiteTree, id: string): Promise<{ paths: string[] }> {
  const paths = idForm.test(id) ? pathsOf(trash, id) : null
  const from = paths === null ? null : trash.open(Buffer.from(id))
  if (paths === null || from === null) throw notInTrash()
  try {
    const left = paths
      .map((path, index) => ({ path, name: Buffer.from(String(index)) }))
      .filter(({ name }) => from.statsOf(name) !== null)
    for (const { path } of left) {
      makeFolders(root, folderOf(path))
      atPath(root, path, (folder, name) => assertFree(folder, name, path))
    }
    for (const { path, name } of left)
      atPath(root, path, (folder, target) => {
        assertFree(folder, target, path)
        from.rename(name, folder, target)
      })
  } finally {
    from.close()
  }
  await removeEntry(trash, Buffer.from(id))
  return { paths }
}

/** Deletes for good what came into the trash before a time. */
export async function emptyTrash(trash: Folder, before: number): Promise<void> {
  for (const { id, deleted } of idsIn(trash)) if (deleted < before) await removeEntry(trash, Buffer.from(id))
}

function idsIn(trash: Folder): { id: string; deleted: number }[] {
  return namesIn(trash).flatMap((name) => {
    const [id, time] = idForm.exec(name.toString('latin1')) ?? []
    return id === undefined || time === undefined ? [] : [{ id, deleted: Number.parseInt(time, 36) }]
  })
}

function namesIn(folder: Folder): Buffer[] {
  const names: Buffer[] = []
  const listing = folder.list()
  try {
    for (let entry = listing.next(); entry !== null && names.length < maxRead; entry = listing.next())
      names.push(entry.name)
  } finally {
    listing.close()
  }
  return names
}

/** Where things were; null if that is not readable any more. Code that escaped from PHP could have written it. */
function pathsOf(trash: Folder, id: string): string[] | null {
  const folder = trash.open(Buffer.from(id))
  if (folder === null) return null
  try {
    const file = folder.openFile(infoName)
    if (file === null) return null
    try {
      if (file.stats.size > longestInfo) return null
      const bytes = Buffer.alloc(file.stats.size)
      const read = readSync(file.fd, bytes, 0, bytes.length, 0)
      const value: unknown = JSON.parse(bytes.toString('utf8', 0, read))
      const paths = typeof value === 'object' && value !== null ? Reflect.get(value, 'paths') : null
      return isStringList(paths) && paths.length <= siteFileLimits.chosen && paths.every(isPath) ? paths : null
    } finally {
      closeSync(file.fd)
    }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  } finally {
    folder.close()
  }
}

const isPath = (path: string): boolean => path !== '' && Array.isArray(splitPath(path))
