import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'

/** Maximum size of a tree. */
export interface TreeLimits {
  bytes: number
  entries: number
}

/** Counts the content of a tree while it is read or written. Throws EngineError `invalid` as soon as a limit is exceeded. */
export function createTreeCounter(limits: TreeLimits): {
  add(bytes: number): void
  /** The last one becomes larger. */
  grow(bytes: number): void
  readonly total: TreeLimits
} {
  const total: TreeLimits = { bytes: 0, entries: 0 }
  const count = (bytes: number, entries: number): void => {
    total.bytes += bytes
    total.entries += entries
    if (total.bytes > limits.bytes || total.entries > limits.entries) throw overQuota(total, limits)
  }
  return { total, add: (bytes) => count(bytes, 1), grow: (bytes) => count(bytes, 0) }
}

/** The error for a site that exceeds, or would exceed, its limits. */
export function overQuota(found: TreeLimits, limits: TreeLimits): EngineError {
  const nextAction = msg`Ask the platform admin for a larger quota.`
  if (found.entries > limits.entries)
    return new EngineError('invalid', msg`The site has more than ${limits.entries} files and folders, its quota.`, {
      nextAction,
    })
  const most = Math.floor(limits.bytes / 1_048_576)
  return new EngineError('invalid', msg`The site needs more than ${most} MB, its quota.`, { nextAction })
}
