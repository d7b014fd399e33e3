import { assertFolderFits, assertMoveFits } from './folder-depth.ts'
import {
  areaOfNode,
  inodeKey,
  isFolderMode,
  statsOfName,
  statsOfNode,
  wrapOperation,
  type Attributes,
  type FsNode,
  type LimitContext,
  type Operations,
} from './node-fs.ts'
import { releaseRemoved, reservingBytes, reservingEntry, resize } from './reserve.ts'
import { folderBytes } from './size-on-disk.ts'

/** Limits the operations on files and folders by name: creating, removing, moving, and changing the size. */
export function limitNodes(context: LimitContext): void {
  const nodes = context.runtime.FS.filesystems.NODEFS.node_ops
  limitCreate(context, nodes)
  limitRemove(context, nodes, 'unlink')
  limitRemove(context, nodes, 'rmdir')
  limitRename(context, nodes)
  limitResize(context, nodes)
}

function limitCreate(context: LimitContext, nodes: Operations): void {
  wrapOperation<[FsNode, string, number, number]>(nodes, 'mknod', (original, parent, name, mode, dev) => {
    const area = areaOfNode(context, parent)
    const create = (): unknown => original(parent, name, mode, dev)
    if (area === null) return create()
    if (!isFolderMode(mode)) return reservingEntry(context, create)
    assertFolderFits(context, area, parent)
    return reservingBytes(context, area, folderBytes, () => reservingEntry(context, create))
  })
}

function limitRemove(context: LimitContext, nodes: Operations, operation: 'unlink' | 'rmdir'): void {
  wrapOperation<[FsNode, string]>(nodes, operation, (original, parent, name) => {
    const area = areaOfNode(context, parent)
    const stats = area === null ? null : statsOfName(context, parent, name)
    const result = original(parent, name)
    if (area !== null && stats !== null) releaseRemoved(context, area, stats)
    return result
  })
}

function limitRename(context: LimitContext, nodes: Operations): void {
  wrapOperation<[FsNode, FsNode, string]>(nodes, 'rename', (original, node, folder, name) => {
    const area = areaOfNode(context, folder)
    if (area !== null && isFolderMode(node.mode)) assertMoveFits(context, area, node, folder)
    const replaced = area === null ? null : statsOfName(context, folder, name)
    const self = replaced === null ? null : statsOfNode(context, node)
    const result = original(node, folder, name)
    // Renaming one hard link to another of the same file keeps both.
    if (area !== null && replaced !== null && !(self !== null && inodeKey(self) === inodeKey(replaced)))
      releaseRemoved(context, area, replaced)
    return result
  })
}

function limitResize(context: LimitContext, nodes: Operations): void {
  wrapOperation<[FsNode, Attributes]>(nodes, 'setattr', (original, node, attributes) => {
    const area = areaOfNode(context, node)
    if (area === null || attributes.size === undefined) return original(node, attributes)
    const before = statsOfNode(context, node)?.size ?? 0
    return resize(context, area, before, attributes, () => original(node, attributes))
  })
}
