import type { LocalBase } from '../local-base.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'

/** Removes debug modes that have expired; a site that still runs with one starts again with its next request. */
export async function endExpiredDebug({ store, options, now }: LocalBase, awake: AwakeSites): Promise<void> {
  for (const { id, settings } of store.all()) {
    const until = settings?.debugUntil
    if (until === undefined || until > now()) continue
    try {
      await awake.sleep(id)
      await store.change(id, (record) => {
        // It may have been turned on again meanwhile.
        if (record.settings?.debugUntil !== until) return record
        const { debugUntil: _expired, ...rest } = record.settings
        return { ...record, settings: rest }
      })
    } catch (error) {
      options.log.warn('The debug mode of a site could not be ended; the next round tries again', { site: id, error })
    }
  }
}
