import { msg } from '#shared/localized-message.ts'
import { restoresDatabase, type BackupWhat } from '#shared/rules/backups.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { assertWhole } from '../assert-whole.ts'
import { isIn, noDatabase } from '../backup-parts.ts'
import { noBackup } from '../damaged-backup.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import { keptLater } from '../kept-later.ts'
import type { SiteRestores } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import { changesSince } from './changes-since.ts'
import type { EeContext } from './ee-context.ts'
import { databaseOf } from './inventory.ts'
import { createEeNativeRestores } from './native-restores.ts'
import { change, look, outputOf } from './remote.ts'
import { addressesFor } from './replacements.ts'
import { assertParts, assertSame, besideNames, listOf } from './restorable.ts'
import {
  begin,
  bringBackSteps,
  busy,
  callOf,
  finishSwap,
  operationOf,
  runningSite,
  sendFile,
  swapStep,
  undoSwap,
  work,
} from './swaps.ts'
import { dumpIn, filesIn, manifestIn } from './unpack-archive.ts'

/** Backups that are put in place of sites on servers. The server keeps the new state and the one before, and says how far it is. */
export function createEeRestores(context: EeContext): SiteRestores {
  return {
    restoreSteps: (site, { archive }, what) => restoreSteps(context, site, { archive, what }),
    bringBackSteps: (site) => bringBackSteps(context, site),
    changesSince: (site, since, signal) => changesSince(context, site, since, signal),
    finishRestore: (site) => finishSwap(context, site),
    keptBytes: (site, signal) => keptBytes(context, site, signal),
    forgetKept: (site, before) => forgetKept(context, site, before),
    undoRestore: (site, operation) => undoSwap(context, site, operation),
    native: createEeNativeRestores(context),
  }
}

/** An archive on this machine. */
export interface FillArchive {
  readonly path: string
  /** It was written here by the same job: there is nothing to compare it with. */
  readonly isOwn: boolean
}

/** Steps that put an archive in place of a site that was just made; nothing of that is kept after `finishRestore`. */
export const fillSteps = (context: EeContext, site: SiteRef, { path, isOwn }: FillArchive): EngineStep[] =>
  restoreSteps(context, site, { archive: path, what: 'all', isNew: true, isOwn })

interface RestoreOptions {
  readonly archive: string
  readonly what: BackupWhat
  readonly isNew?: boolean
  readonly isOwn?: boolean
}

function restoreSteps(
  context: EeContext,
  site: SiteRef,
  { archive, what, isNew = false, isOwn = false }: RestoreOptions,
): EngineStep[] {
  assertSite(site)
  const parts = typeof what === 'string' ? null : what
  return [
    {
      key: 'send',
      label: 'Send the backup to the server, and unpack it beside the site',
      weight: 4,
      deadlineSeconds: 7_200,
      async run(step) {
        const { signal } = step
        const { row, url } = await runningSite(context, site, signal)
        const { manifest, bytes: large } = await manifestIn(
          archive,
          ({ path }) => parts === null || isIn(parts.paths, path),
        )
        const database = databaseOf(row)
        const withDatabase = restoresDatabase(what) && manifest.database !== null
        if (manifest.type !== row.site_type) throw noBackup()
        if (what === 'database' && !withDatabase) throw noDatabase()
        if (withDatabase && database === null) throw noPlaceForDatabase()
        if (parts !== null) assertParts(manifest, parts)
        await assertSame(context, site, { row, manifest }, signal)
        const operation = operationOf(step)
        const unused = parts?.tables.length === 0 ? (manifest.database?.bytes ?? 0) : 0
        const bytes = String(large - unused)
        // Before anything of it takes the room of other sites.
        const part = parts !== null ? 'parts' : what === 'all' && !withDatabase ? 'files' : `${what}`
        const more = [isNew ? 'fill' : 'restore', part, database ?? row.site_type, bytes]
        const begun = await begin(context, site, { operation, more }, signal)
        if (begun !== 'begun') return
        if (!isOwn) await assertWhole(archive, signal)
        const send = (name: string, content: AsyncIterable<Buffer>) =>
          sendFile(context, site, { operation, name }, content, signal)
        const withFiles = parts === null ? what !== 'database' : parts.paths.length > 0
        const files = withFiles ? await send('files.tar.gz', filesIn(archive, manifest.type, parts?.paths)) : '-'
        step.progress(0.6)
        const dump = !withDatabase
          ? '-'
          : parts === null
            ? await send('database.sql.gz', dumpIn(archive))
            : await send('tables.sql.gz', dumpIn(archive, besideNames(site, parts)))
        const sent = [files, dump, bytes]
        if (parts === null) sent.push(checkDomain(manifest.site) === null ? manifest.site : site.domain)
        else sent.push(await send('list', listOf(parts)), ...addressesFor(manifest, url))
        step.progress(0.8)
        await work(context, site, 'prepare', { operation, more: sent }, step)
      },
    },
    swapStep(context, site, async (url) => {
      // Tables got theirs before. What the database of a PHP site says of its address, only its code knows.
      if (site.siteType !== 'wp' || what === 'files' || parts !== null) return []
      return addressesFor((await manifestIn(archive)).manifest, url)
    }),
  ]
}

async function keptBytes(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<number | null> {
  assertSite(site)
  const call = { ...callOf(site, { operation: '-' }, 'size'), signal, maxBytes: 4_096 }
  const [, kilobytes] = /^(\d{1,12})$/m.exec(outputOf(await look(context, site.server, call))) ?? []
  return kilobytes === undefined ? null : Number(kilobytes) * 1_024
}

async function forgetKept(context: EeContext, site: SiteRef, before: number): Promise<void> {
  assertSite(site)
  const more = [String(Math.floor(before / 1_000))]
  const forgotten = await change(context, site.server, callOf(site, { operation: '-', more }, 'forget'))
  if (forgotten.code === 5) throw busy()
  if (forgotten.code === 6) throw keptLater()
  outputOf(forgotten)
}

/** The error of a backup with a database for a PHP site without one. */
export const noPlaceForDatabase = (): EngineError =>
  new EngineError('unsupported', msg`The backup has a database, and the site was made without one.`, {
    nextAction: msg`Restore its files alone, or the backup as a new site.`,
  })
