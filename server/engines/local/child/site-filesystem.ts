import type { FileAttributes, PhpRuntime } from './php-wasm.ts'

/** Emscripten's errno for "operation not permitted". */
const eperm = 63
/** Setuid, setgid and sticky bits: a site can't set them. */
const setIdBits = 0o7000
/** File type bits of a mode, and their value for folders. */
const kindMask = 0o170000
const kindFolder = 0o040000
/**
 * Permissions the owner always keeps, whatever a site requests: where all sites belong to one user, the engine could not
 * measure, archive and empty files that user can't access.
 */
const minOwnerModes = { folder: 0o700, file: 0o400 }

/** Adapts Emscripten's access to the site's real files (NODEFS). Call once for each PHP, before anything is mounted. */
export function prepareFileSystem({ FS }: PhpRuntime): void {
  const { node_ops: nodeOps, stream_ops: streamOps } = FS.filesystems.NODEFS
  // WASM's file system caches folders: one that the other instance swaps for a link would lead out of the site. So links are
  // not allowed.
  nodeOps.symlink = () => {
    throw new FS.ErrnoError(eperm)
  }
  const { readdir, mknod, setattr } = nodeOps
  // PHP's opendir() expects `.` and `..`, which Node's listing lacks.
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

/** @param mode including the file type, as Emscripten always passes it */
function allowedMode(mode: number): number {
  const kept = (mode & kindMask) === kindFolder ? minOwnerModes.folder : minOwnerModes.file
  return (mode & ~setIdBits) | kept
}
