import type { FileAttributes, PhpRuntime } from './php-wasm.ts'

/** Emscripten's number for "operation not permitted". */
const eperm = 63
/** Bits that make a program run as the file's owner: a site gives them to nothing. */
const setIdBits = 0o7000
/** Kind of a file in its mode, and folders' kind. */
const kindMask = 0o170000
const kindFolder = 0o040000
/**
 * What stays with the owner whatever a site asks for: where all sites are one user's, the engine could not measure, pack
 * and empty what is closed to that user.
 */
const keptBits = { folder: 0o700, file: 0o400 }

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
  nodeOps.mknod = (parent, name, mode, device) => mknod(parent, name, allowedMode(mode), device)
  nodeOps.setattr = (node, attributes) => setattr(node, allowedAttributes(attributes))
  const setStreamAttributes = streamOps.setattr
  streamOps.setattr = (stream, attributes) => setStreamAttributes(stream, allowedAttributes(attributes))
  FS.root.node_ops = { ...FS.root.node_ops, statfs: nodeOps.statfs }
  FS.root.mount.opts.root = '.'
}

function allowedAttributes(attributes: FileAttributes): FileAttributes {
  return attributes.mode === undefined ? attributes : { ...attributes, mode: allowedMode(attributes.mode) }
}

/** @param mode with the kind of the file in it, as Emscripten always hands it over */
function allowedMode(mode: number): number {
  const kept = (mode & kindMask) === kindFolder ? keptBits.folder : keptBits.file
  return (mode & ~setIdBits) | kept
}
