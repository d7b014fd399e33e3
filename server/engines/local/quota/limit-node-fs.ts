import { limitNodes } from './limit-nodes.ts'
import { limitStreams } from './limit-streams.ts'
import type { LimitContext, LimitedRuntime } from './node-fs.ts'
import type { Quota } from './quota.ts'

/**
 * Makes NODEFS check the quota before it writes: PHP sees "Quota exceeded". All PHP instances of a process share one quota.
 * Call once for each runtime, before its folders are mounted.
 * @param areaOf the part of the site that a mounted folder belongs to (by its `root`); null: not limited
 */
export function limitNodeFs(runtime: LimitedRuntime, quota: Quota, areaOf: LimitContext['areaOf']): void {
  const context: LimitContext = { runtime, quota, areaOf, openFiles: new Map() }
  limitNodes(context)
  limitStreams(context)
}
