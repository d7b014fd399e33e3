import { closeSync, constants, fchmodSync, openSync } from 'node:fs'
import { openBelow, openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { isReadableBy } from '#server/platform/trees/folder.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { copyContent } from './copy.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'

/** A file in a folder of a site, or of ours. Only the last name of `root` is checked; nothing below it is followed. */
export interface FilePlace {
  readonly root: string
  /** Folders below `root`. */
  readonly below: readonly string[]
  readonly name: string
}

/** A file that is copied. */
export interface PlacedFile {
  readonly from: FilePlace
  /** User of the site that the file belongs to; null: everything belongs to one user. */
  readonly owner: number | null
  readonly into: FilePlace
  /** Its new owner; null: ours. */
  readonly uid: number | null
  /** It need not be there: then the copy is removed, too. */
  readonly optional: boolean
}

/** Input of `place`. */
export interface PlaceInput {
  readonly files: readonly PlacedFile[]
  /** What may be added. */
  readonly limits: TreeLimits
}

/** Copies single files, replacing what has their names. Returns what was added. */
export function placeFiles({ files, limits }: PlaceInput): TreeLimits {
  const counted = createTreeCounter(limits)
  for (const file of files) placeFile(file, counted.add)
  return { ...counted.total }
}

function placeFile({ from, owner, into, uid, optional }: PlacedFile, count: (bytes: number) => void): void {
  inFolder(into, (target) => {
    const name = Buffer.from(into.name)
    inFolder(from, (source) => {
      const file = source.openFile(Buffer.from(from.name))
      target.removeFile(name)
      if (file === null) {
        if (optional) return
        throw noFile(from.name)
      }
      try {
        if (!isReadableBy(file.stats, owner)) throw noFile(from.name)
        count(file.stats.size)
        copyContent(file, target.pathOf(name))
        const made = openSync(target.pathOf(name), constants.O_RDONLY | constants.O_NOFOLLOW)
        try {
          fchmodSync(made, 0o600)
        } finally {
          closeSync(made)
        }
        if (uid !== null) target.chownEntry(name, uid, uid)
      } finally {
        closeSync(file.fd)
      }
    })
  })
}

/** Input of `unplace`. */
export interface UnplaceInput {
  readonly root: string
  readonly below: readonly string[]
  /** Names of files to remove begin with it. */
  readonly prefix: string
}

/** Removes the files of a folder whose names begin with a prefix. */
export function unplaceFiles({ root, below, prefix }: UnplaceInput): null {
  const top = openFolder(root)
  try {
    const folder = below.length === 0 ? top : openBelow(top, below)
    if (folder === null) return null
    const names: Buffer[] = []
    const listing = folder.list()
    for (let entry = listing.next(); entry !== null && names.length < 10_000; entry = listing.next())
      if (entry.kind === 'file' && entry.name.toString('latin1').startsWith(prefix)) names.push(entry.name)
    listing.close()
    for (const name of names) folder.removeFile(name)
    if (folder !== top) folder.close()
    return null
  } finally {
    top.close()
  }
}

function inFolder(place: FilePlace, work: (folder: Folder) => void): void {
  const top = openFolder(place.root)
  try {
    const folder = place.below.length === 0 ? top : openBelow(top, place.below)
    if (folder === null) throw noFile(place.name)
    try {
      work(folder)
    } finally {
      if (folder !== top) folder.close()
    }
  } finally {
    top.close()
  }
}

const noFile = (name: string) =>
  new EngineError('unavailable', msg`Easydash can’t read a file of the site: ${name}.`, {
    nextAction: msg`Look whether it is there and belongs to the site, then try again.`,
  })
