import { rename, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { exists } from '#server/platform/exists.ts'
import { say } from '#shared/sentence.ts'
import { EngineError, type EngineStep, type SiteRef, type SiteResponse, type StepContext } from '../engine.ts'
import { proveArchive } from './archive-proof.ts'
import { packFolders, removeUnfinishedArchive, restoredName, unpackFolders } from './archive.ts'
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

/** Stops a site; its host answers 410 from now on. */
async function takeOffline(
  { store, awake }: Pick<ArchiveDependencies, 'store' | 'awake'>,
  site: SiteRef,
): Promise<void> {
  const record = known(store, site)
  if (record.state === 'creating') {
    throw new EngineError('conflict', say`The site is not finished.`, {
      nextAction: say`Wait for its job to end, or delete the site.`,
    })
  }
  // A restore that was given up: its archive is still complete.
  if (record.state === 'restoring') await store.save({ ...record, state: 'archived' })
  if (record.state === 'ready') await store.save({ ...record, state: 'archiving' })
  await awake.sleep(site.id)
}

/** Takes a site offline and packs it; its files go only after the archive was compared with them. */
export function archiveSteps({ store, awake }: ArchiveDependencies, site: SiteRef): EngineStep[] {
  assertSiteRef(site)
  return [
    step('stop_site', 'Stop the site', 1, () => takeOffline({ store, awake }, site)),
    step('pack_files', 'Pack and check the files', 9, async (context) => {
      // A retry begins with this step: somebody may have used the site meanwhile.
      await takeOffline({ store, awake }, site)
      const record = known(store, site)
      if (record.state === 'archived') return
      const paths = store.paths(site.id)
      // Whatever lies there was never compared with the files.
      await rm(paths.archive, { force: true })
      await removeUnfinishedArchive(paths.archive)
      const counted = (from: number, most: number) => {
        let done = 0
        return () => {
          done += 1
          if (done % 100 === 0) context.progress(Math.min(most, from + done / 6_000))
        }
      }
      const { signal } = context
      const count = await packFolders(paths.folder, packed, paths.archive, signal, counted(0, 0.5)).catch(
        explainPacking(paths.folder),
      )
      context.log(`Packed ${count} files into ${Math.ceil((await stat(paths.archive)).size / 1_048_576)} MB`)
      await proveArchive(paths.folder, packed, paths.archive, signal, counted(0.5, 0.95))
      context.log('Read the archive back: each file is the same as on the disk')
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
      const fresh = join(paths.folder, restoredName)
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

const explainPacking =
  (root: string) =>
  (error: unknown): never => {
    const { code, path } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && path !== undefined)
      throw new EngineError(
        'invalid',
        say`The site has a file or folder whose name cannot be read: ${relative(root, path)}.`,
        {
          nextAction: say`Rename it, or delete the site for good. Nothing was removed.`,
          cause: error,
        },
      )
    if (code !== 'ENAMETOOLONG') throw error
    throw new EngineError('invalid', say`The site has folders nested deeper than this machine can name.`, {
      nextAction: say`Remove these folders, or delete the site for good.`,
      cause: error,
    })
  }

async function removePacked(store: SiteStore, id: string): Promise<void> {
  for (const folder of packed) await removeTree(join(store.paths(id).folder, folder))
}
