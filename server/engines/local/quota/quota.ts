/** Parts of a site with separate byte limits; the number of entries is limited across all of them. */
export const quotaAreas = ['files', 'logs', 'outbox'] as const

/** One of the quota areas. */
export type QuotaArea = (typeof quotaAreas)[number]

/** Initial values of a quota. Numbers are sent to the site's process as JSON: "no limit" is the largest safe integer. */
export interface QuotaStart {
  readonly maxBytes: Readonly<Record<QuotaArea, number>>
  readonly usedBytes: Readonly<Record<QuotaArea, number>>
  readonly maxEntries: number
  readonly usedEntries: number
}

/** Counts what a site writes, in the site's own process, and rejects what exceeds the limits before it reaches the disk. */
export interface Quota {
  /** Call before writing `bytes` more. Throws `QuotaError`. */
  beforeWrite(area: QuotaArea, bytes: number): void
  /** Call before creating a file or folder. Throws `QuotaError`. */
  beforeCreate(): void
  /** Call after bytes were released: by removing, truncating, or a failed write. */
  released(area: QuotaArea, bytes: number): void
  /** Call after a file or folder was removed, or could not be created. */
  removed(): void
  /** Call after another process added files: nothing is rejected any more. */
  grown(area: QuotaArea, bytes: number, entries: number): void
  /** Current usage. */
  used(): { readonly bytes: Readonly<Record<QuotaArea, number>>; readonly entries: number }
}

/** A write or a new file was rejected. PHP's file system turns it into EDQUOT ("Quota exceeded"). */
export class QuotaError extends Error {
  readonly code = 'EDQUOT'
  constructor() {
    super('Disk quota exceeded')
    this.name = 'QuotaError'
  }
}

/**
 * Creates a quota.
 * @param recount current usage of an area, queried before something is rejected there: other processes may have removed
 * files (the engine empties the error log). Null: nobody else removes files.
 */
export function createQuota(start: QuotaStart, recount: (area: QuotaArea) => number | null = () => null): Quota {
  const bytes = { ...start.usedBytes }
  let entries = start.usedEntries
  return {
    beforeWrite: (area, more) => {
      if (more <= 0) return
      if (bytes[area] + more > start.maxBytes[area]) bytes[area] = recount(area) ?? bytes[area]
      if (bytes[area] + more > start.maxBytes[area]) throw new QuotaError()
      bytes[area] += more
    },
    beforeCreate: () => {
      if (entries + 1 > start.maxEntries) throw new QuotaError()
      entries += 1
    },
    released: (area, less) => {
      bytes[area] = Math.max(0, bytes[area] - less)
    },
    removed: () => {
      entries = Math.max(0, entries - 1)
    },
    grown: (area, more, moreEntries) => {
      bytes[area] += more
      entries += moreEntries
    },
    used: () => ({ bytes: { ...bytes }, entries }),
  }
}
