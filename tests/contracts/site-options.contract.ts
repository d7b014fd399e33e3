import { expect } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import type { SiteKind } from '#server/engines/site-ref.ts'
import { can, needs, type TestedEngine } from './needs.ts'
import { runSteps } from './run-steps.ts'

const options = [
  ['an object cache', 'wp', { objectCache: true }, ['object_cache']],
  ['the folders of WordPress VIP', 'wp', { vip: true }, ['vip']],
  ['a database of its own', 'php', { withDatabase: true }, ['php_database', 'create_php']],
] as const

/** The contract of what only some servers can give a new site. Others refuse it (`refusals.contract.ts`). */
export function describeOptions(
  under: () => { readonly engine: TestedEngine; newSpec(kind: SiteKind, changes: Partial<SiteSpec>): SiteSpec },
): void {
  for (const [what, kind, changes, names] of options)
    needs(under, ...names)(`makes a ${kind} site with ${what}, which answers and leaves nothing behind`, async () => {
      const { engine, newSpec } = under()
      const site = newSpec(kind, changes)
      for (const _time of ['once', 'repeated']) await runSteps(engine.createSteps(site))
      expect((await engine.request(site, '/')).status).toBe(200)
      if (kind === 'wp' && can(engine, 'wordpress')) {
        await engine.wordpress.change(site, { kind: 'flush_cache' })
        expect(await engine.wordpress.inspect(site)).toMatchObject({ broken: null })
        expect((await engine.request(site, '/')).status).toBe(200)
      }
      await engine.destroy(site)
      expect((await engine.observe(site)).state).toBe('absent')
    })

  needs(
    under,
    'wordpress_choice',
    'wordpress_settings',
    'checksums',
  )('makes a WordPress in a language and of a version, whose files are the original ones', async () => {
    const { engine, newSpec } = under()
    const site = newSpec('wp', { locale: 'de_DE', wordpressVersion: '6.7.2' })
    await runSteps(engine.createSteps(site))
    expect((await engine.observe(site)).wordpressVersion).toBe('6.7.2')
    expect((await engine.settings.readWordPress(site)).values.language).toBe('de_DE')
    const signal = AbortSignal.timeout(120_000)
    expect(await engine.wordpress.verifyChecksums(site, signal)).toMatchObject({ version: '6.7.2', changed: [] })
    await engine.destroy(site)
  })
}
