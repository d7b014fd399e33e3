import { beforeAll, describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { failureOf } from './engine-failure.ts'
import { needs, type TestedEngine } from './needs.ts'

/** The contract of `Engine.originals`, on a running WordPress site and an HTML site. */
export function describeWordPressFiles(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  describe('originals of files', () => {
    let engine: TestedEngine
    let wp: SiteRef
    let html: SiteRef

    beforeAll(() => {
      ;({ engine, wp, html } = under())
    })

    needs(under, 'checksums')('compares each plugin and theme, or says why not', async () => {
      const all = await engine.originals.verifyPackages(wp)
      expect(all.some(({ type }) => type === 'theme')).toBe(true)
      for (const { source, unchecked } of all) expect(source === null).toBe(unchecked !== null)
      expect(all.find(({ id }) => id === 'hello.php')).toMatchObject({ source: 'bundled', changed: [], missing: [] })
    })

    needs(under, 'checksums')('compares a file, and refuses what has no original', async () => {
      expect(await engine.originals.compare(wp, 'wp-includes/load.php')).toMatchObject({ result: 'same', diff: null })
      expect(await failureOf(() => engine.originals.compare(wp, 'wp-config.php'))).toMatchObject({ code: 'invalid' })
    })

    needs(under, 'checksums')('has none of it on a site without WordPress', async () => {
      expect(await failureOf(() => engine.originals.verifyPackages(html))).toMatchObject({ code: 'unsupported' })
      expect(await failureOf(() => engine.originals.compare(html, 'wp-includes/load.php'))).toMatchObject({
        code: 'unsupported',
      })
    })
  })
}
