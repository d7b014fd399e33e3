import { randomUUID } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { msg } from '#shared/localized-message.ts'
import { stagedPackage, type StagedPackage } from '#shared/responses/wordpress-packages.ts'
import { EngineError } from '../engine.ts'
import { packagesOf } from '../wordpress-checksums.ts'
import type { PackageSource, PackageType, WordPressPackages } from '../wordpress-packages.ts'
import { changePackage, runPackage, unreadable } from '../wordpress-scripts.ts'
import { bring } from './bring.ts'
import { originalsOf } from './checksums.ts'
import type { EeContext } from './ee-context.ts'
import { change, outputOf } from './remote.ts'
import { hideKept, managedSite, scriptsOf, type ManagedSite } from './scripts.ts'

/** Largest file that is uploaded to a server: it goes there in small parts. */
const maxUploadBytes = 32 * 1_048_576
/** Bytes of a part, which are a third more in base64. */
const partBytes = 45_000

/** Packages of a site on a server, which downloads those of wordpress.org itself. WordPress unpacks them, with the rights of the site. */
export function createEePackages(context: EeContext): WordPressPackages {
  return {
    stage: async (site, file, { id, signal }) =>
      stageFile(await managedSite(context, site, signal), { file, id, signal }),
    async discard(site, id) {
      await runPackage(scriptsOf(await managedSite(context, site)), { act: 'discard', staged: id, safe: true })
    },
    async install(site, type, source, { operationId, replace = false, signal }) {
      const managed = await managedSite(context, site, signal)
      const staged = await stagedOf(managed, { type, source, signal })
      const input = { act: 'install', operation: operationId, type, staged, replace, safe: false }
      return changePackage(scriptsOf(managed), input, signal)
    },
    async rollBack(site, type, id, operationId) {
      const input = { act: 'roll_back', operation: operationId, type, id, safe: true }
      return changePackage(scriptsOf(await managedSite(context, site)), input)
    },
    async restore(site, type, folder, { operationId, signal = AbortSignal.timeout(240_000) }) {
      const managed = await managedSite(context, site, signal)
      const run = scriptsOf(managed)
      const about = (await packagesOf(run, signal)).find((one) => one.type === type && one.folder === folder)
      const original = about === undefined ? null : await originalsOf(context, signal)(about)
      if (about === undefined || original === null || !('sums' in original) || !original.isKept)
        throw new EngineError('not_found', msg`The original files are not kept.`, {
          nextAction: msg`Update it, or upload its ZIP file again.`,
        })
      const staged = randomUUID()
      await bring(managed, { staged, type, slug: folder, version: about.version }, signal)
      await stagedAbout(managed, staged, signal)
      // Without the site's own code, which may be what has to be replaced.
      const input = { act: 'install', operation: operationId, type, staged, replace: true, safe: true }
      return changePackage(run, input, signal)
    },
    async undo(site, operationId) {
      const input = { act: 'undo', operation: operationId, safe: true }
      await changePackage(scriptsOf(await managedSite(context, site)), input)
    },
  }
}

interface Upload {
  readonly file: string
  readonly id: string
  readonly signal: AbortSignal | undefined
}

async function stageFile(managed: ManagedSite, { file, id, signal }: Upload): Promise<StagedPackage> {
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error('This is no id of a package.')
  const { size } = await stat(file)
  if (size > maxUploadBytes)
    throw new EngineError(
      'invalid',
      msg`A file for a site on a server can have ${maxUploadBytes / 1_048_576} MB at most.`,
      {
        nextAction: msg`Install it by its name on wordpress.org, or in the admin area of the site.`,
      },
    )
  const archive = `${id}.zip`
  await hideKept(managed, signal)
  await upload(managed, { file, archive, signal })
  await bring(managed, { staged: id, archive }, signal)
  return stagedAbout(managed, id, signal)
}

async function stagedAbout(managed: ManagedSite, id: string, signal?: AbortSignal): Promise<StagedPackage> {
  const input = { act: 'stage', staged: id, safe: true }
  const { data } = stagedPackage.safeParse(await runPackage(scriptsOf(managed), input, signal))
  if (!data) throw unreadable()
  return data
}

/** Sends a file to the site in parts. */
async function upload(
  { context, site, workdir }: ManagedSite,
  {
    file,
    archive,
    signal,
  }: { readonly file: string; readonly archive: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const handle = await open(file)
  try {
    const buffer = Buffer.alloc(partBytes)
    for (let at = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, partBytes, at)
      if (bytesRead === 0 && at > 0) return
      outputOf(
        await change(context, site.server, {
          script: 'upload',
          args: [site.domain, workdir, archive, at === 0 ? 'first' : ''],
          variables: { part: buffer.subarray(0, bytesRead).toString('base64') },
          signal,
        }),
      )
      if (bytesRead === 0) return
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
}

/** The id of what is to be installed, once it is staged. */
async function stagedOf(
  managed: ManagedSite,
  {
    type,
    source,
    signal,
  }: {
    readonly type: PackageType
    readonly source: PackageSource
    readonly signal: AbortSignal | undefined
  },
): Promise<string> {
  if ('staged' in source) return source.staged
  const staged = randomUUID()
  await bring(managed, { staged, type, slug: source.slug }, signal)
  await stagedAbout(managed, staged, signal)
  return staged
}
