import { flatBytes, isLimitable, limitNodeFs } from './limit-node-fs.ts'
import { createQuota, type Quota, type QuotaArea, type QuotaStart } from './quota.ts'

/** Folders of a site by what they are mounted from: the site's own folder is the current one of its process. */
const folders: Readonly<Record<string, QuotaArea>> = { './www': 'files', './logs': 'logs', './outbox': 'outbox' }
/** Folders that the engine may empty while the site runs. */
const emptied: Partial<Record<QuotaArea, string>> = { logs: './logs', outbox: './outbox' }

let quota: Quota | null = null

/**
 * Makes a PHP ask before it writes to the site's folders. All PHPs of this process share one accountant. Call before the
 * folders are mounted.
 */
export function limitSite(runtime: { readonly FS: object }, start: QuotaStart): void {
  // A PHP whose writes nobody counts does not start.
  if (!isLimitable(runtime)) throw new Error('PHP’s file system cannot be limited.')
  quota ??= createQuota(start, (area) => {
    const folder = emptied[area]
    return folder === undefined ? null : flatBytes(folder)
  })
  limitNodeFs(runtime, quota, (root) => folders[root] ?? null)
}
