import { diskSpace } from '#server/platform/files/disk-space.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { isAwake, quotaOf, reportStorage, type StorageMonitorContext } from './storage-monitor-context.ts'
import { asleepEveryMs, awakeEveryMs } from './site-usages.ts'
import { allowanceOf, emptyUsage, isComplete, evaluateUsage, type SiteUsage } from './usage.ts'

/** Loss of free space between two rounds (bytes) after which awake sites are measured immediately. */
const suddenLossBytes = 1024 ** 3
/** Growth of a database (bytes) after which its site is measured immediately. */
const databaseGrowthBytes = 64 * 1024 ** 2

/** Measures sites that are due, and stops those over their quota. A site that can't be measured doesn't affect others. */
export async function measureDueSites(context: StorageMonitorContext): Promise<void> {
  const { store, log } = context.options
  const urgent = await checkDisk(context)
  const records = store.all().filter((record) => isWatched(context, record))
  for (const record of records) {
    try {
      if (!isDue(context, record, urgent) && !(await hasGrown(context, record))) continue
      await settle(context, record, await context.usages.measure(record))
    } catch (error) {
      log.warn('A site could not be measured', { site: record.id, error })
    }
  }
}

/** A database grows faster than files, and no quota in the site's process holds it: its size is looked at in each round. */
async function hasGrown({ options, usages }: StorageMonitorContext, record: SiteRecord): Promise<boolean> {
  const { usage, databaseBytes } = usages.of(record.id)
  if (usage === null || record.database === undefined || !isAwake(options, record.id)) return false
  return (await options.databaseBytes(record)) > databaseBytes + databaseGrowthBytes
}

/** While a restored homepage is checked, code of the site is already running. */
function isWatched({ options }: StorageMonitorContext, { id, state }: SiteRecord): boolean {
  return state === 'ready' || (state === 'restoring' && isAwake(options, id))
}

function isDue({ options, usages }: StorageMonitorContext, record: SiteRecord, urgent: boolean): boolean {
  const { at, stale, usage } = usages.of(record.id)
  const age = options.now() - at
  if (record.suspended === true) return age >= asleepEveryMs
  if (isAwake(options, record.id)) return urgent || age >= awakeEveryMs
  // One that went to sleep since is measured once more.
  return stale && usage !== null
}

/**
 * Low disk space affects all sites at once; it is only reset once there is clearly more.
 * @returns whether awake sites must be measured immediately
 */
async function checkDisk(context: StorageMonitorContext): Promise<boolean> {
  const { store, log, minFreeBytes } = context.options
  const { free } = await diskSpace(store.root)
  const isSudden = context.lastFree - free > suddenLossBytes
  context.lastFree = free
  const isFull = free < minFreeBytes * (context.isDiskFull ? 2 : 1)
  const isChanged = isFull !== context.isDiskFull
  context.isDiskFull = isFull
  if (isChanged)
    log.warn(isFull ? 'The disk is nearly full: sites cannot write any more' : 'Sites can write again', { free })
  await endOutdated(context)
  return isSudden || isChanged
}

/**
 * Processes whose accounting started with an outdated disk state are restarted with the next request. Failures are
 * retried.
 */
async function endOutdated({ options, usages, isDiskFull }: StorageMonitorContext): Promise<void> {
  const outdated = options.awake().filter(({ id }) => usages.of(id).beganFull !== isDiskFull)
  const ended = await Promise.allSettled(outdated.map(({ id }) => options.sleep(id)))
  for (const one of ended)
    if (one.status === 'rejected') options.log.warn('A site could not be put to sleep', { error: one.reason })
}

/** Acts on a measurement: a site that uses more than its process could write is stopped, otherwise it is released. */
async function settle(context: StorageMonitorContext, record: SiteRecord, usage: SiteUsage): Promise<void> {
  const { store, log, sleep } = context.options
  const quota = quotaOf(context, record)
  const { id } = record
  // Measuring takes time: the site may have been deleted meanwhile.
  if (record.suspended === true) {
    if (isComplete(usage) && evaluateUsage(usage, quota, allowanceOf(quota, emptyUsage)) !== 'suspended')
      await store.change(id, ({ suspended: _suspended, ...free }) => free)
  } else if (evaluateUsage(usage, quota, context.usages.of(id).allowance) === 'suspended') {
    if (record.state === 'restoring') {
      log.warn('A site wrote more than its process was allowed to while it was restored, and is ended', { site: id })
      // Its restore fails, and starts over from the archive.
      await sleep(id)
      return
    }
    if ((await store.change(id, (now) => ({ ...now, suspended: true }))) === null) return
    log.warn('A site wrote more than its process was allowed to, or hid something, and is suspended', { site: id })
    await sleep(id)
  }
  reportStorage(context, id)
}
