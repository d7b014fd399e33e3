/*
 * Rules for the files of a site that both sides use. A path is relative to the folder the site serves, with slashes; '' is
 * that folder itself.
 */

/** Limits of the file manager. */
export const siteFileLimits = {
  /** Bytes of a name. */
  name: 255,
  /** Bytes of a path. */
  path: 4_000,
  /** Names in a path. PHP creates no deeper folders (`quota/folder-depth.ts`). */
  depth: 100,
  /** Bytes of a file that is shown and edited as text. */
  text: 1_048_576,
  /** Entries in one answer. */
  page: 1_000,
  /** Entries of a folder that are read at all. */
  folder: 200_000,
  /** Files and folders chosen for one action. */
  chosen: 500,
  /** Bytes of an uploaded file. */
  upload: 2 * 1_073_741_824,
  /** Days that deleted files can be restored. */
  trashDays: 7,
} as const

/** Why a path cannot be used. */
export type PathProblem = 'empty' | 'absolute' | 'dots' | 'nul' | 'name_too_long' | 'path_too_long' | 'too_deep'

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Splits a path into its names. `''` is the site's folder and gives none. Nothing is normalized: a path that is not written
 * the one way it can be is refused.
 */
export function splitPath(path: string): readonly string[] | PathProblem {
  if (path === '') return []
  if (path.length > siteFileLimits.path) return 'path_too_long'
  if (path.includes('\0')) return 'nul'
  if (path.startsWith('/')) return 'absolute'
  const names = path.split('/')
  for (const name of names) {
    if (name === '') return 'empty'
    if (name === '.' || name === '..') return 'dots'
    if (bytesOf(name) > siteFileLimits.name) return 'name_too_long'
  }
  if (names.length > siteFileLimits.depth) return 'too_deep'
  return bytesOf(path) > siteFileLimits.path ? 'path_too_long' : names
}

/**
 * Whether a new file or folder may get this name. Names that exist can be worse, and can still be renamed and deleted:
 * control characters and those that reorder text only serve to mislead.
 */
export function isNewName(name: string): boolean {
  const names = splitPath(name)
  return (
    Array.isArray(names) &&
    names.length === 1 &&
    name.trim() !== '' &&
    name.isWellFormed() &&
    !/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\\]/u.test(name)
  )
}

/** The folder a path is in. */
export function folderOf(path: string): string {
  const at = path.lastIndexOf('/')
  return at < 0 ? '' : path.slice(0, at)
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The path of a name in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** The site's database and what connects WordPress to it: changing these while the site runs destroys the database. */
export const ownPaths = [
  'wp-content/db.php',
  'wp-content/mu-plugins/sqlite-database-integration',
  'wp-content/database',
]

/** The form in which paths are compared: on some file systems two spellings are one file. */
const folded = (path: string): string => path.normalize('NFKC').toLowerCase()

/** Whether a path is one of the files that Easydash keeps in a site and that nothing else may change. */
export function isOwnFile(path: string): boolean {
  const name = folded(path)
  return ownPaths.some((own) => name === own || name.startsWith(`${own}/`))
}

/** Whether one of those files is at or below a path, so that the path can't be moved or deleted. */
export function holdsOwnFile(path: string): boolean {
  const name = folded(path)
  return isOwnFile(path) || name === '' || ownPaths.some((own) => own.startsWith(`${name}/`))
}

/** Whether a mistake in this file takes a whole WordPress site down. */
export function isConfiguration(path: string): boolean {
  return folded(path) === 'wp-config.php'
}

/** Without duplicates, and what is in a chosen folder anyway. */
export function withoutInner(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return [...all].filter((path) => {
    if (path !== '' && all.has('')) return false
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      if (all.has(path.slice(0, at))) return false
    return true
  })
}
