import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { filesOlderThan } from '#server/platform/files/list-folder.ts'
import { msg } from '#shared/localized-message.ts'
import { defaultPhpLimits } from '#shared/rules/php-limits.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import { contentCounts, pagesToSee, seenPage, titleIn, type SeenPage } from '../seen-pages.ts'
import type { ImportedSite, ImportSpec, SiteImports } from '../site-imports.ts'
import { networkIn, type ManifestSummary } from '../site-manifest.ts'
import { fillingSteps, noNewNetworks } from './copies.ts'
import { reserveStep } from './create-steps.ts'
import type { EeContext } from './ee-context.ts'
import { requestAsOurselves } from './request.ts'
import { managedSite, runPhp } from './scripts.ts'
import { manifestIn } from './unpack-archive.ts'

/** Sites that are made of archives in our own format; others have to be made on a machine that can look into them. */
export function createEeImports(context: EeContext): SiteImports {
  const folder = context.importsFolder
  const pathOf = (archive: string): string => {
    if (!/^[0-9a-f]{32}$/.test(archive)) throw new TypeError('Not the id of an archive.')
    return join(folder, `${archive}.tar.zst`)
  }
  /** Until it is whole. */
  const copyOf = (archive: string) => `${pathOf(archive)}.new`
  const manifestOf = async (archive: string): Promise<ManifestSummary> => {
    if (!(await exists(pathOf(archive))))
      throw new EngineError('not_found', msg`The archive is no longer there.`, { nextAction: msg`Begin again.` })
    return (await manifestIn(pathOf(archive))).manifest
  }
  return {
    async take(archive, path) {
      // Whoever was ended before that was noted has nothing to take any more.
      const isTaken = await exists(pathOf(archive))
      const { manifest } = await manifestIn(isTaken ? pathOf(archive) : path)
      if (networkIn(manifest) !== null) throw noNewNetworks()
      if (!isTaken) {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await copyFile(path, copyOf(archive))
        await rename(copyOf(archive), pathOf(archive))
      }
      const { type, title, php_version: phpVersion } = manifest
      return { siteType: type, title, phpVersion }
    },
    async discard(archive) {
      for (const one of [pathOf(archive), copyOf(archive)]) await rm(one, { force: true })
    },
    async expire(before) {
      for (const name of await filesOlderThan(folder, before)) await rm(join(folder, name), { force: true })
    },
    importSteps: (target) => importSteps(context, target, pathOf(target.archive)),
    compare: async (site, signal) => compare(context, site, await manifestOf(site.archive), signal),
  }
}

function importSteps(context: EeContext, target: ImportSpec, archive: string): EngineStep[] {
  return [
    reserveStep(context, target),
    ...fillingSteps(context, { ...target, adminUser: null }, { path: archive, isOwn: false }, async () => ({
      ...{ objectCache: false, httpAuth: null },
      limits: target.siteType === 'html' ? null : defaultPhpLimits('ee'),
    })),
  ]
}

/** What WordPress counts and shows, against what it did when it was backed up. */
async function compare(
  context: EeContext,
  site: ImportSpec,
  manifest: ManifestSummary,
  signal: AbortSignal,
): Promise<ImportedSite> {
  const counts: ImportedSite['report']['counts'][number][] = []
  const defects: ImportedSite['report']['defects'][number][] = []
  let links: Readonly<Record<string, unknown>> | null = null
  if (site.siteType === 'wp') {
    const managed = await managedSite(context, site, signal)
    const now = contentCounts(await runPhp(managed, 'inspect', { safe: true }, signal), true)
    for (const what of ['posts', 'pages', 'comments'] as const)
      if (now[what] !== manifest.counts[what])
        defects.push({ kind: 'rows_differ', what, detail: `${manifest.counts[what]} ${now[what]}` })
    counts.push({ what: 'media', expected: manifest.counts.uploads, found: now.uploads })
    links = await runPhp(managed, 'links', { safe: true }, signal)
  }
  let good = 0
  const pages = pagesToSee(links)
  const seen: SeenPage[] = []
  for (const [path = '/'] of pages) {
    const answer = await requestAsOurselves(context, site, path, { signal })
    seen.push(seenPage(path, answer))
    const { status } = answer
    if (status < 400) good += 1
    else defects.push({ kind: 'page_status', what: path.slice(0, 200), detail: String(status) })
  }
  counts.push({ what: 'pages', expected: pages.length, found: good })
  const { login, email } = links ?? {}
  return {
    report: {
      source: 'easydash',
      file: site.fileName.slice(0, 255),
      from: manifest.url,
      at: Date.now(),
      counts,
      defects,
      more: 0,
    },
    pages: seen,
    title: titleIn(links),
    admin:
      typeof login === 'string' && typeof email === 'string'
        ? { login: login.slice(0, 60), email: email.slice(0, 140) }
        : null,
  }
}
