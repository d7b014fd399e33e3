import type { Stats } from 'node:fs'
import { inodeKey, type Attributes, type LimitContext } from './node-fs.ts'
import { QuotaError, type QuotaArea } from './quota.ts'
import { fileBytes, folderBytes } from './size-on-disk.ts'

/** EDQUOT in Emscripten (WASI). */
const edquot = 19

/** Runs `work` after reserving `bytes`, which are released again if it fails. A rejection becomes an errno. */
export function reservingBytes<T>(context: LimitContext, area: QuotaArea, bytes: number, work: () => T): T {
  const { quota } = context
  return reserving(context, {
    reserve: () => quota.beforeWrite(area, bytes),
    release: () => quota.released(area, Math.max(0, bytes)),
    work,
  })
}

/** Runs `work` after reserving one file or folder, which is released again if it fails. A rejection becomes an errno. */
export function reservingEntry<T>(context: LimitContext, work: () => T): T {
  const { quota } = context
  return reserving(context, { reserve: quota.beforeCreate, release: quota.removed, work })
}

function reserving<T>(
  { runtime }: LimitContext,
  { reserve, release, work }: { reserve: () => void; release: () => void; work: () => T },
): T {
  try {
    reserve()
  } catch (error) {
    if (error instanceof QuotaError) throw new runtime.FS.ErrnoError(edquot)
    throw error
  }
  try {
    return work()
  } catch (error) {
    release()
    throw error
  }
}

/** Counts a change of a file's size from `before` bytes. */
export function resize(
  context: LimitContext,
  area: QuotaArea,
  before: number,
  attributes: Attributes,
  work: () => unknown,
): unknown {
  const more = fileBytes(attributes.size ?? before) - fileBytes(before)
  return reservingBytes(context, area, more, () => {
    const result = work()
    if (more < 0) context.quota.released(area, -more)
    return result
  })
}

/** Releases the bytes of a file that lost its name, unless it has another name or is open. */
export function releaseRemoved({ quota, openFiles }: LimitContext, area: QuotaArea, stats: Stats): void {
  quota.removed()
  if (stats.isDirectory()) quota.released(area, folderBytes)
  if (!stats.isFile() || stats.nlink > 1) return
  const opened = openFiles.get(inodeKey(stats))
  if (opened === undefined) quota.released(area, fileBytes(stats.size))
  else opened.removed = true
}
