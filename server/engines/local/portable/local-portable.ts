import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { exists } from '#server/platform/files/exists.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteExports } from '../../site-exports.ts'
import type { SiteFileDownload } from '../../site-files.ts'
import type { SiteImports } from '../../site-imports.ts'
import type { LocalContext } from '../local-context.ts'
import { existingRecord } from '../sites/site-store.ts'
import { compareSite } from './compare-site.ts'
import { exportSteps, packedPaths, removeExport } from './export-steps.ts'
import { discardArchive, expireArchives, keepArchive } from './import-store.ts'
import { importSteps, inspectKept } from './import-steps.ts'
import { createTakeQueue } from './take-queue.ts'

/** Exports of this machine's sites. */
export function createLocalExports(context: LocalContext): SiteExports {
  return {
    exportSteps: (site) => exportSteps(context, site),
    remove: (site) => removeExport(context, site),
    open: async (site) => {
      existingRecord(context.store, site)
      const path = packedPaths(context, site, 'export').archive
      if (!(await exists(path)))
        throw new EngineError('not_found', msg`The export is no longer there.`, { nextAction: msg`Export it again.` })
      return openPacked(path)
    },
  }
}

/** A finished archive: only we write in its folder, and never change one. */
export async function openPacked(path: string): Promise<SiteFileDownload> {
  const { size, mtimeMs } = await stat(path)
  return {
    size,
    tag: `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`,
    open: (range) => createReadStream(path, range ?? {}),
    close: async () => undefined,
  }
}

/** Imports into new sites of this machine. */
export function createLocalImports(context: LocalContext): SiteImports {
  const queue = createTakeQueue()
  return {
    take: (archive, path) =>
      queue(async (signal) => {
        await keepArchive(context, archive, path)
        try {
          const { plan, facts } = await inspectKept(context, archive, signal)
          return { siteType: plan.siteType, title: facts.title, phpVersion: facts.phpVersion }
        } catch (error) {
          await discardArchive(context, archive)
          throw error
        }
      }),
    discard: (archive) => discardArchive(context, archive),
    expire: (before) => expireArchives(context, before),
    importSteps: (target) => importSteps(context, target),
    compare: (target, signal) => compareSite(context, target, signal),
  }
}
