import { fstatSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { QuotaError, type Quota, type QuotaArea } from './quota.ts'
import { bytesOnDisk, fileBytes, folderBytes } from './size-on-disk.ts'

/** EDQUOT and ENAMETOOLONG in Emscripten (WASI). */
const edquot = 19
const enametoolong = 37
/** O_CREAT and O_APPEND in musl. */
const flagCreate = 0o100
const flagAppend = 0o2000
/** File type bits of a mode, and their value for folders. */
const kindMask = 0o170000
const kindFolder = 0o040000

/**
 * Maximum folder depth. A walk goes twice as deep (`maxDepth` of `walk.ts`), so everything PHP creates is counted. Error log
 * and mail allow no subfolders, because the engine empties and counts them without reading folders.
 */
const deepest: Readonly<Record<QuotaArea, number>> = { files: 100, logs: 0, outbox: 0 }

/** A file or folder in Emscripten's NODEFS. */
interface FsNode {
  readonly name: string
  readonly mode: number
  /** Its parent folder; the root of a mount is its own parent. */
  readonly parent: FsNode
  readonly mount: { readonly opts: { readonly root?: string } }
}
/** An open file. */
interface FsStream {
  readonly node: FsNode
  readonly flags: number
  readonly nfd?: number
  readonly shared: { readonly refcount: number }
}
interface Attributes {
  readonly size?: number
}
type Operations = Record<string, (...values: never[]) => unknown>

/** The parts of an Emscripten runtime that are limited. */
export interface LimitedRuntime {
  readonly FS: {
    readonly ErrnoError: new (errno: number) => Error
    readonly filesystems: {
      readonly NODEFS: {
        readonly node_ops: Operations
        readonly stream_ops: Operations
        /** Path of a node on disk. */
        realPath(node: FsNode): string
      }
    }
  }
}

/** Whether an Emscripten runtime has the parts to limit; details are checked when they are limited. */
export function isLimitable(runtime: { readonly FS: object }): runtime is LimitedRuntime {
  const { filesystems } = runtime.FS as Partial<LimitedRuntime['FS']>
  return typeof filesystems?.NODEFS?.realPath === 'function'
}

/**
 * Makes NODEFS check the quota before it writes: PHP sees "Quota exceeded". All PHP instances of a process share one quota.
 * Call once for each runtime, before its folders are mounted.
 * @param areaOf the part of the site that a mounted folder belongs to (by its `root`); null: not limited
 */
export function limitNodeFs(runtime: LimitedRuntime, quota: Quota, areaOf: (root: string) => QuotaArea | null): void {
  const { NODEFS } = runtime.FS.filesystems
  const { node_ops: nodes, stream_ops: streams } = NODEFS
  /** Open files by inode; the bytes of a removed file are only released when nobody has it open any more. */
  const open = new Map<string, { count: number; removed: boolean }>()

  const areaOfNode = (node: FsNode): QuotaArea | null => areaOf(node.mount.opts.root ?? '')
  const pathOf = (parent: FsNode, name: string): string => join(NODEFS.realPath(parent), name)
  /** Rejects a folder in `parent` that would exceed the maximum depth with its subfolders, which `reaches` counts. */
  const assertDepth = (area: QuotaArea, parent: FsNode, reaches: (most: number) => boolean): void => {
    if (!reaches(deepest[area] - depthOf(parent))) throw new runtime.FS.ErrnoError(enametoolong)
  }
  /** Turns a rejection into an errno; if the operation fails, what was counted for it is released. */
  const guarded = <T>(reserve: () => void, work: () => T, giveBack: () => void): T => {
    try {
      reserve()
    } catch (error) {
      if (error instanceof QuotaError) throw new runtime.FS.ErrnoError(edquot)
      throw error
    }
    try {
      return work()
    } catch (error) {
      giveBack()
      throw error
    }
  }
  const wrap = <Values extends unknown[]>(
    operations: Operations,
    name: string,
    wrapped: (original: (...values: Values) => unknown, ...values: Values) => unknown,
  ): void => {
    const original = operations[name] as unknown as ((...values: Values) => unknown) | undefined
    if (original === undefined) throw new Error(`PHP’s file system has no operation ${name}.`)
    operations[name] = (...values: never[]) => wrapped(original, ...(values as unknown as Values))
  }

  /** Releases the bytes of a file without a name, unless it has another name or is open. */
  const removed = (area: QuotaArea, facts: Stats): void => {
    quota.removed()
    if (facts.isDirectory()) quota.released(area, folderBytes)
    if (!facts.isFile() || facts.nlink > 1) return
    const opened = open.get(keyOf(facts))
    if (opened === undefined) quota.released(area, fileBytes(facts.size))
    else opened.removed = true
  }
  const resize = (area: QuotaArea, before: number, attributes: Attributes, work: () => unknown): unknown => {
    const more = fileBytes(attributes.size ?? before) - fileBytes(before)
    return guarded(
      () => quota.beforeWrite(area, more),
      () => {
        const result = work()
        if (more < 0) quota.released(area, -more)
        return result
      },
      () => quota.released(area, Math.max(0, more)),
    )
  }

  wrap<[FsNode, string, number, number]>(nodes, 'mknod', (original, parent, name, mode, dev) => {
    const area = areaOfNode(parent)
    const make = (): unknown => original(parent, name, mode, dev)
    if (area === null) return make()
    if (!isFolder(mode)) return guarded(quota.beforeCreate, make, quota.removed)
    assertDepth(area, parent, (most) => most >= 1)
    return guarded(
      () => quota.beforeWrite(area, folderBytes),
      () => guarded(quota.beforeCreate, make, quota.removed),
      () => quota.released(area, folderBytes),
    )
  })
  wrap<[FsNode, string]>(nodes, 'unlink', (original, parent, name) => {
    const area = areaOfNode(parent)
    const facts = area === null ? null : factsOf(pathOf(parent, name))
    const result = original(parent, name)
    if (area !== null && facts !== null) removed(area, facts)
    return result
  })
  wrap<[FsNode, string]>(nodes, 'rmdir', (original, parent, name) => {
    const area = areaOfNode(parent)
    const facts = area === null ? null : factsOf(pathOf(parent, name))
    const result = original(parent, name)
    if (area !== null && facts !== null) removed(area, facts)
    return result
  })
  wrap<[FsNode, FsNode, string]>(nodes, 'rename', (original, node, folder, name) => {
    const area = areaOfNode(folder)
    // Only moving to a deeper level can exceed the maximum depth.
    if (area !== null && isFolder(node.mode) && depthOf(folder) + 1 > depthOf(node))
      assertDepth(area, folder, (most) => areFoldersWithin(NODEFS.realPath(node), most))
    const replaced = area === null ? null : factsOf(pathOf(folder, name))
    const self = replaced === null ? null : factsOf(NODEFS.realPath(node))
    const result = original(node, folder, name)
    // Renaming one hard link to another of the same file keeps both.
    if (area !== null && replaced !== null && !(self !== null && keyOf(self) === keyOf(replaced)))
      removed(area, replaced)
    return result
  })
  wrap<[FsNode, Attributes]>(nodes, 'setattr', (original, node, attributes) => {
    const area = areaOfNode(node)
    if (area === null || attributes.size === undefined) return original(node, attributes)
    const before = factsOf(NODEFS.realPath(node))?.size ?? 0
    return resize(area, before, attributes, () => original(node, attributes))
  })
  wrap<[FsStream, Attributes]>(streams, 'setattr', (original, stream, attributes) => {
    const area = areaOfNode(stream.node)
    if (area === null || attributes.size === undefined || stream.nfd === undefined) return original(stream, attributes)
    return resize(area, fstatSync(stream.nfd).size, attributes, () => original(stream, attributes))
  })
  wrap<[FsStream]>(streams, 'open', (original, stream) => {
    if (areaOfNode(stream.node) === null) return original(stream)
    // PHP's cache may still contain a file that another PHP removed; opening it creates it again.
    const creates = (stream.flags & flagCreate) !== 0 && factsOf(NODEFS.realPath(stream.node)) === null
    const result = creates ? guarded(quota.beforeCreate, () => original(stream), quota.removed) : original(stream)
    if (stream.nfd !== undefined) {
      const key = keyOf(fstatSync(stream.nfd))
      const opened = open.get(key)
      if (opened === undefined) open.set(key, { count: 1, removed: false })
      else opened.count += 1
    }
    return result
  })
  wrap<[FsStream]>(streams, 'close', (original, stream) => {
    const area = areaOfNode(stream.node)
    const facts =
      area !== null && stream.nfd !== undefined && stream.shared.refcount === 1 ? fstatSync(stream.nfd) : null
    const result = original(stream)
    if (area === null || facts === null) return result
    const opened = open.get(keyOf(facts))
    if (opened === undefined) return result
    opened.count -= 1
    if (opened.count === 0) {
      open.delete(keyOf(facts))
      if (opened.removed) quota.released(area, fileBytes(facts.size))
    }
    return result
  })
  wrap<[FsStream, unknown, number, number, number, ...unknown[]]>(
    streams,
    'write',
    (original, stream, buffer, offset, length, position, ...more) => {
      const area = areaOfNode(stream.node)
      const write = (): unknown => original(stream, buffer, offset, length, position, ...more)
      if (area === null || stream.nfd === undefined) return write()
      const before = fstatSync(stream.nfd).size
      const at = (stream.flags & flagAppend) !== 0 ? before : position
      const grown = (bytes: number): number => fileBytes(Math.max(before, at + bytes)) - fileBytes(before)
      const growth = grown(length)
      if (growth === 0) return write()
      return guarded(
        () => quota.beforeWrite(area, growth),
        () => {
          const written = Number(write())
          quota.released(area, growth - grown(written))
          return written
        },
        () => quota.released(area, growth),
      )
    },
  )
}

const keyOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`

function factsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}

const isFolder = (mode: number): boolean => (mode & kindMask) === kindFolder

/** Number of folders from the root of the mount to a node, including itself. */
function depthOf(node: FsNode): number {
  let depth = 0
  for (let at = node; at.parent !== at; at = at.parent) depth += 1
  return depth
}

/** Whether a folder and its subfolders have at most this many levels. False if one is unreadable. */
function areFoldersWithin(path: string, most: number): boolean {
  // Names are bytes: what other programs put there need not be text.
  const levels: { path: Buffer; left: number }[] = [{ path: Buffer.from(path), left: most }]
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    const { path: folder, left } = level
    if (left < 1) return false
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }))
        if (entry.isDirectory())
          levels.push({ path: Buffer.concat([folder, Buffer.from('/'), entry.name]), left: left - 1 })
    } catch {
      return false
    }
  }
  return true
}

/** Size of the files directly in a folder, for areas without subfolders (error log, captured mail). */
export function flatBytes(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder)) {
    const facts = factsOf(join(folder, name))
    if (facts !== null) bytes += bytesOnDisk(facts)
  }
  return bytes
}
