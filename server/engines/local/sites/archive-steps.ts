import { rename, rm, rmdir, stat } from 'node:fs/promises'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type SiteResponse, type StepContext } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { assertSiteRef, type SiteRecord } from './site-record.ts'
import { existingRecord, type SitePaths, type SiteStore } from './site-store.ts'
import { overQuota, type TreeLimits } from '../trees/limits.ts'
import type { Trees } from '../trees/trees.ts'

/** Dependencies of these steps. */
export interface ArchiveDependencies {
  store: SiteStore
  awake: AwakeSites
  trees: Trees
  /** User of a site's files; null if all sites belong to one user. */
  userOf(record: SiteRecord): number | null
  /** Maximum size of the site. */
  limitsOf(record: SiteRecord): TreeLimits
  /** Called when the files of a site were packed or unpacked: its disk usage is a different one. */
  onFilesReplaced(id: string): void
  request(site: SiteRef, path: string, signal: AbortSignal): Promise<SiteResponse>
}

const packed = ['www', 'logs', 'outbox'] as const
/** A site over its quota can still be archived; one with more files than this can't. */
const maxPacked: TreeLimits = { bytes: Number.POSITIVE_INFINITY, entries: 2_000_000 }

function step(key: string, label: string, weight: number, run: (context: StepContext) => Promise<void>): EngineStep {
  return {
    key,
    label,
    weight,
    deadlineSeconds: 600,
    run: async (context) => {
      context.signal.throwIfAborted()
      await run(context)
      context.progress(1)
    },
  }
}

/** A step that removes a site's data. */
const destructive: typeof step = (...given) => ({ ...step(...given), destructive: true })

/** Stops a site; its host responds 410 from now on. */
async function takeOffline(
  { store, awake }: Pick<ArchiveDependencies, 'store' | 'awake'>,
  site: SiteRef,
): Promise<void> {
  const record = existingRecord(store, site)
  if (record.state === 'creating') {
    throw new EngineError('conflict', msg`The site is not finished.`, {
      nextAction: msg`Wait for its job to end, or delete the site.`,
    })
  }
  // An abandoned restore: its archive is still complete.
  if (record.state === 'restoring') await store.save({ ...record, state: 'archived' })
  if (record.state === 'ready') await store.save({ ...record, state: 'archiving' })
  await awake.sleep(site.id)
}

/** Takes a site offline and packs it; its files are removed only after the archive was compared with them. */
export function archiveSteps(
  { store, awake, trees, userOf, onFilesReplaced }: ArchiveDependencies,
  site: SiteRef,
): EngineStep[] {
  assertSiteRef(site)
  return [
    step('stop_site', 'Stop the site', 1, () => takeOffline({ store, awake }, site)),
    step('pack_files', 'Pack and check the files', 9, async (context) => {
      // A retry starts with this step: the site may have been used meanwhile.
      await takeOffline({ store, awake }, site)
      const record = existingRecord(store, site)
      if (record.state === 'archived') return
      const { folder: root, archive } = store.paths(site.id)
      // An existing archive was never compared with the files.
      await rm(archive, { force: true })
      const within = (from: number, to: number) => ({
        signal: context.signal,
        onProgress: (files: number) => context.progress(Math.min(to, from + files / 6_000)),
      })
      const options = { root, folders: packed, owner: userOf(record), limits: maxPacked }
      const { files, bytes, entries } = await packInto(archive, () =>
        trees.run('pack', { options, target: archive }, within(0, 0.5)),
      )
      context.log(`Packed ${files} files into ${Math.ceil((await stat(archive)).size / 1_048_576)} MB`)
      await trees.run('prove', { root, folders: packed, archive }, within(0.5, 0.95))
      context.log('Read the archive back: each file is the same as on the disk')
      await store.save({ ...existingRecord(store, site), packed: { bytes, entries } })
    }),
    destructive('remove_files', 'Remove the files', 1, async () => {
      // A suspended site is restored only within its quota, and then it may run; also one that its owners stopped.
      const { suspended: _suspended, stopped: _stopped, ...record } = existingRecord(store, site)
      const paths = store.paths(site.id)
      if (!(await exists(paths.archive)))
        throw new EngineError('conflict', msg`The archive of the site is missing.`, {
          nextAction: msg`Archive the site again.`,
        })
      await store.save({ ...record, state: 'archived' })
      await removePacked(trees, paths)
      onFilesReplaced(site.id)
    }),
  ]
}

/** Steps that restore an archived site to its previous state. */
export function restoreArchiveSteps(dependencies: ArchiveDependencies, site: SiteRef): EngineStep[] {
  assertSiteRef(site)
  const { store, awake } = dependencies
  return [
    destructive('unpack_files', 'Unpack the files', 6, async (context) => {
      const record = existingRecord(store, site)
      const paths = store.paths(site.id)
      if (record.state === 'ready') return
      if (record.state === 'archiving') {
        // An abandoned archiving: the files are removed only after the state `archived` is on disk.
        await store.save({ ...record, state: 'ready' })
        await rm(paths.archive, { force: true })
        return
      }
      await awake.sleep(site.id)
      if (!(await exists(paths.archive)))
        throw new EngineError('not_found', msg`The archive of the site is missing.`, {
          nextAction: msg`Delete the site permanently; its files can’t be restored.`,
        })
      await assertDiskSpace(dependencies, record, paths.folder)
      await store.save({ ...record, state: 'restoring' })
      context.log(`Unpacked ${await unpack(dependencies, record, context)} files`)
      dependencies.onFilesReplaced(site.id)
    }),
    step('check', 'Check that the site answers', 2, async (context) => {
      if (existingRecord(store, site).state !== 'ready') await open(dependencies, site, context)
      // Also of a restore that was ended right before.
      await rm(store.paths(site.id).archive, { force: true })
    }),
  ]
}

/** Lets visitors in again once the site answers. */
async function open(
  { store, request }: ArchiveDependencies,
  site: SiteRef,
  { signal, log }: StepContext,
): Promise<void> {
  const response = await request(site, '/', signal)
  if (response.status >= 500) {
    throw new EngineError('unavailable', msg`The restored site answered with status ${response.status}.`, {
      retryable: true,
      nextAction: msg`Try again; the archive is untouched.`,
    })
  }
  log(`The home page answered in ${Math.round(response.tookMs)} ms`)
  await store.change(site.id, (now) => ({ ...now, state: 'ready' }))
  crashPoint('local.archive/restored')
}

/** Packs, and cleans up after a cancellation, because its process could not. */
async function packInto<T>(archive: string, pack: () => Promise<T>): Promise<T> {
  try {
    return await pack()
  } catch (error) {
    await rm(`${archive}.new`, { force: true })
    throw error
  }
}

/** Checked before anything is changed: rejects a site over its limits, and one that doesn't fit on this disk. */
async function assertDiskSpace({ limitsOf }: ArchiveDependencies, record: SiteRecord, folder: string): Promise<void> {
  // Without a recorded size, it is only counted while unpacking.
  const held = record.packed ?? { bytes: 0, entries: 0 }
  const limits = limitsOf(record)
  if (held.bytes > limits.bytes || held.entries > limits.entries) throw overQuota(held, limits)
  if (!(await isDiskFull(folder, held.bytes))) return
  throw new EngineError('unavailable', msg`This machine has no room for the files of the site.`, {
    retryable: true,
    nextAction: msg`Free some disk space, then try again; the archive is untouched.`,
  })
}

/** @returns number of files */
async function unpack(
  { store, trees, limitsOf, userOf }: ArchiveDependencies,
  record: SiteRecord,
  { signal, progress }: StepContext,
): Promise<number> {
  const paths = store.paths(record.id)
  const { archive, folder, staging } = paths
  await removePacked(trees, paths)
  const onProgress = (files: number) => progress(Math.min(0.95, files / 3_000))
  try {
    const limits = limitsOf(record)
    const files = await trees.run('unpack', { archive, into: staging, limits }, { signal, onProgress })
    const found = []
    for (const name of packed) if (await exists(join(staging, name))) found.push(name)
    // The owner is changed only once everything is there; until then nobody else can access it.
    const uid = userOf(record)
    if (uid !== null) await trees.run('own', { paths: found.map((name) => join(staging, name)), uid }, { signal })
    signal.throwIfAborted()
    for (const name of found) await rename(join(staging, name), join(folder, name))
    await rmdir(staging)
    return files
  } catch (error) {
    // After a cancellation, the next step cleans up.
    if (!signal.aborted) await trees.run('remove', { paths: [staging] })
    throw error
  }
}

/** Deleted and temporary files are not packed, and so they end here. */
async function removePacked(trees: Trees, { folder, staging, temporary, trash }: SitePaths): Promise<void> {
  await trees.run('remove', { paths: [...packed.map((name) => join(folder, name)), staging, temporary, trash] })
}
