import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Quota, QuotaArea } from './quota.ts'

/** File type bits of a mode, and their value for folders. */
const kindMask = 0o170000
const kindFolder = 0o040000

/** A file or folder in Emscripten's NODEFS. */
export interface FsNode {
  readonly name: string
  readonly mode: number
  /** Its parent folder; the root of a mount is its own parent. */
  readonly parent: FsNode
  readonly mount: { readonly opts: { readonly root?: string } }
}

/** An open file. */
export interface FsStream {
  readonly node: FsNode
  readonly flags: number
  readonly nfd?: number
  readonly shared: { readonly refcount: number }
}

/** Attributes to set; only the size is limited. */
export interface Attributes {
  readonly size?: number
}

/** File operations of NODEFS by name. */
export type Operations = Record<string, (...values: never[]) => unknown>

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

/** What the limited operations of one runtime share. */
export interface LimitContext {
  readonly runtime: LimitedRuntime
  readonly quota: Quota
  /** The part of the site that a mounted folder belongs to (by its `root`); null: not limited. */
  readonly areaOf: (root: string) => QuotaArea | null
  /** Open files by inode; the bytes of a removed file are only released when nobody has it open any more. */
  readonly openFiles: Map<string, { count: number; removed: boolean }>
}

/** Whether an Emscripten runtime has the parts to limit; details are checked when they are limited. */
export function isLimitable(runtime: { readonly FS: object }): runtime is LimitedRuntime {
  const { filesystems } = runtime.FS as Partial<LimitedRuntime['FS']>
  return typeof filesystems?.NODEFS?.realPath === 'function'
}

/**
 * Replaces an operation of NODEFS; `wrapped` gets the original one as its first argument.
 * @throws {Error} if this PHP's file system has no such operation
 */
export function wrapOperation<Values extends unknown[]>(
  operations: Operations,
  name: string,
  wrapped: (original: (...values: Values) => unknown, ...values: Values) => unknown,
): void {
  const original = operations[name] as unknown as ((...values: Values) => unknown) | undefined
  if (original === undefined) throw new Error(`PHP’s file system has no operation ${name}.`)
  operations[name] = (...values: never[]) => wrapped(original, ...(values as unknown as Values))
}

/** The part of the site that a node belongs to; null: not limited. */
export function areaOfNode(context: LimitContext, node: FsNode): QuotaArea | null {
  return context.areaOf(node.mount.opts.root ?? '')
}

/** What is on disk at a node; null if it does not exist. */
export function statsOfNode({ runtime }: LimitContext, node: FsNode): Stats | null {
  return statsOf(runtime.FS.filesystems.NODEFS.realPath(node))
}

/** What is on disk under a name in a folder; null if it does not exist. */
export function statsOfName({ runtime }: LimitContext, parent: FsNode, name: string): Stats | null {
  return statsOf(join(runtime.FS.filesystems.NODEFS.realPath(parent), name))
}

/** Identifies a file whatever its names. */
export const inodeKey = ({ dev, ino }: Stats): string => `${dev}:${ino}`

/** Whether a mode is that of a folder. */
export const isFolderMode = (mode: number): boolean => (mode & kindMask) === kindFolder

function statsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null
}
