import { closeSync, fchmodSync, fstatSync, linkSync } from 'node:fs'
import { folderOf } from '#shared/rules/site-files.ts'
import { copyBytes } from './copy-files.ts'
import type { RoomCounter } from './file-room.ts'
import { taken } from './refusal.ts'
import { assertFree } from './text-file.ts'
import { removeFiles } from './trash.ts'
import { assertNewPath, atPath, makeFolders } from './tree-path.ts'
import { createIn, withWorkFolder, type SiteTree } from './work-folder.ts'

/** An uploaded file, where it belongs, and whether it takes the place of another file. */
export interface Put {
  readonly path: string
  /** Open for reading. */
  readonly source: number
  readonly replace: boolean
}

/**
 * Takes an uploaded file by copying it. A file that it replaces goes into the trash, whose id is returned. Missing folders
 * are created.
 */
export async function putFile(
  tree: SiteTree,
  { path, source, replace }: Put,
  counter: RoomCounter,
  now: number,
): Promise<{ trash: string | null }> {
  assertNewPath(path)
  const { size } = fstatSync(source)
  counter.add(size)
  for (let made = makeFolders(tree.root, folderOf(path)); made > 0; made -= 1) counter.add(0)
  return withWorkFolder(tree, (work) => {
    const name = Buffer.from('file')
    if (!replace) atPath(tree.root, path, (folder, target) => assertFree(folder, target, path))
    const copy = createIn(work, name)
    try {
      copyBytes(source, copy, size)
      fchmodSync(copy, 0o644)
    } finally {
      closeSync(copy)
    }
    const stats = atPath(tree.root, path, (folder, target) => folder.statsOf(target))
    // A folder is never replaced by a file.
    if (stats?.isDirectory()) throw taken(path)
    const trash = replace && stats !== null ? removeFiles(tree, [path], now).id : null
    atPath(tree.root, path, (folder, target) => linkSync(work.pathOf(name), folder.pathOf(target)))
    return { trash }
  })
}
