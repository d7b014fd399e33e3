/** Names of the site quotas. */
export const quotaNames = ['disk_mb', 'files', 'log_mb', 'outbox_mb'] as const

/** Name of a site quota. */
export type QuotaName = (typeof quotaNames)[number]

/** Maximum value of a quota, in megabytes or files: far above any disk, and safe in every number type. */
export const maxQuotaValue = 100_000_000

/** Quotas of a site; 0 means no limit. A megabyte is 1,048,576 bytes. */
export interface SiteQuota {
  /** Files of the site, including its database. */
  readonly disk_mb: number
  /** Files and folders, including the error log and captured mail. */
  readonly files: number
  /** PHP error log. */
  readonly log_mb: number
  /** Captured mail. */
  readonly outbox_mb: number
}

/** Quotas the platform admin granted to an organization. Null or missing values fall back to the site type. */
export type QuotaOverrides = { readonly [Name in QuotaName]?: number | null }

/** The quotas that apply to a site. */
export function effectiveQuota(ofKind: SiteQuota, overrides: QuotaOverrides | null): SiteQuota {
  const chosen = (name: QuotaName) => overrides?.[name] ?? ofKind[name]
  return {
    disk_mb: chosen('disk_mb'),
    files: chosen('files'),
    log_mb: chosen('log_mb'),
    outbox_mb: chosen('outbox_mb'),
  }
}

/**
 * Storage state of a site. `full`: it can't grow any more; `log_full`, `outbox_full`: only its error log or captured mail is
 * full; `disk_full`: no site on the machine can write, because the disk is nearly full; `suspended`: it was stopped because
 * it holds more than it was allowed to write, or because it can't be measured.
 */
export const storageStates = ['ok', 'full', 'log_full', 'outbox_full', 'disk_full', 'suspended'] as const

/** Disk usage, quotas and storage state of a site. */
export interface SiteStorage {
  /** Size of its files in bytes; a lower bound if `at_least` is set. */
  readonly bytes: number
  /** Total number of files and folders; a lower bound if `at_least` is set. */
  readonly files: number
  readonly log_bytes: number
  readonly outbox_bytes: number
  /** Not everything could be counted. */
  readonly at_least: boolean
  readonly quota: SiteQuota
  readonly state: (typeof storageStates)[number]
}
