import { siteFileLimits } from '#shared/rules/site-files.ts'
import type { EntryKind, Folder } from '../trees/folder.ts'
import { refusing } from './refusal.ts'
import { inFolder, textOf } from './tree-path.ts'

/** An entry of a folder; see `SiteFileEntry`. */
export interface ListedEntry {
  name: string
  kind: EntryKind
  size: number
  modified: number
}

/** A part of a folder. */
export interface ListedFolder {
  entries: ListedEntry[]
  total: number
  next: number | null
}

/** A name in a folder. */
export interface FoundName {
  readonly name: Buffer
  readonly text: string
  readonly kind: EntryKind
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Lists a part of a folder: folders first, then by name. Its entries are inspected, never opened. */
export function listFolder(root: Folder, path: string, start: number): ListedFolder {
  return inFolder(root, path, (folder) => {
    const { page, ...rest } = pageOf(
      refusing(path, () => namesIn(folder)),
      start,
    )
    return { entries: page.flatMap((name) => entryOf(folder, name)), ...rest }
  })
}

/** A part of all names of a folder. */
export function pageOf<T extends FoundName>(
  names: readonly T[],
  start: number,
): { page: T[] } & Pick<ListedFolder, 'total' | 'next'> {
  const page = names.toSorted(inOrder).slice(start, start + siteFileLimits.page)
  const end = start + page.length
  return { page, total: names.length, next: end < names.length ? end : null }
}

/** A name as it is found; what is not valid text can't be opened. */
export function foundName(name: Buffer, kind: EntryKind): FoundName {
  const text = textOf(name)
  return { name, text: text ?? name.toString('utf8'), kind: text === null ? 'other' : kind }
}

function namesIn(folder: Folder): FoundName[] {
  const names: FoundName[] = []
  const listing = folder.list()
  try {
    for (let entry = listing.next(); entry !== null && names.length < siteFileLimits.folder; entry = listing.next())
      names.push(foundName(entry.name, entry.kind))
  } finally {
    listing.close()
  }
  return names
}

/** Names that a collator holds for the same still have one order. */
function inOrder(one: FoundName, other: FoundName): number {
  return (
    Number(other.kind === 'folder') - Number(one.kind === 'folder') ||
    collator.compare(one.text, other.text) ||
    Buffer.compare(one.name, other.name)
  )
}

/** Nothing if it was removed meanwhile. */
function entryOf(folder: Folder, { name, text, kind }: FoundName): ListedEntry[] {
  const stats = folder.statsOf(name)
  if (stats === null) return []
  return [{ name: text, kind, size: kind === 'file' ? stats.size : 0, modified: Math.round(stats.mtimeMs) }]
}
