import { maxManifestFiles, type SiteManifest } from '../site-manifest.ts'
import { eachItem, unreadable } from './known-content.ts'
import { packedPath, tooMany } from './pack-archive.ts'
import type { TreeItem } from './tar-pieces.ts'

/** Of a folder and of a file, see `pack-files.sh`. */
const line =
  /^(?:d (?<folder>[0-7]{1,4} -?\d{1,15}\.\d{1,12})|(?<attributes>[0-7]{1,4} -?\d{1,15}\.\d{1,12}) (?<size>\d{1,15}) (?<sha256>[0-9a-f]{64}) ) (?<name>[^]+)$/

/** A tree, without the links and special files that there were, which are not copied. */
export interface ListedTree {
  readonly items: TreeItem[]
  readonly others: number
}

/** What is in a list as `pack-files.sh` writes of a copy: what could not be restored is refused before anything is packed. The server can be hostile. */
export async function listedTree(list: AsyncIterable<Buffer>): Promise<ListedTree> {
  const items: TreeItem[] = []
  const seen = new Set<string>()
  let others = 0
  await eachItem(list, (item) => {
    const [, count] = /^x (\d{1,15})$/.exec(item) ?? []
    if (count !== undefined) {
      others = Number(count)
      return
    }
    const { folder, attributes, size, sha256, name = '' } = line.exec(item)?.groups ?? {}
    const path = packedPath(name)
    if (path === '' || seen.has(path)) throw unreadable()
    seen.add(path)
    if (seen.size > maxManifestFiles) throw tooMany()
    const file = size === undefined || sha256 === undefined ? null : { size: Number(size), sha256 }
    items.push({ path, file, attributes: folder ?? attributes ?? null })
  })
  return { items, others }
}

/** The files in it, as a manifest names them. */
export const filesIn = (tree: readonly TreeItem[]): SiteManifest['files'] =>
  tree.flatMap(({ path, file }) => (file ? [{ path, ...file }] : []))
