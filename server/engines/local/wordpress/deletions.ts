import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { forgetSavedDatabase, restoreDatabase, saveDatabase } from '../database/saved-database.ts'
import { inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import type { Deletion } from './record-deletion.ts'
import { managedRecord, runScript } from './run-script.ts'

/** What deletions that can be taken back need. */
export type DeletionContext = Pick<LocalContext, 'store' | 'storage' | 'tenants' | 'awake' | 'mysql' | 'options'>

/**
 * Deletes a plugin or theme so that it can be taken back: its own routine may have removed rows that others need. What it deletes of
 * its folder is moved away (`php/keep-deleted.php`), the database is saved, and visitors are kept out, so that nothing they write is
 * lost with the state that is given up. The record's `deletion` says what to take back, also after a crash.
 */
export async function deleteKept(
  context: DeletionContext,
  site: SiteRef,
  operation: string,
  { signal, remove }: { readonly signal: AbortSignal; remove(record: SiteRecord): Promise<void> },
): Promise<void> {
  const release = context.awake.hold(site.id)
  try {
    await inTurn(site.id, async () => {
      signal.throwIfAborted()
      const record = await claim(context, site, operation)
      if (record.deletion.done) return
      // Requests that began before see the end of their work.
      await context.awake.sleep(record.id)
      if (!record.deletion.saved) {
        // What an earlier deletion left behind.
        await endDeletion(context, record, 'forget')
        await saveDatabase(context, record, signal)
        await mark(context, record, { saved: true })
        crashPoint('local.deletion/saved')
      }
      await remove(record)
      crashPoint('local.deletion/removed')
      await mark(context, record, { done: true })
      // PHP remembers which files there were.
      await context.awake.sleep(record.id)
    })
  } finally {
    release()
  }
}

/** The record, whose deletion began now or before a restart. */
async function claim(
  context: DeletionContext,
  site: SiteRef,
  operation: string,
): Promise<SiteRecord & { deletion: Deletion }> {
  const { id } = managedRecord(context, site)
  const changed = await context.store.change(id, (now) => {
    if (now.deletion?.operation === operation) return now
    if (!canChange(now))
      throw new EngineError('conflict', msg`Plugins and themes can only be deleted while the site is ready.`, {
        nextAction: msg`Wait until the site is ready.`,
      })
    return { ...now, deletion: { operation } }
  })
  if (changed?.deletion === undefined)
    throw new EngineError('not_found', msg`This machine does not have the site.`, {
      nextAction: msg`Refresh the page.`,
    })
  return { ...changed, deletion: changed.deletion }
}

async function mark({ store }: DeletionContext, { id }: SiteRecord, what: Partial<Deletion>): Promise<void> {
  await store.change(id, (now) => (now.deletion ? { ...now, deletion: { ...now.deletion, ...what } } : now))
}

/** Puts back files and database as they were before the operation, and lets visitors in; nothing if it is not the one going on. */
export function undoDeletion(context: DeletionContext, site: SiteRef, operation: string): Promise<void> {
  return inTurn(site.id, async () => {
    const { store, storage, awake } = context
    const record = existingRecord(store, site)
    if (record.deletion?.operation !== operation) return
    await awake.sleep(record.id)
    if (record.deletion.saved) {
      await endDeletion(context, record, 'restore')
      await restoreDatabase(context, record)
    }
    await store.change(record.id, withoutDeletion)
    // PHP remembers which files there were.
    await awake.sleep(record.id)
    storage.invalidate(record.id)
  })
}

/** Removes for good what the operation deleted, and lets visitors in. Repeating it is no error. */
export function finishDeletion(context: DeletionContext, site: SiteRef, operation: string): Promise<void> {
  return inTurn(site.id, async () => {
    const { store, storage, awake, options } = context
    const record = existingRecord(store, site)
    if (record.deletion?.operation !== operation) return
    await store.change(record.id, withoutDeletion)
    // It is deleted, whatever becomes of what was kept: the next deletion tidies up.
    await Promise.all([endDeletion(context, record, 'forget'), forgetSavedDatabase(context, record)]).catch(
      (error: unknown) => options.log.warn('What a deletion kept could not be removed', { site: record.id, error }),
    )
    storage.invalidate(record.id)
    awake.running(record.id)?.lowerPriority()
  })
}

const withoutDeletion = ({ deletion: _ended, ...record }: SiteRecord): SiteRecord => record

async function endDeletion(context: DeletionContext, record: SiteRecord, act: 'restore' | 'forget'): Promise<void> {
  const { done, problem } = await runScript(context, record, { script: 'deleted', input: { act } })
  if (done === true) return
  const reason = typeof problem === 'string' ? problem.slice(0, 300) : ''
  throw new EngineError('unavailable', msg`The deleted files could not be put back: ${reason}`, {
    nextAction: msg`They are in wp-content/.easydash-previous/deleted. Look at the files of the site, then retry the job.`,
  })
}
