import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import type { LocalEngineLog } from '../options.ts'
import { destroySite, type SiteKeepers } from '../sites/destroy-site.ts'
import { existingRecord } from '../sites/site-store.ts'
import { manifestOf } from './rehearse-steps.ts'

/** See `SiteBackups.openRehearsal`. */
export async function openRehearsal(context: LocalContext, rehearsal: SiteRef, until: number): Promise<void> {
  const record = existingRecord(context.store, rehearsal)
  await manifestOf(context, record)
  if (record.state !== 'ready')
    throw new EngineError('conflict', msg`The rehearsal is not finished.`, { nextAction: msg`Rehearse it again.` })
  await context.store.change(record.id, (now) => ({ ...now, openUntil: until }))
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
