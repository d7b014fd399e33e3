import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '#shared/sentence.ts'
import { EngineError, type EngineStep, type SiteRef, type SiteResponse, type StepContext } from '../engine.ts'
import { proveArchive } from './archive-proof.ts'
import { packFolders, removeUnfinishedArchive, unpackFolders } from './archive.ts'
import type { AwakeSites } from './awake-sites.ts'
import { removeTree } from './remove-tree.ts'
import { assertSiteRef, type SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'

/** What these steps need from the engine. */
export interface ArchiveDependencies {
  store: SiteStore
  awake: AwakeSites
  request(site: SiteRef, path: string, signal: AbortSignal): Promise<SiteResponse>
}

const packed = ['www', 'logs', 'outbox'] as const

function known(store: SiteStore, site: SiteRef): SiteRecord {
  assertSiteRef(site)
  const record = store.get(site.id)
  if (record === undefined)
    throw new EngineError('not_found', say`This machine does not have the site.`, {
      nextAction: say`Refresh the page.`,
    })
  return record
}

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

/** A step that removes what a site holds. */
const destructive: typeof step = (...given) => ({ ...step(...given), destructive: true })

/** Takes a site offline and packs it; its host answers 410 from the first step on. */
export function archiveSteps({ store, awake }: ArchiveDependencies, site: SiteRef): EngineStep[] {
  assertSiteRef(site)
  return [
    step('stop_site', 'Stop the site', 1, async () => {
      const record = known(store, site)
      const { archive } = store.paths(site.id)
      if (record.state === 'creating') {
        throw new EngineError('conflict', say`The site is not finished.`, {
          nextAction: say`Wait for its job to end, or delete the site.`,
        })
      }
      // A restore that was given up: its archive is still complete.
      if (record.state === 'restoring') await store.save({ ...record, state: 'archived' })
      if (record.state === 'ready') {
        // Left by a restore cut off at its very end, and older than what the site holds now.
        await rm(archive, { force: true })
        await store.save({ ...record, state: 'archiving' })
      }
      await awake.sleep(site.id)
    }),
    step('pack_files', 'Pack the files', 6, async (context) => {
      const record = known(store, site)
      const paths = store.paths(site.id)
      if (record.state === 'archived' || (await exists(paths.archive))) return
      await removeUnfinishedArchive(paths.archive)
      let done = 0
      const count = await packFolders(paths.folder, packed, paths.archive, context.signal, () => {
        done += 1
        if (done % 100 === 0) context.progress(Math.min(0.95, done / 3_000))
      }).catch(explainPacking)
      context.log(`Packed ${count} files into ${Math.ceil((await stat(paths.archive)).size / 1_048_576)} MB`)
    }),
    step('prove_archive', 'Check the archive', 3, async (context) => {
      const record = known(store, site)
      const paths = store.paths(site.id)
      // The files went, or began to go, in an earlier run, after this check.
      if (record.state === 'archived') return
      let done = 0
      const count = await proveArchive(paths.folder, packed, paths.archive, context.signal, () => {
        done += 1
        if (done % 100 === 0) context.progress(Math.min(0.95, done / 3_000))
      }).catch(async (error: unknown) => {
        // A retry packs anew. All files are still on the disk.
        if (error instanceof EngineError) await rm(paths.archive, { force: true })
        throw error
      })
      context.log(`Read the archive back: ${count} files, each the same as on the disk`)
    }),
    destructive('remove_files', 'Free the disk', 1, async () => {
      const record = known(store, site)
      const paths = store.paths(site.id)
      if (!(await exists(paths.archive)))
        throw new EngineError('conflict', say`The archive of the site is missing.`, {
          nextAction: say`Archive the site again.`,
        })
      await store.save({ ...record, state: 'archived' })
      await removePacked(store, site.id)
    }),
  ]
}

/** Brings an archived site back as it was. */
export function restoreArchiveSteps({ store, awake, request }: ArchiveDependencies, site: SiteRef): EngineStep[] {
  assertSiteRef(site)
  return [
    destructive('unpack_files', 'Unpack the files', 6, async (context) => {
      const record = known(store, site)
      const paths = store.paths(site.id)
      if (record.state === 'ready') return
      if (record.state === 'archiving') {
        // An archiving that was given up: the files are removed only after the state `archived` is on the disk.
        await store.save({ ...record, state: 'ready' })
        await rm(paths.archive, { force: true })
        return
      }
      await awake.sleep(site.id)
      if (!(await exists(paths.archive)))
        throw new EngineError('not_found', say`The archive of the site is missing.`, {
          nextAction: say`Delete the site for good; its files cannot be restored.`,
        })
      await store.save({ ...record, state: 'restoring' })
      await removePacked(store, site.id)
      const fresh = join(paths.folder, 'restored.new')
      await removeTree(fresh)
      let done = 0
      await unpackFolders(paths.archive, fresh, record.uid, context.signal, () => {
        done += 1
        if (done % 100 === 0) context.progress(Math.min(0.95, done / 3_000))
      })
      context.signal.throwIfAborted()
      for (const folder of packed)
        if (await exists(join(fresh, folder))) await rename(join(fresh, folder), join(paths.folder, folder))
      await removeTree(fresh)
      context.log(`Unpacked ${done} files`)
    }),
    step('check', 'Check that the site answers', 2, async (context) => {
      const record = known(store, site)
      if (record.state === 'ready') return
      const answer = await request(site, '/', context.signal)
      if (answer.status >= 500) {
        throw new EngineError('unavailable', say`The restored site answered with status ${answer.status}.`, {
          retryable: true,
          nextAction: say`Try again; the archive is untouched.`,
        })
      }
      context.log(`The home page answered in ${Math.round(answer.tookMs)} ms`)
      await store.save({ ...(store.get(site.id) ?? record), state: 'ready' })
      await rm(store.paths(site.id).archive, { force: true })
    }),
  ]
}

function explainPacking(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
  throw new EngineError('invalid', say`The site has folders nested deeper than this machine can name.`, {
    nextAction: say`Remove these folders, or delete the site for good.`,
    cause: error,
  })
}

async function removePacked(store: SiteStore, id: string): Promise<void> {
  for (const folder of packed) await removeTree(join(store.paths(id).folder, folder))
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
