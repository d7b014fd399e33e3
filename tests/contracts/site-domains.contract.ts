import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { EngineError, EngineStep, SiteSpec } from '#server/engines/engine.ts'
import type { SiteKind, SiteRef } from '#server/engines/site-ref.ts'
import { siteDatabases } from '#shared/rules/site-databases.ts'
import { failureOf } from './engine-failure.ts'
import { can, needs, testedDomain, type TestedEngine } from './needs.ts'

/** What the contract of domains runs on. */
interface DomainsUnderTest {
  readonly engine: TestedEngine
  newSpec(kind: SiteKind, changes?: Partial<SiteSpec>): SiteSpec
  runSteps(steps: readonly EngineStep[]): Promise<unknown>
}

const kinds = ['wp', 'html'] as const

/** What servers answer under a name that no site has. */
const noSite = [404, 503]

/** The contract of `Engine.domains`, on sites of its own; with MySQL, skipped without the capability `mysql`. */
export function describeDomains(under: () => DomainsUnderTest): void {
  describe.each(siteDatabases)('domains, with WordPress on %s', (database) => {
    let engine: TestedEngine
    let wp: SiteSpec
    let html: SiteSpec
    const onDatabase = database === 'mysql' ? (['mysql'] as const) : []
    const runSteps: DomainsUnderTest['runSteps'] = (steps) => under().runSteps(steps)
    /** The site under another of its names. */
    const as = (site: SiteRef, domain: string): SiteRef => ({ ...site, domain })
    /** A name as the engine has them. */
    const nameOf = (label: string): string => (engine.siteNames === 'domain' ? testedDomain(label) : label)
    /** What an alias can be for on every engine. */
    const anyMode = (kind: SiteKind) => (engine.siteNames === 'domain' && kind === 'wp' ? 'redirect' : 'serve')
    const statusOf = async (site: SiteRef, path = '/') => (await engine.request(site, path)).status

    beforeAll(async () => {
      engine = under().engine
      if (!can(engine, ...onDatabase)) return
      wp = under().newSpec('wp', { database })
      html = under().newSpec('html')
      for (const site of [wp, html]) await runSteps(engine.createSteps(site))
    }, 110_000)
    afterAll(async () => {
      if (!can(engine, ...onDatabase)) return
      for (const site of [wp, html]) await engine.destroy(site)
    })

    needs(under, ...onDatabase)('has URLs for names below the sites’ domain and for full ones', () => {
      const own = new URL(engine.siteUrl(wp))
      const full = new URL(engine.siteUrl(as(wp, 'www.example.com')))
      expect([full.hostname, full.port, full.protocol]).toEqual(['www.example.com', own.port, own.protocol])
    })

    needs(under, 'aliases', ...onDatabase).each(kinds)(
      'redirects and serves aliases until they are removed',
      async (kind) => {
        const site = kind === 'wp' ? wp : html
        expect(await engine.domains.read(site)).toEqual({ domain: site.domain, aliases: [], changingTo: null })
        const [sent, shown] = [testedDomain(`${kind}-sent`), nameOf(`${kind}-shown`)]
        const aliases = [
          { domain: sent, mode: 'redirect' },
          { domain: shown, mode: 'serve' },
        ] as const
        const refused = await engine.domains.setAliases(site, aliases).catch((error: EngineError) => error)
        if (kind === 'wp' && refused?.code === 'unsupported') {
          // Not every engine can have WordPress answer under two names.
          await engine.domains.setAliases(site, aliases.slice(0, 1))
          expect((await engine.request(as(site, sent), '/x')).status).toBe(301)
          await engine.domains.setAliases(site, [])
          expect(noSite).toContain(await statusOf(as(site, sent)))
          return
        }
        expect(refused).toBeUndefined()
        await engine.domains.setAliases(site, aliases)
        expect(await engine.domains.read(site)).toEqual({ domain: site.domain, aliases, changingTo: null })
        const redirect = await engine.request(as(site, sent), '/a/b%20c?d=e&f=http://x/')
        expect(redirect).toMatchObject({ status: 301 })
        expect(redirect.headers['location']).toBe(`${engine.siteUrl(site)}/a/b%20c?d=e&f=http://x/`)
        expect(await statusOf(as(site, shown))).toBe(200)
        expect(await statusOf(site)).toBe(200)

        await engine.domains.setAliases(site, [{ domain: sent, mode: 'serve' }])
        expect(await statusOf(as(site, sent))).toBe(200)
        expect(noSite).toContain(await statusOf(as(site, shown)))
        await engine.domains.setAliases(site, [])
        expect(noSite).toContain(await statusOf(as(site, sent)))
      },
    )

    needs(
      under,
      'aliases',
      ...onDatabase,
    )('refuses names of other sites and names that are none', async () => {
      await engine.domains.setAliases(html, [{ domain: testedDomain('mine'), mode: 'serve' }])
      for (const domain of [html.domain, testedDomain('mine')])
        expect((await failureOf(() => engine.domains.setAliases(wp, [{ domain, mode: 'redirect' }]))).code).toBe(
          'conflict',
        )
      const changed = () => runSteps(engine.domains.changeSteps(wp, testedDomain('mine'), []))
      if (can(engine, 'domain_change')) expect((await failureOf(changed)).code).toBe('conflict')
      expect(await engine.domains.read(wp)).toEqual({ domain: wp.domain, aliases: [], changingTo: null })
      const free = engine.siteNames === 'domain' ? testedDomain('free') : 'mine'
      const made = under().newSpec('html', { domain: free })
      await engine.domains.setAliases(html, [{ domain: free, mode: 'serve' }])
      expect((await failureOf(() => runSteps(engine.createSteps(made)))).code).toBe('conflict')
      for (const domain of [
        '',
        '../x',
        'UPPER.example',
        '-a',
        'a_b.example',
        '*.example.com',
        '10.0.0.1',
        'a..b',
        'ä.example',
      ])
        expect((await failureOf(() => engine.domains.setAliases(html, [{ domain, mode: 'redirect' }]))).code).toBe(
          'invalid',
        )
      expect((await failureOf(() => engine.domains.read(under().newSpec('wp')))).code).toBe('not_found')
      await engine.domains.setAliases(html, [])
    })

    needs(
      under,
      'domain_change',
      ...onDatabase,
    )('says what a change of the primary domain would replace, and changes nothing', async () => {
      const found = await engine.domains.findAddresses(wp, nameOf('elsewhere'), null)
      expect(found.tables.map(({ table }) => table)).toContain('wp_options')
      expect(found.options.map(({ option }) => option)).toEqual(expect.arrayContaining(['home', 'siteurl']))
      expect(found.examples.length).toBeGreaterThan(0)
      expect(found.after).toBeNull()
      expect(await engine.domains.findAddresses(html, nameOf('elsewhere'), null)).toMatchObject({
        tables: [],
        after: null,
      })
      expect(await engine.domains.findAddresses(wp, nameOf('elsewhere'), 'nonsense')).toMatchObject({
        tables: found.tables,
      })
      expect(await statusOf(wp)).toBe(200)
    })

    needs(under, 'domain_change', ...onDatabase).each(kinds)(
      'changes the primary domain, repeatable at every step',
      async (kind) => {
        const site = kind === 'wp' ? wp : html
        const to = nameOf(`${kind}-new`)
        const aliases = [{ domain: site.domain, mode: 'redirect' }] as const
        const steps = engine.domains.changeSteps(site, to, aliases)
        for (const step of steps) await runSteps([step, step])
        await runSteps(steps)
        expect(await engine.domains.read(site)).toMatchObject({ domain: site.domain, changingTo: to })
        await engine.domains.finishChange(site)
        await engine.domains.finishChange(site)
        expect(await engine.domains.read(site)).toEqual({ domain: to, aliases, changingTo: null })
        expect(await statusOf(as(site, to))).toBe(200)
        expect(await engine.request(site, '/x')).toMatchObject({ status: 301 })
        expect(await engine.domains.findAddresses(as(site, to), site.domain, null)).toMatchObject({
          tables: kind === 'wp' ? expect.arrayContaining([expect.anything()]) : [],
        })
        // Nothing of a finished change is taken back.
        await engine.domains.undoChange(site)
        expect(await engine.domains.read(site)).toMatchObject({ domain: to })
        await runSteps(engine.domains.changeSteps(as(site, to), site.domain, []))
        await engine.domains.finishChange(site)
        expect(await engine.domains.read(site)).toEqual({ domain: site.domain, aliases: [], changingTo: null })
        expect(noSite).toContain(await statusOf(as(site, to)))
        expect(await statusOf(site)).toBe(200)
      },
    )

    needs(under, 'domain_change', 'aliases', ...onDatabase).each(kinds)('takes a change back', async (kind) => {
      const site = kind === 'wp' ? wp : html
      const aliases = [{ domain: testedDomain(`${kind}-kept`), mode: anyMode(kind) }] as const
      await engine.domains.setAliases(site, aliases)
      const before = await engine.domains.findAddresses(site, nameOf('elsewhere'), null)
      const steps = engine.domains.changeSteps(site, nameOf(`${kind}-undone`), [])
      const replaced = steps.findIndex(({ key }) => key === 'replace_urls') + 1
      for (const count of new Set([1, Math.max(1, replaced), steps.length])) {
        await runSteps(steps.slice(0, count))
        await engine.domains.undoChange(site)
        await engine.domains.undoChange(site)
        expect(await engine.domains.read(site)).toEqual({ domain: site.domain, aliases, changingTo: null })
        expect((await engine.domains.findAddresses(site, nameOf('elsewhere'), null)).tables).toEqual(before.tables)
      }
      expect(await statusOf(site)).toBe(200)
      expect(await statusOf(as(site, aliases[0].domain))).toBe(aliases[0].mode === 'serve' ? 200 : 301)
      expect(noSite).toContain(await statusOf(as(site, nameOf(`${kind}-undone`))))
      await engine.domains.setAliases(site, [])
    })
  })
}
