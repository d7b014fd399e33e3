import { mkdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { isMovingDatabase } from '../mysql/record-move.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { keepCopied } from '../staging/baseline.ts'
import { overQuota } from '../trees/limits.ts'
import { dumpSource } from './copy-database.ts'

/** CPU time for measuring the source. */
const measureMs = 20_000
/** Pages that plugins keep, with the old address in them. */
const caches = ['wp-content/cache']

/** Copies the files of the source, its database included, while it sleeps: nothing else keeps them consistent. */
export async function copyFiles(
  context: LocalContext,
  source: SiteRef,
  record: SiteRecord,
  step: StepContext,
): Promise<void> {
  if (record.copied) return
  const { store, trees, storage, owners } = context
  const { signal } = step
  const { www, staging } = store.paths(record.id)
  for (const path of [staging, www]) if (await exists(path)) await trees.run('remove', { paths: [path] }, { signal })
  await mkdir(staging, { mode: 0o700 })
  const into = join(staging, 'www')
  const { entries, seconds, database } = await copyAsleep(context, source, { record, into }, step)
  step.log(`Copied ${entries} files and folders; the original was paused for ${seconds} seconds`)
  const { database: _before, ...own } = record
  const placed = { ...own, ...(database === undefined ? {} : { database }) }
  if (placed.stagingOf !== undefined) await keepCopied(context, placed, into, signal)
  crashPoint('local.clone/copied')
  // The owner is changed only once everything is there; until then nobody else can access it.
  const uid = owners.userOf(record)
  if (uid !== null) await trees.run('own', { paths: [into], uid }, { signal })
  signal.throwIfAborted()
  await rename(into, www)
  await rmdir(staging)
  crashPoint('local.clone/placed')
  await store.save({ ...placed, copied: true })
  storage.invalidate(record.id)
}

async function copyAsleep(
  context: LocalContext,
  source: SiteRef,
  { record, into }: { readonly record: SiteRecord; readonly into: string },
  step: StepContext,
): Promise<{ entries: number; seconds: string } & Pick<SiteRecord, 'database'>> {
  const { store, trees, storage, owners, awake, mysql } = context
  const { signal } = step
  const { www } = store.paths(source.id)
  const limits = storage.limitsOf(record)
  const before = readySource(context, source).database === 'mysql' ? await mysql.bytes(source.id) : 0
  await assertRoom(context, www, { ...limits, database: before }, signal)
  const release = await awake.keepAsleep(source.id)
  const begun = performance.now()
  try {
    const original = readySource(context, source)
    // It may have been moved since the copy was asked for.
    const { database } = original
    const { entries } = await trees.run(
      'copy',
      { from: www, into, owner: owners.userOf(original), limits, without: record.siteType === 'wp' ? caches : [] },
      { signal, onProgress: (files) => step.progress(files / (files + 1_000)) },
    )
    if (database === 'mysql') await dumpSource(context, original, record, step)
    // It may have been archived meanwhile, which removes files.
    if (readySource(context, source).database !== database) throw isMoving()
    return { entries, database, seconds: ((performance.now() - begun) / 1000).toFixed(1) }
  } finally {
    release()
  }
}

/**
 * Throws EngineError unless a copy of a tree is within the limits and fits on the disk.
 * @param limits.database bytes of a database that is copied, too; first into a dump
 */
export async function assertRoom(
  { trees }: LocalContext,
  www: string,
  limits: { readonly bytes: number; readonly entries: number; readonly database?: number },
  signal: AbortSignal,
): Promise<void> {
  const [found] = await trees.run(
    'measure',
    { paths: [www], entries: limits.entries + 1, cpuMs: measureMs, waited: true },
    { signal },
  )
  if (found === undefined) return
  const { database = 0 } = limits
  const copied = { ...found, bytes: found.bytes + database }
  if (copied.entries > limits.entries || copied.bytes > limits.bytes) throw overQuota(copied, limits)
  if (await isDiskFull(www, copied.bytes + database)) {
    throw new EngineError('unavailable', msg`The disk of this machine has no room for a copy of the site.`, {
      nextAction: msg`Make room on the disk, then try again.`,
    })
  }
}

const isMoving = () =>
  new EngineError('conflict', msg`The database of the site is being moved to another kind.`, {
    nextAction: msg`Wait until that has ended, then retry.`,
  })

function readySource({ store }: LocalContext, source: SiteRef): SiteRecord {
  const record = existingRecord(store, source)
  if (isMovingDatabase(record)) throw isMoving()
  if (record.state === 'ready') return record
  throw new EngineError('conflict', msg`Only a site that is ready can be cloned.`, {
    nextAction: msg`Wait until the site is ready.`,
  })
}
