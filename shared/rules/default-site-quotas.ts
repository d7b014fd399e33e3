import type { siteTypes } from '../doctypes/site.ts'
import type { SiteQuota } from './site-quotas.ts'

/** Kinds of sites. */
type SiteKind = (typeof siteTypes)[number]

/**
 * The quotas as an installation comes with them. They are only the beginning: what counts are the stored ones, which the
 * platform admin edits. A new WordPress has 80 MB in 3,000 files; large ones rarely pass 5 GB in 100,000.
 */
export const defaultSiteQuotas: Readonly<Record<SiteKind, SiteQuota>> = {
  wp: { disk_mb: 5120, files: 250_000, log_mb: 10, outbox_mb: 50 },
  php: { disk_mb: 2048, files: 100_000, log_mb: 10, outbox_mb: 50 },
  html: { disk_mb: 1024, files: 50_000, log_mb: 1, outbox_mb: 1 },
}
