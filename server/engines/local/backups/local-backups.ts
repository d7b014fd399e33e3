import { createReadStream } from 'node:fs'
import { exists } from '#server/platform/files/exists.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { filesInManifest, readManifest } from '../../manifest-reader.ts'
import type { PackedSite, SiteBackups, SiteRehearsals, SiteRestores } from '../../site-backups.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { exportSteps, packedPaths, removeExport } from '../portable/export-steps.ts'
import { openPacked } from '../portable/local-portable.ts'
import { existingRecord } from '../sites/site-store.ts'
import { rollBackSteps } from '../staging/push-steps.ts'
import { forgetKept, keptBytes } from '../staging/kept-push.ts'
import { finishPush, undoPush } from '../staging/settle-push.ts'
import { changesSince } from './changes-since.ts'
import { judgeRehearsal } from './judge.ts'
import { manifestOf, rehearseSteps } from './rehearse-steps.ts'
import { restoreSteps } from './restore-steps.ts'

const mebibyte = 1_048_576
/** What the code of a backup can add while it is open: caches. */
const room = { disk_mb: 256, files: 5_000 }

/** Backups of this machine's sites. */
export function createLocalBackups(context: LocalContext): SiteBackups & SiteRehearsals & SiteRestores {
  return {
    packSteps: (site) => exportSteps(context, site, 'backup'),
    packed: (site) => packedSite(context, site),
    removePacked: (site) => removeExport(context, site, 'backup'),
    rehearseSteps: (rehearsal, path, target) => rehearseSteps(context, rehearsal, path, target),
    judge: (rehearsal, signal) => judgeRehearsal(context, rehearsal, signal),
    openRehearsal: (rehearsal, until) => openRehearsal(context, rehearsal, until),
    restoreSteps: (site, { rehearsal }, what) => restoreSteps(context, site, rehearsal, what),
    bringBackSteps: (site) => rollBackSteps(context, site, 'bring_back'),
    changesSince: (site, since, signal) => changesSince(context, site, since, signal),
    finishRestore: (site) => finishPush(context, site),
    keptBytes: (site, signal) => keptBytes(context, site, signal),
    forgetKept: (site, before) => forgetKept(context, site, before),
    undoRestore: (site, operationId) => undoPush(context, site, operationId),
  }
}

async function packedSite(context: LocalContext, site: SiteRef): Promise<PackedSite> {
  const { archive, manifest } = packedPaths(context, existingRecord(context.store, site), 'backup')
  if (!(await exists(archive)))
    throw new EngineError('not_found', msg`The packed site is no longer there.`, {
      nextAction: msg`Back it up again.`,
    })
  const read = () => createReadStream(manifest)
  return { manifest: await readManifest(read()), files: () => filesInManifest(read()), file: await openPacked(archive) }
}

/** See `SiteRehearsals.openRehearsal`. */
async function openRehearsal(context: LocalContext, rehearsal: SiteRef, until: number): Promise<void> {
  const record = existingRecord(context.store, rehearsal)
  await manifestOf(context, record)
  if (record.state !== 'ready')
    throw new EngineError('conflict', msg`The rehearsal is not finished.`, { nextAction: msg`Rehearse it again.` })
  // What it was tried out with had no quota.
  await context.awake.sleep(record.id)
  const { storage } = await context.storage.of(record)
  const openQuota = { disk_mb: Math.ceil(storage.bytes / mebibyte) + room.disk_mb, files: storage.files + room.files }
  await context.store.change(record.id, (now) => ({ ...now, openUntil: until, openQuota }))
}
