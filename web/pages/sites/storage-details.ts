import type { Site } from '#shared/doctypes/site.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import type { Detail } from '#web/ui/detail-list.tsx'
import { t } from './messages.ts'

const megabyte = 1_048_576

/** A disk size: "1.2 GB", or "more than 1.2 GB" if not all of it could be measured. */
export function formatDiskSize(bytes: number, atLeast: boolean): string {
  return atLeast ? t('site.more_than', { size: formatBytes(bytes) }) : formatBytes(bytes)
}

/**
 * Whether a site has files and a WordPress of its own at the moment: one in the archive, or on its way there or back, has neither,
 * whatever was measured before.
 */
export function isUnpacked({ status }: { readonly status?: Site['status'] }): boolean {
  return status !== 'Archived' && status !== 'Archiving' && status !== 'Restoring'
}

/** Disk usage of a site, with its quota if there is one; null if not measured yet. */
export function formatDiskUsage(site: Pick<Site, 'storage' | 'disk_used' | 'disk_used_at_least'>): string | null {
  const { disk_used: used, storage } = site
  if (storage) return ofMegabytes(storage.bytes, storage.quota.disk_mb, storage.at_least)
  return used === null || used === undefined ? null : formatDiskSize(used, site.disk_used_at_least === 1)
}

const ofMegabytes = (bytes: number, mb: number, more = false): string =>
  usageText(formatDiskSize(bytes, more), mb, (most) => formatBytes(most * megabyte))

/** Usage, and the quota if there is one. */
function usageText(used: string, quota: number, most: (quota: number) => string): string {
  return quota > 0 ? t('site.used_of', { used, most: most(quota) }) : used
}

/** What a site stores besides its size, which the summary says, each value with its quota. */
export function storageDetails(site: Pick<Site, 'site_type' | 'status' | 'storage'>): Detail[] {
  const { storage } = site
  if (!storage || !isUnpacked(site)) return []
  const { quota, at_least: atLeast } = storage
  const files = formatNumber(storage.files)
  return [
    {
      label: t('site.files'),
      value: usageText(atLeast ? t('site.more_than', { size: files }) : files, quota.files, formatNumber),
    },
    // Plain HTML sites run no code that could use a database.
    ...(site.site_type === 'html'
      ? []
      : [
          { label: t('site.log'), value: ofMegabytes(storage.log_bytes, quota.log_mb) },
          { label: t('site.outbox'), value: ofMegabytes(storage.outbox_bytes, quota.outbox_mb) },
        ]),
  ]
}
