import type { SiteObservation } from '#server/engines/engine.ts'
import type { Site } from '#shared/doctypes/site.ts'

/** Disk measurements as fields of a site; empty if not measured. */
export function storageFields({
  diskUsed,
  storage,
}: Pick<SiteObservation, 'diskUsed' | 'storage'>): Partial<Pick<Site, 'disk_used' | 'disk_used_at_least' | 'storage'>> {
  return { disk_used: diskUsed, disk_used_at_least: storage?.at_least === true ? 1 : 0, storage }
}

/** What was observed of a site, as its fields. */
export const observedFields = (seen: SiteObservation): Partial<Site> => ({
  wordpress_version: seen.wordpressVersion,
  ...(seen.hasDatabase === undefined ? {} : { with_database: seen.hasDatabase ? 1 : 0 }),
  ...storageFields(seen),
})
