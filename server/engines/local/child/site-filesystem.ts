import type { FileAttributes, PhpRuntime } from './php-wasm.ts'

/** Emscripten's number for "operation not permitted". */
const eperm = 63
/** What a site may choose of a file's mode: none of the bits that make a program run as the file's owner. */
const modeMask = ~0o7000

/** Adapts Emscripten's access to the site's real files (NODEFS). Call once for each PHP, before anything is mounted. */
export function prepareFileSystem({ FS }: PhpRuntime): void {
  const { node_ops: nodeOps, stream_ops: streamOps } = FS.filesystems.NODEFS
  // WASM's view caches folders: one swapped for a link by the other instance would lead out of the site. So no links at all.
  nodeOps.symlink = () => {
    throw new FS.ErrnoError(eperm)
  }
  const { readdir, mknod, setattr } = nodeOps
  // opendir() of PHP expects the two dot entries, which Node's listing lacks.
  nodeOps.readdir = (node) => ['.', '..', ...readdir(node).filter((name) => name !== '.' && name !== '..')]
  nodeOps.mknod = (parent, name, mode, device) => mknod(parent, name, mode & modeMask, device)
  nodeOps.setattr = (node, attributes) => setattr(node, withoutSetId(attributes))
  const setStreamAttributes = streamOps.setattr
  streamOps.setattr = (stream, attributes) => setStreamAttributes(stream, withoutSetId(attributes))
  FS.root.node_ops = { ...FS.root.node_ops, statfs: nodeOps.statfs }
  FS.root.mount.opts.root = '.'
}

function withoutSetId(attributes: FileAttributes): FileAttributes {
  return attributes.mode === undefined ? attributes : { ...attributes, mode: attributes.mode & modeMask }
}
