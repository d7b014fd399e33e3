import { limitNodeFs } from './limit-node-fs.ts'
import { isLimitable } from './node-fs.ts'
import { createQuota, type Quota, type QuotaArea, type QuotaStart } from './quota.ts'
import { filesInFolderBytes } from './size-on-disk.ts'

/** Quota areas by mounted folder: the site's own folder is the working directory of its process. */
const folders: Readonly<Record<string, QuotaArea>> = {
  './www': 'files',
  './logs': 'logs',
  './outbox': 'outbox',
  './temporary': 'files',
}
/** Folders that the engine may empty while the site runs. */
const emptied: Partial<Record<QuotaArea, string>> = { logs: './logs', outbox: './outbox' }

let quota: Quota | null = null

/**
 * Makes a PHP check the quota before it writes to the site's folders. All PHP instances of this process share one quota.
 * Call before the folders are mounted.
 */
export function limitSite(runtime: { readonly FS: object }, start: QuotaStart): void {
  // A PHP whose writes can't be counted does not start.
  if (!isLimitable(runtime)) throw new Error('PHP’s file system cannot be limited.')
  quota ??= createQuota(start, (area) => {
    const folder = emptied[area]
    return folder === undefined ? null : filesInFolderBytes(folder)
  })
  limitNodeFs(runtime, quota, (root) => folders[root] ?? null)
}

/** Counts files that the engine added to the site. */
export function countAdded(bytes: number, entries: number): void {
  quota?.grown('files', bytes, entries)
}
