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

interface Name {
  readonly name: Buffer
  readonly text: string
  readonly kind: EntryKind
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Lists a part of a folder: folders first, then by name. Its entries are inspected, never opened. */
export function listFolder(root: Folder, path: string, start: number): ListedFolder {
  return inFolder(root, path, (folder) => {
    const names = refusing(path, () => namesIn(folder)).toSorted(inOrder)
    const page = names.slice(start, start + siteFileLimits.page)
    const end = start + page.length
    return {
      entries: page.flatMap((name) => entryOf(folder, name)),
      total: names.length,
      next: end < names.length ? end : null,
    }
  })
}

function namesIn(folder: Folder): Name[] {
  const names: Name[] = []
  const listing = folder.list()
  try {
    for (let entry = listing.next(); entry !== null && names.length < siteFileLimits.folder; entry = listing.next()) {
      const text = textOf(entry.name)
      names.push({
        name: entry.name,
        text: text ?? entry.name.toString('utf8'),
        kind: text === null ? 'other' : entry.kind,
      })
    }
  } finally {
    listing.close()
  }
  return names
}

/** Names that a collator holds for the same still have one order. */
function inOrder(one: Name, other: Name): number {
  return (
    Number(other.kind === 'folder') - Number(one.kind === 'folder') ||
    collator.compare(one.text, other.text) ||
    Buffer.compare(one.name, other.name)
  )
}

/** Nothing if it was removed meanwhile. */
function entryOf(folder: Folder, { name, text, kind }: Name): ListedEntry[] {
  const stats = folder.statsOf(name)
  if (stats === null) return []
  return [{ name: text, kind, size: kind === 'file' ? stats.size : 0, modified: Math.round(stats.mtimeMs) }]
}
