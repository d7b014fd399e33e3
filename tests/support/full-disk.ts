/** A disk that is full from one write on: what this process writes below a folder fails with ENOSPC. Linux only. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Every write, and everything new in a folder, below the folder of the disk. */
export interface FullDisk {
  /** Counts from zero; the write of this number (from 1) is the first that has no room. Infinity: all have. */
  fillAt(write: number): void
  /** Writes since then. */
  readonly writes: number
  restore(): void
}

type Call = (...args: never[]) => unknown

/** Begins to count. */
export async function fullDisk(folder: string): Promise<FullDisk> {
  let [writes, first] = [0, Number.POSITIVE_INFINITY]
  /** Pieces of content by file: after its second one every further one is like that. */
  const pieces = new Map<string, number>()
  const pathOf = (place: unknown): string => {
    try {
      return typeof place === 'number' ? fs.readlinkSync(`/proc/self/fd/${place}`) : String(place)
    } catch {
      return ''
    }
  }
  /** The error of a write; null if it has room, or is elsewhere. */
  const refused = (place: unknown, call: string): Error | null => {
    const at = pathOf(place)
    if (!at.startsWith(folder)) return null
    const isFull = writes >= first
    const piece = (pieces.get(at) ?? 0) + 1
    if (typeof place === 'number') pieces.set(at, piece)
    if (!isFull && typeof place === 'number' && piece > 2) return null
    writes += 1
    if (writes < first) return null
    return Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), {
      ...{ code: 'ENOSPC', errno: -28, syscall: call },
    })
  }
  const isForWriting = (flags: unknown): boolean => typeof flags === 'string' && /[wa]/.test(flags)
  const undo: (() => void)[] = []
  /** Replaces a function, which gets its error in the way of its kind. */
  const replace = (
    on: object,
    name: string,
    kind: 'callback' | 'promise',
    placeOf: (self: unknown, args: readonly unknown[]) => unknown,
    isWrite: (args: readonly unknown[]) => boolean = () => true,
  ): void => {
    const real = Reflect.get(on, name) as Call
    const replaced = function (this: unknown, ...args: never[]): unknown {
      const error = isWrite(args) ? refused(placeOf(this, args), name) : null
      if (error === null) return Reflect.apply(real, this, args)
      if (kind === 'promise') return Promise.reject(error)
      const done = args.at(-1) as unknown as (error: Error) => void
      process.nextTick(() => done(error))
      return undefined
    }
    Reflect.set(on, name, replaced)
    undo.push(() => void Reflect.set(on, name, real))
  }
  const path = (_self: unknown, [at]: readonly unknown[]) => at
  const ofHandle = (self: unknown) => Reflect.get(self as object, 'fd')
  const probe = await fs.promises.open('/dev/null')
  const handles = Object.getPrototypeOf(probe) as object
  await probe.close()
  for (const name of ['write', 'writev']) replace(fs, name, 'callback', path)
  replace(fs, 'open', 'callback', path, ([, flags]) => isForWriting(flags))
  replace(fs.promises, 'open', 'promise', path, ([, flags]) => isForWriting(flags))
  for (const name of ['mkdir', 'writeFile', 'copyFile']) replace(fs.promises, name, 'promise', path)
  replace(fs.promises, 'rename', 'promise', (_self, [, to]) => to)
  for (const name of ['write', 'appendFile', 'writeFile', 'sync']) replace(handles, name, 'promise', ofHandle)
  syncBuiltinESMExports()
  return {
    fillAt(write) {
      ;[writes, first] = [0, write]
      pieces.clear()
    },
    get writes() {
      return writes
    },
    restore() {
      for (const back of undo) back()
      syncBuiltinESMExports()
    },
  }
}
