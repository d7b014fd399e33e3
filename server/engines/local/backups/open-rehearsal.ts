import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import type { LocalEngineLog } from '../options.ts'
import { destroySite, type SiteKeepers } from '../sites/destroy-site.ts'
import { existingRecord } from '../sites/site-store.ts'
import { manifestOf } from './rehearse-steps.ts'

const mebibyte = 1_048_576
/** What the code of a backup can add while it is open: caches. */
const room = { disk_mb: 256, files: 5_000 }

/** See `SiteBackups.openRehearsal`. */
export async function openRehearsal(context: LocalContext, rehearsal: SiteRef, until: number): Promise<void> {
  const record = existingRecord(context.store, rehearsal)
  await manifestOf(context, record)
  if (record.state !== 'ready')
    throw new EngineError('conflict', msg`The rehearsal is not finished.`, { nextAction: msg`Rehearse it again.` })
  // What it was tried out with had no quota.
  await context.awake.sleep(record.id)
  const { storage } = await context.storage.of(record)
  const openQuota = { disk_mb: Math.ceil(storage.bytes / mebibyte) + room.disk_mb, files: storage.files + room.files }
  await context.store.change(record.id, (now) => ({ ...now, openUntil: until, openQuota }))
}

/** Removes rehearsals that were open long enough. */
export async function removeOpened(
  keepers: SiteKeepers & { readonly now: () => number },
  log: LocalEngineLog,
): Promise<void> {
  for (const { id, domain, openUntil } of keepers.store.all()) {
    if (openUntil === undefined || openUntil > keepers.now()) continue
    await destroySite(keepers, { id, domain }).catch((error: unknown) =>
      log.warn('An opened backup could not be removed; the next round tries again', { site: id, error }),
    )
  }
}
