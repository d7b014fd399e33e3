import type { siteTypes } from '../doctypes/site.ts'
import type { SiteQuota } from './site-quotas.ts'

/** Site types. */
type SiteKind = (typeof siteTypes)[number]

/**
 * Default quotas of a new installation. The stored quotas, which the platform admin edits, are the ones that apply. A new
 * WordPress site has 80 MB in 3,000 files; large ones rarely exceed 5 GB in 100,000 files.
 */
export const defaultSiteQuotas: Readonly<Record<SiteKind, SiteQuota>> = {
  wp: { disk_mb: 5120, files: 250_000, log_mb: 10, outbox_mb: 50 },
  php: { disk_mb: 2048, files: 100_000, log_mb: 10, outbox_mb: 50 },
  html: { disk_mb: 1024, files: 50_000, log_mb: 1, outbox_mb: 1 },
}
