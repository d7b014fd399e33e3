/** Parts of a site that are limited each on its own; the number of entries is limited over all of them. */
export const quotaAreas = ['files', 'logs', 'outbox'] as const

/** One of them. */
export type QuotaArea = (typeof quotaAreas)[number]

/** Where an accountant begins. Numbers travel to the site's process as JSON: no limit is the largest safe number. */
export interface QuotaStart {
  readonly maxBytes: Readonly<Record<QuotaArea, number>>
  readonly usedBytes: Readonly<Record<QuotaArea, number>>
  readonly maxEntries: number
  readonly usedEntries: number
}

/** Counts what a site writes, in the site's own process, and refuses what is too much before it reaches the disk. */
export interface Quota {
  /** Before `bytes` more are written. Throws `QuotaError`. */
  beforeWrite(area: QuotaArea, bytes: number): void
  /** Before a file or folder is made. Throws `QuotaError`. */
  beforeCreate(): void
  /** After bytes were given back: by removing, cutting, or a write that failed. */
  released(area: QuotaArea, bytes: number): void
  /** After a file or folder was removed, or could not be made. */
  removed(): void
  /** What is used now. */
  used(): { readonly bytes: Readonly<Record<QuotaArea, number>>; readonly entries: number }
}

/** A write or a new file was refused. The file system of PHP turns it into EDQUOT ("Quota exceeded"). */
export class QuotaError extends Error {
  readonly code = 'EDQUOT'
  constructor() {
    super('Disk quota exceeded')
    this.name = 'QuotaError'
  }
}

/**
 * Opens the accountant.
 * @param recount what an area holds now, asked before something is refused there: others may have removed from it (an
 * error log is emptied by the engine). Null: nobody else removes.
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
    used: () => ({ bytes: { ...bytes }, entries }),
  }
}
