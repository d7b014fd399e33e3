import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import type { SiteRef } from '../../site-ref.ts'
import { inTurn } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import { forgetDumpOf, restoreDump } from '../mysql/saved-dump.ts'
import { forgetSqlUndo } from '../mysql/sql-changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { isForward, type KeptPush } from './record-push.ts'

/** See `SiteStaging.finish` and `SiteBackups.finishRestore`. */
export const finishPush = (context: LocalContext, live: SiteRef): Promise<void> =>
  inTurn(live.id, () => finish(context, live))

async function finish(context: LocalContext, live: SiteRef): Promise<void> {
  const { store, trees, awake, storage } = context
  const record = existingRecord(store, live)
  const { id, push } = record
  if (push === undefined) return
  // From here on it is done, whatever happens: what follows only puts the state before where it is kept.
  await store.change(id, (now) => (now.push === undefined ? now : { ...now, push: { ...now.push, done: true } }))
  const { before, rollback, pushed, pushedNew } = store.paths(id)
  if (!isForward(push)) await trees.run('remove', { paths: [before, pushed] })
  else if (await exists(before)) {
    await trees.run('remove', { paths: [rollback] })
    crashPoint('local.push/rollback-removed')
    await rename(before, rollback)
    crashPoint('local.push/before-kept')
  }
  await finishDatabase(context, record)
  if (await exists(pushedNew)) {
    await trees.run('remove', { paths: [pushed] })
    await rename(pushedNew, pushed)
  } else if (push.kind === 'restore') await trees.run('remove', { paths: [pushed] })
  await store.change(id, ({ push: going, pushed: _before, ...now }) => ({
    ...now,
    ...(isForward(push) ? { pushed: pushedNow(now, push.kind === 'restore' ? 'restore' : 'push', context.now()) } : {}),
    ...(going === undefined ? {} : { settled: going.operation }),
  }))
  storage.invalidate(id)
  awake.running(id)?.lowerPriority()
}

/** What a console would take back belongs to the state before. */
async function finishDatabase(context: LocalContext, record: SiteRecord): Promise<void> {
  if (record.database !== 'mysql') return
  await forgetSqlUndo(context, record)
  const before = savedDumpPath(context, record, 'push-before')
  if (record.push !== undefined && isForward(record.push)) {
    if (await exists(before)) await rename(before, savedDumpPath(context, record, 'push-kept'))
    crashPoint('local.push/dump-kept')
    return
  }
  for (const name of ['push-before', 'push-kept'] as const) await forgetDumpOf(context, record, name)
}

const pushedNow = ({ domain, database }: SiteRecord, kind: KeptPush['kind'], at: number): KeptPush => ({
  kind,
  at,
  domain,
  ...(database === undefined ? {} : { database }),
})

/** See `SiteStaging.undo` and `SiteBackups.undoRestore`. */
export const undoPush = (context: LocalContext, live: SiteRef, operation: string): Promise<'undone' | 'finished'> =>
  inTurn(live.id, () => undo(context, live, operation))

async function undo(context: LocalContext, live: SiteRef, operation: string): Promise<'undone' | 'finished'> {
  const { store, trees, awake, storage } = context
  const record = existingRecord(store, live)
  const { id, push, settled } = record
  if (push === undefined) return settled === operation ? 'finished' : 'undone'
  if (push.operation !== operation) return 'undone'
  if (push.done === true) {
    await finish(context, live)
    return 'finished'
  }
  const { folder, www, before, rollback, staging, pushedNew } = store.paths(id)
  const gone = join(folder, 'undone')
  const release = await awake.keepAsleep(id)
  try {
    await trees.run('remove', { paths: [gone] })
    if (await exists(before)) {
      if (await exists(www)) await rename(www, isForward(push) ? gone : rollback)
      await rename(before, www)
    }
    storage.invalidate(id)
  } finally {
    release()
  }
  // By the configuration that came back.
  if (record.database === 'mysql') await restoreDump(context, record, 'push-before')
  crashPoint('local.push/restored')
  const letIn = () => store.change(id, ({ push: _undone, ...now }) => now)
  const clear = () => trees.run('remove', { paths: [gone, staging, pushedNew] })
  // Visitors don't wait for what is removed, unless it is the room that the record needs.
  try {
    await letIn()
  } catch (error) {
    if (!isOfFullDisk(error)) throw error
    await clear()
    await letIn()
  }
  await clear()
  return 'undone'
}
