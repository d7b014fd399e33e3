/** What quotas of a site limit. */
export const quotaNames = ['disk_mb', 'files', 'log_mb', 'outbox_mb'] as const

/** One of them. */
export type QuotaName = (typeof quotaNames)[number]

/** Largest value of a quota, megabytes or files: far above any disk, and safe in every number type. */
export const mostOfQuota = 100_000_000

/** The quotas of a site; 0 means no limit. Megabytes are of 1,048,576 bytes. */
export interface SiteQuota {
  /** Files of the site, its database included. */
  readonly disk_mb: number
  /** Files and folders, of the error log and the captured mail too. */
  readonly files: number
  /** Error log of PHP. */
  readonly log_mb: number
  /** Captured mail. */
  readonly outbox_mb: number
}

/** Quotas that the platform admin granted to an organization; what is null or missing follows the kind of site. */
export type QuotaOverrides = { readonly [Name in QuotaName]?: number | null }

/** The quotas that hold for a site. */
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
 * How a site stands to its quotas. `full`: it cannot write any more than it holds; `log_full`, `outbox_full`: only its
 * error log or captured mail takes no more; `disk_full`: no site of the machine can write, because its disk is nearly full;
 * `suspended`: it holds more than it was allowed to write, or what cannot be measured, so it is stopped.
 */
export const storageStates = ['ok', 'full', 'log_full', 'outbox_full', 'disk_full', 'suspended'] as const

/** What a site takes of the disk, what it may take, and how the two stand to each other. */
export interface SiteStorage {
  /** Bytes of its files, or at least so many. */
  readonly bytes: number
  /** Files and folders of all of it, or at least so many. */
  readonly files: number
  readonly log_bytes: number
  readonly outbox_bytes: number
  /** More is there than could be counted. */
  readonly at_least: boolean
  readonly quota: SiteQuota
  readonly state: (typeof storageStates)[number]
}
