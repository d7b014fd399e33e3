import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openPromise } from 'yauzl'
import { text } from 'node:stream/consumers'
import type { EngineStep, SiteSpec } from '#server/engines/engine.ts'
import type { ImportSpec } from '#server/engines/site-imports.ts'
import type { SiteKind, SiteRef } from '#server/engines/site-ref.ts'
import { siteManifest } from '#server/engines/site-manifest.ts'
import { importReport } from '#shared/responses/site-imports.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What the contract of exports and imports runs on. */
interface ExportsUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteRef & Pick<SiteSpec, 'database'>
  readonly html: SiteRef
  newSpec(kind: SiteKind): SiteRef
  runSteps(steps: readonly EngineStep[], signal?: AbortSignal): Promise<unknown>
}

let imported = 0

/** The contract of `Engine.exports` and `Engine.imports`: an export counts as proven by importing it again. */
export function describeExports(under: () => ExportsUnderTest): void {
  describe('exports and imports', () => {
    let folder: string
    const made: ImportSpec[] = []
    const signal = () => AbortSignal.timeout(300_000)
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'exports-'))
    })
    afterAll(async () => {
      for (const site of made) {
        await under().engine.destroy(site)
        await under().engine.imports.discard(site.archive)
      }
      await rm(folder, { recursive: true, force: true })
    })

    /** Exports a site and saves the archive like a browser does. */
    const exported = async (site: SiteRef): Promise<string> => {
      const { engine, runSteps } = under()
      await runSteps(engine.exports.exportSteps(site))
      const file = await engine.exports.open(site)
      expect(file.size).toBeGreaterThan(0)
      const path = join(folder, `${site.id}-${made.length}.zip`)
      await pipeline(file.open(), createWriteStream(path))
      return path
    }
    /** The export of a site, made once. */
    const archives = new Map<string, string>()
    const archiveOf = async (site: SiteRef): Promise<string> => {
      const path = archives.get(site.id) ?? (await exported(site))
      archives.set(site.id, path)
      return path
    }
    const specOf = (type: SiteKind, changes: Partial<ImportSpec> = {}): ImportSpec => {
      imported += 1
      const archive = imported.toString(16).padStart(32, '0')
      const spec = { ...under().newSpec(type), archive, fileName: 'site.zip', title: null, ...changes }
      made.push(spec)
      return spec
    }
    const importFrom = async (path: string, type: SiteKind, changes: Partial<ImportSpec> = {}): Promise<ImportSpec> => {
      const { engine, runSteps } = under()
      const spec = specOf(type, changes)
      expect(await engine.imports.take(spec.archive, path)).toMatchObject({ siteType: type })
      await runSteps(engine.imports.importSteps(spec))
      return spec
    }

    needs(
      under,
      'export',
      'import',
      'wordpress',
    )('exports a WordPress site with a manifest, and makes a site of it that has the same content', async () => {
      const { engine, wp } = under()
      await engine.wordpress.change(wp, { kind: 'add_user', login: 'packed', email: 'p@example.com', role: 'editor' })
      const usersOf = async (site: SiteRef) =>
        (await engine.wordpress.users(site, { search: '', page: 0 })).rows.map(({ login }) => login)
      const before = await usersOf(wp)
      const path = await archiveOf(wp)

      const zip = await openPromise(path)
      const names: string[] = []
      let manifest: unknown
      for await (const entry of zip.eachEntry()) {
        names.push(String(entry.fileName))
        if (entry.fileName === 'manifest.json')
          manifest = JSON.parse(await text(await zip.openReadStreamPromise(entry)))
      }
      const said = siteManifest.parse(manifest)
      expect(said).toMatchObject({ type: 'wp', site: wp.domain, url: engine.siteUrl(wp), engine: engine.name })
      expect(names).toContain('README.txt')
      expect(names).toContain(said.database?.file)
      expect(names.filter((name) => /^files\/.*[^/]$/.test(name)).toSorted()).toEqual(
        said.files.map(({ path: file }) => `files/${file}`).toSorted(),
      )

      const site = await importFrom(path, 'wp', { title: 'Back again' })
      const page = await engine.request(site, '/')
      expect([page.status, page.body.includes('Back again')]).toEqual([200, true])
      expect(await usersOf(site)).toEqual(before)
      expect(await usersOf(wp)).toEqual(before)
      const { report, title, admin } = await engine.imports.compare(site, signal())
      expect(importReport.parse(report)).toEqual(report)
      expect(report).toMatchObject({
        source: 'easydash',
        file: 'site.zip',
        from: engine.siteUrl(wp),
        defects: [],
        more: 0,
      })
      for (const { expected, found } of report.counts) expect(found).toBe(expected)
      expect([title, admin?.login]).toEqual(['Back again', 'boss'])
      await engine.wordpress.change(wp, { kind: 'delete_user', login: 'packed', reassign_to: 'boss' })
    })

    needs(
      under,
      'export',
      'import',
    )('exports and imports a site without WordPress', async () => {
      const { engine, html } = under()
      const site = await importFrom(await exported(html), 'html')
      const [copy, original] = [await engine.request(site, '/'), await engine.request(html, '/')]
      expect(copy.status).toBe(200)
      expect(original.status).toBe(200)
    })

    needs(under, 'export')('keeps one export of a site until it is removed', async () => {
      const { engine, html } = under()
      await exported(html)
      await engine.exports.remove(html)
      await engine.exports.remove(html)
      await expect(engine.exports.open(html)).rejects.toMatchObject({ code: 'not_found' })
      const canceled = new AbortController()
      const work = under().runSteps(engine.exports.exportSteps(html), canceled.signal)
      canceled.abort(new Error('canceled'))
      await expect(work).rejects.toThrow('canceled')
      await expect(engine.exports.open(html)).rejects.toMatchObject({ code: 'not_found' })
      expect((await engine.request(html, '/')).status).toBe(200)
    })

    needs(
      under,
      'export',
      'import',
    )('goes on where it stopped', async () => {
      const { engine, wp, runSteps } = under()
      const spec = specOf('wp')
      await engine.imports.take(spec.archive, await archiveOf(wp))
      await runSteps(engine.imports.importSteps(spec).slice(0, -1))
      await runSteps(engine.imports.importSteps(spec))
      expect((await engine.request(spec, '/')).status).toBe(200)
    })

    needs(
      under,
      'export',
      'import',
    )('leaves nothing of an unfinished import that is destroyed', async () => {
      const { engine, html, runSteps } = under()
      const unfinished = specOf('html')
      await engine.imports.take(unfinished.archive, await exported(html))
      await runSteps(engine.imports.importSteps(unfinished).slice(0, 1))
      await engine.destroy(unfinished)
      expect(await engine.observe(unfinished)).toMatchObject({ state: 'absent', diskUsed: 0 })
    })

    needs(
      under,
      'export',
      'import',
    )('refuses what is no archive, and forgets archives', async () => {
      const { engine, html, runSteps } = under()
      const file = join(folder, 'text.zip')
      await writeFile(file, 'no archive')
      const spec = specOf('html')
      await expect(engine.imports.take(spec.archive, file)).rejects.toMatchObject({ code: 'invalid' })
      await expect(engine.imports.take('../../x', file)).rejects.toMatchObject({ code: 'invalid' })
      await expect(runSteps(engine.imports.importSteps(spec))).rejects.toMatchObject({ code: 'not_found' })
      const path = await exported(html)
      await engine.imports.take(spec.archive, path)
      await engine.imports.expire(Date.now() + 60_000)
      await expect(runSteps(engine.imports.importSteps(spec))).rejects.toMatchObject({ code: 'not_found' })
    })

    needs(
      under,
      'export',
      'import',
    )('refuses a name that is taken, and a site that is not there', async () => {
      const { engine, html, newSpec, runSteps } = under()
      const spec = specOf('html', { domain: html.domain })
      await engine.imports.take(spec.archive, await exported(html))
      await expect(runSteps(engine.imports.importSteps(spec))).rejects.toMatchObject({ code: 'conflict' })
      made.splice(made.indexOf(spec), 1)
      await expect(runSteps(engine.exports.exportSteps(newSpec('html')))).rejects.toMatchObject({ code: 'not_found' })
    })
  })
}
