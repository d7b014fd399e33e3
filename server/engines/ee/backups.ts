import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { statIfExists } from '#server/platform/files/exists.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import { filesInManifest, readManifest } from '../manifest-reader.ts'
import type { PackedSite, SiteBackups } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { fetchPart } from './fetch-packed.ts'
import type { EeRow } from './inventory.ts'
import { archivePaths, writeArchive } from './pack-archive.ts'
import {
  manifestHead,
  packDatabase,
  packingSite,
  packPart,
  removeRemote,
  withoutOfWordPress,
  type Packing,
} from './pack-parts.ts'
import { enabledSite, workdirOf } from './site-of.ts'

/** Backups of sites on servers: their server puts them together, this machine writes the archive. */
export function createEeBackups(context: EeContext): SiteBackups {
  return {
    packSteps: (site) => packSteps(context, site),
    packed: (site) => packedSite(context, site),
    removePacked: (site) => removePacked(context, site),
  }
}

/** Folder of what is packed of a site, on this machine. */
export function folderOf({ packedFolder }: EeContext, { id, domain }: SiteRef): string {
  assertSite({ id, domain })
  return join(packedFolder, id)
}

/** What was sent and the archive belong together, so all is one step: a retry begins anew. */
function packSteps(context: EeContext, site: SiteRef): EngineStep[] {
  assertSite(site)
  return [
    {
      key: 'pack',
      label:
        site.siteType === 'html'
          ? 'Pack the files on the server, and fetch them'
          : 'Pack database and files on the server, and fetch them',
      weight: 3,
      deadlineSeconds: 7_200,
      run: (step) => packSite(context, site, site.id, step),
    },
  ]
}

/** Packs a site under the id of whatever it is packed for. */
export async function packSite(context: EeContext, site: SiteRef, as: string, step: StepContext): Promise<void> {
  step.signal.throwIfAborted()
  const packed = { ...site, id: as }
  const { row } = await packableSite(context, site, step.signal)
  await rm(folderOf(context, packed), { recursive: true, force: true })
  try {
    await pack({ context, site, packed }, row, step)
  } catch (error) {
    await removePacked(context, packed)
    throw error
  }
  await removeRemote(context, packed)
  step.progress(1)
}

/** The archive that a site was packed into. */
export const packedArchive = (context: EeContext, packed: SiteRef): string =>
  archivePaths(folderOf(context, packed)).archive

/** A site that runs and has nothing that a backup would lose. */
export async function packableSite(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<{ row: EeRow }> {
  const { row } = await enabledSite(context, site, signal)
  if (workdirOf(row) !== '/var/www/htdocs')
    throw new EngineError(
      'unsupported',
      msg`The site is served from a folder inside of its files, which backups would not keep.`,
      {
        nextAction: msg`Back it up on its server.`,
      },
    )
  return { row }
}

async function pack(packing: Packing, row: EeRow, step: StepContext): Promise<void> {
  const { context, packed } = packing
  const { signal } = step
  const managed = packingSite(packing, row)
  const dumped = await packDatabase(managed, step)
  const files = await packPart(managed, 'files', row.site_type === 'wp' ? withoutOfWordPress : [], step)
  step.progress(0.3)
  const manifest = await manifestHead(managed, row, dumped, signal)
  const total = files.bytes + (dumped?.part.bytes ?? 0)
  let fetched = 0
  const onBytes = (count: number) => {
    fetched += count
    step.progress(0.3 + (0.7 * fetched) / total)
  }
  await writeArchive(
    {
      folder: folderOf(context, packed),
      manifest,
      dump: dumped === null ? null : fetchPart(context, packed, dumped.part, { signal, onBytes }),
      files: fetchPart(context, packed, files, { signal, onBytes }),
    },
    step,
  )
}

async function packedSite(context: EeContext, site: SiteRef): Promise<PackedSite> {
  const { archive, manifest } = archivePaths(folderOf(context, site))
  const found = await statIfExists(archive)
  if (found === null)
    throw new EngineError('not_found', msg`The packed site is no longer there.`, {
      nextAction: msg`Back it up again.`,
    })
  return {
    file: {
      size: found.size,
      tag: String(found.mtimeMs),
      open: (range) => createReadStream(archive, range ?? {}),
      close: async () => undefined,
    },
    manifest: await readManifest(createReadStream(manifest)),
    files: () => filesInManifest(createReadStream(manifest)),
  }
}

/** Removes what was packed, here and on the server. A server that is away keeps it until the next backup, or until the site is deleted. */
export async function removePacked(context: EeContext, site: SiteRef): Promise<void> {
  await rm(folderOf(context, site), { recursive: true, force: true })
  await removeRemote(context, site)
}
