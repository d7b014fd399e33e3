import { existsSync } from 'node:fs'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { keptLater } from '../../kept-later.ts'
import type { SiteRef } from '../../site-ref.ts'
import { inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import { forgetDumpOf } from '../mysql/saved-dump.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import type { KeptPush } from './record-push.ts'

/**
 * Whether the state before the last push, or restore, can come back. That of another kind of database cannot: a move removed it.
 */
export function isPushKept(
  { store }: Pick<LocalContext, 'store'>,
  record: SiteRecord,
  kind: KeptPush['kind'] = 'push',
): boolean {
  const { pushed, database } = record
  if (pushed?.kind !== kind || pushed.database !== database || !existsSync(store.paths(record.id).rollback))
    return false
  return database !== 'mysql' || existsSync(savedDumpPath({ store }, record, 'push-kept'))
}

/** See `SiteRestores.keptBytes`. */
export async function keptBytes(context: LocalContext, site: SiteRef, signal: AbortSignal): Promise<number | null> {
  const { store, trees, storage } = context
  const record = existingRecord(store, site)
  const { before, rollback } = store.paths(record.id)
  const isGoing = record.push?.kind === 'restore' && existsSync(before)
  if (!isGoing && !isPushKept(context, record, 'restore')) return null
  const input = { paths: [isGoing ? before : rollback], entries: storage.limitsOf(record).entries + 1, cpuMs: 20_000 }
  const [found] = await trees.run('measure', { ...input, waited: false }, { signal })
  const dump = savedDumpPath(context, record, isGoing ? 'push-before' : 'push-kept')
  return (found?.bytes ?? 0) + (record.database === 'mysql' ? await sizeOf(dump) : 0)
}

/** See `SiteRestores.forgetKept`. */
export const forgetKept = (context: LocalContext, site: SiteRef, before: number): Promise<void> =>
  inTurn(site.id, async () => {
    const { store, trees } = context
    const record = existingRecord(store, site)
    if (record.push !== undefined)
      throw new EngineError('conflict', msg`A restore or push of the site is in progress.`, {
        nextAction: msg`Wait until its job has ended.`,
      })
    // That of a push stays.
    if (record.pushed?.kind === 'push') return
    if (record.pushed !== undefined && record.pushed.at >= before) throw keptLater()
    // First that it is not kept: a part of it must not come back.
    await store.change(record.id, ({ pushed: _kept, ...now }) => now)
    await trees.run('remove', { paths: [store.paths(record.id).rollback] })
    if (record.database === 'mysql') await forgetDumpOf(context, record, 'push-kept')
  })
