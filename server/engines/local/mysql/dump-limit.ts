import { diskSpace, minFreeBytes } from '#server/platform/files/disk-space.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import type { SiteRecord } from '../sites/site-record.ts'

/** Most bytes of a dump of the site's database: its quota, and what the disk has room for. */
export async function dumpLimit(
  { storage, store }: Pick<LocalBase & SiteRuntime, 'storage' | 'store'>,
  record: SiteRecord,
): Promise<number> {
  const { free } = await diskSpace(store.root)
  return Math.max(0, Math.min(storage.limitsOf(record).bytes, free - minFreeBytes))
}
