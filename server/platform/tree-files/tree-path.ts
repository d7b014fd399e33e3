import { isUtf8 } from 'node:buffer'
import { isNewName, nameOf, siteFileLimits, splitPath } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import type { Folder } from '../trees/folder.ts'
import { FileRefusal, missing, refusing } from './refusal.ts'

/** The names of a path. Throws FileRefusal `invalid` for one that is not allowed. */
export function namesOf(path: string): readonly string[] {
  const names = splitPath(path)
  if (typeof names === 'string')
    throw new FileRefusal('invalid', msg`The path ${path.slice(0, 200)} is not allowed.`, msg`Refresh the list.`)
  return names
}

/** The names of a path. Throws FileRefusal `invalid` for one that is not allowed, and for the folder of the site. */
export function namesBelow(path: string): readonly string[] {
  const names = namesOf(path)
  if (names.length > 0) return names
  throw new FileRefusal('invalid', msg`The folder of the site itself stays as it is.`, msg`Choose what is in it.`)
}

/** Throws FileRefusal `invalid` unless a new file or folder may have this path. */
export function assertNewPath(path: string): void {
  namesOf(path)
  if (isNewName(nameOf(path))) return
  throw new FileRefusal(
    'invalid',
    msg`A file or folder cannot be named ${nameOf(path)}.`,
    msg`Choose a name without slashes and control characters, of at most ${siteFileLimits.name} bytes.`,
  )
}

/** Calls `work` with the open folder at a path; `''` is the root, which stays open. */
export function inFolder<T>(root: Folder, path: string, work: (folder: Folder) => T): T {
  let folder = root
  try {
    for (const name of namesOf(path)) {
      const next = refusing(path, () => folder.open(Buffer.from(name)))
      if (folder !== root) folder.close()
      folder = root
      if (next === null) throw missing(path)
      folder = next
    }
    return work(folder)
  } finally {
    if (folder !== root) folder.close()
  }
}

/** Calls `work` with the open folder that holds a path, and its last name. The path can't be the root. */
export function atPath<T>(root: Folder, path: string, work: (folder: Folder, name: Buffer) => T): T {
  const names = namesBelow(path)
  const last = names.at(-1) ?? ''
  return inFolder(root, names.slice(0, -1).join('/'), (folder) => refusing(path, () => work(folder, Buffer.from(last))))
}

/** Creates the missing folders of a path. Returns how many. */
export function makeFolders(root: Folder, path: string): number {
  const names = namesOf(path)
  let made = 0
  for (let count = 1; count <= names.length; count += 1) {
    const at = names.slice(0, count).join('/')
    atPath(root, at, (folder, name) => {
      const stats = folder.statsOf(name)
      if (stats?.isDirectory()) return
      if (stats === null) assertNewPath(at)
      folder.makeFolder(name, 0o755)
      made += 1
    })
  }
  return made
}

/** A name as text; null if it isn't valid text. */
export function textOf(name: Buffer): string | null {
  return isUtf8(name) ? name.toString('utf8') : null
}
