import { beforeAll, describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What every engine says about a site: its versions and how much of the disk it uses. */
export function describeFacts(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  describe('facts', () => {
    let engine: TestedEngine
    let wp: SiteRef
    let html: SiteRef
    const diskUsed = async () => (await engine.observe(html)).diskUsed

    beforeAll(() => {
      ;({ engine, wp, html } = under())
    })

    needs(under, 'wordpress')('has the versions of what runs the site', async () => {
      const { version } = await engine.wordpress.inspect(wp)
      const { phpVersion, wordpressVersion } = await engine.observe(wp)
      expect(wordpressVersion).toBe(version)
      expect(engine.phpVersions(null)).toContain(phpVersion)
      expect(await engine.observe(html)).toMatchObject({ wordpressVersion: null, phpVersion: null })
    })

    needs(under, 'files')('measures the disk that files use, deleted ones until they are gone for good', async () => {
      const before = await diskUsed()
      await engine.files.write(html, 'measured.txt', 'x'.repeat(300_000), null)
      expect(await diskUsed()).toBeGreaterThanOrEqual(before + 300_000)
      await engine.files.remove(html, ['measured.txt'])
      expect(await diskUsed()).toBeGreaterThanOrEqual(before + 300_000)
      await engine.files.emptyTrash(html)
      expect(await diskUsed()).toBeLessThan(before + 300_000)
    })
  })
}
