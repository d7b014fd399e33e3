import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineStep, SiteSpec } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import type { SiteKind, SiteRef } from '#server/engines/site-ref.ts'
import { failureOf } from './engine-failure.ts'
import { can, needs, testedServer, type TestedEngine } from './needs.ts'

/** What the contract of networks runs on. */
interface NetworksUnderTest {
  readonly engine: TestedEngine
  newSpec(kind: SiteKind, changes?: Partial<SiteSpec>): SiteSpec
  runSteps(steps: readonly EngineStep[]): Promise<unknown>
}

/** The contract of `Engine.networks`, on sites of its own. */
export function describeNetworks(under: () => NetworksUnderTest): void {
  describe('networks', () => {
    let engine: TestedEngine
    let single: SiteSpec
    const made: SiteSpec[] = []
    const runSteps: NetworksUnderTest['runSteps'] = (steps) => under().runSteps(steps)
    const statusOf = async (site: SiteRef, path: string) => (await engine.request(site, path)).status
    const pathsOf = async (site: SiteRef) => (await engine.wordpress.inspect(site)).sites?.rows.map(({ path }) => path)

    beforeAll(async () => {
      engine = under().engine
      single = under().newSpec('wp')
      await runSteps(engine.createSteps(single))
    }, 110_000)
    afterAll(async () => {
      for (const site of [single, ...made]) await engine.destroy(site)
    })

    it.each([
      ['subdir', 'create_multisite'],
      ['subdom', 'multisite_subdomains'],
    ] as const)(
      'makes no network of a kind that it can’t run, and of no other software: %s',
      async (multisite, name) => {
        const html = await failureOf(async () => engine.createSteps(under().newSpec('html', { multisite })))
        expect(html.code).toBe('unsupported')
        const capability = capabilitiesOf(engine, testedServer())[name]
        if (capability.supported) return
        const wp = await failureOf(async () => engine.createSteps(under().newSpec('wp', { multisite })))
        expect(wp).toMatchObject({ code: 'unsupported', message: capability.reason })
      },
    )

    needs(
      under,
      'create_multisite',
      'multisite',
      'wordpress',
    )(
      'creates a network, adds and deletes sites, and renames all of them',
      async () => {
        const site = under().newSpec('wp', { multisite: 'subdir' })
        made.push(site)
        for (const step of engine.createSteps(site)) await runSteps([step, step])
        expect(await engine.networks.isNetwork(site)).toBe(true)
        const { wordpress } = engine
        await wordpress.change(site, { kind: 'add_network_site', path: 'second', title: 'Second' })
        await wordpress.change(site, { kind: 'add_network_site', path: 'third', title: 'Third' })
        for (const path of ['second', 'wp-json'])
          expect(
            (await failureOf(() => wordpress.change(site, { kind: 'add_network_site', path, title: '' }))).code,
          ).toBe('conflict')
        const { multisite, sites } = await wordpress.inspect(site)
        expect(multisite).toBe(true)
        const url = engine.siteUrl(site)
        expect(sites).toMatchObject({
          total: 3,
          subdomains: false,
          rows: [
            { path: '/', url, main: true },
            { path: '/second/', url: `${url}/second`, main: false, title: 'Second', state: 'live' },
            { path: '/third/', url: `${url}/third` },
          ],
        })
        expect(await statusOf(site, '/third/')).toBe(200)
        const plugin = 'hello.php'
        const hello = async () => (await wordpress.plugins(site)).find(({ id }) => id === plugin)
        await wordpress.change(site, { kind: 'activate_plugin', plugin })
        expect(await hello()).toMatchObject({ active: true, network: false })
        const everywhere = { kind: 'activate_plugin', plugin, network: true } as const
        for (const operationId of ['all', 'all']) await wordpress.change(site, everywhere, { operationId })
        expect(await hello()).toMatchObject({ active: true, network: true })
        await wordpress.undo(site, 'all')
        expect(await hello()).toMatchObject({ active: true, network: false })
        await wordpress.change(site, everywhere)
        await wordpress.change(site, { kind: 'deactivate_plugin', plugin })
        expect(await hello()).toMatchObject({ active: false, network: false })
        expect((await failureOf(() => wordpress.change(single, everywhere))).code).toBe('unsupported')

        const supers = async () =>
          (await wordpress.users(site, { search: '', page: 0 })).rows
            .filter(({ super_admin }) => super_admin === true)
            .map(({ login }) => login)
        const setSuper = (of: SiteRef, login: string, enabled: boolean) =>
          wordpress.change(of, { kind: 'set_super_admin', login, enabled })
        const [boss = ''] = await supers()
        await wordpress.change(site, { kind: 'add_user', login: 'nora', email: 'nora@x.example', role: 'editor' })
        expect((await failureOf(() => setSuper(site, boss, false))).code).toBe('conflict')
        for (const enabled of [true, true]) await setSuper(site, 'nora', enabled)
        expect(await supers()).toEqual([boss, 'nora'])
        await setSuper(site, 'nora', false)
        expect(await supers()).toEqual([boss])
        expect((await failureOf(() => setSuper(site, 'nobody', true))).code).toBe('not_found')
        expect((await failureOf(() => setSuper(single, boss, true))).code).toBe('unsupported')

        const [theme] = (await wordpress.inspect(site)).themes.filter(({ active }) => !active)
        const isEnabled = async () => (await wordpress.inspect(site)).themes.find(({ id }) => id === theme?.id)?.network
        for (const enabled of [true, false]) {
          await wordpress.change(site, { kind: 'set_theme_network', theme: theme?.id ?? '', enabled })
          expect(await isEnabled()).toBe(enabled)
        }

        const third = sites?.rows[2]?.id ?? 0
        for (const id of [third, third]) await wordpress.change(site, { kind: 'delete_network_site', id })
        expect(await pathsOf(site)).toEqual(['/', '/second/'])
        expect(await statusOf(site, '/third/')).toBe(404)
        const first = sites?.rows[0]?.id ?? 0
        expect((await failureOf(() => wordpress.change(site, { kind: 'delete_network_site', id: first }))).code).toBe(
          'conflict',
        )
        if (can(engine, 'aliases')) {
          const served = await failureOf(() => engine.domains.setAliases(site, [{ domain: 'served', mode: 'serve' }]))
          expect(served.code).toBe('conflict')
        }
        if (!can(engine, 'domain_change')) return
        await runSteps(engine.domains.changeSteps(site, 'net-new', []))
        await engine.domains.finishChange(site)
        const renamed = { ...site, domain: 'net-new' }
        expect(await statusOf(renamed, '/')).toBe(200)
        expect(await statusOf(renamed, '/second/')).toBe(200)
        const address = engine.siteUrl(renamed)
        expect((await wordpress.inspect(renamed)).sites?.rows.map((row) => row.url)).toEqual([
          address,
          `${address}/second`,
        ])
      },
      110_000,
    )

    needs(
      under,
      'create_multisite',
      'multisite',
      'wordpress',
    )(
      'makes a network of a site, and takes it back',
      async () => {
        const steps = engine.networks.convertSteps(single)
        for (const count of new Set([1, steps.length])) {
          await runSteps(steps.slice(0, count))
          expect(await engine.networks.undoConversion(single)).toBe('undone')
          expect(await engine.networks.undoConversion(single)).toBe('undone')
          expect(await engine.networks.isNetwork(single)).toBe(false)
          expect(await engine.wordpress.inspect(single)).toMatchObject({ multisite: false, sites: null })
          expect(await statusOf(single, '/')).toBe(200)
        }
        // A retry of a job goes on with its last step.
        for (const step of steps.slice(-1)) await runSteps([step, step])
        expect(await engine.networks.isNetwork(single)).toBe(false)
        for (let time = 0; time < 2; time += 1) await engine.networks.finishConversion(single)
        expect(await engine.networks.isNetwork(single)).toBe(true)
        expect(await engine.networks.undoConversion(single)).toBe('finished')
        await runSteps(engine.networks.convertSteps(single))
        expect(await pathsOf(single)).toEqual(['/'])
        expect(await statusOf(single, '/')).toBe(200)
      },
      180_000,
    )

    needs(
      under,
      'create_multisite',
      'multisite',
    )('refuses other software and what it does not have', async () => {
      const html = under().newSpec('html')
      await runSteps(engine.createSteps(html))
      expect((await failureOf(async () => engine.networks.convertSteps(html))).code).toBe('unsupported')
      expect((await failureOf(async () => engine.networks.convertSteps(under().newSpec('wp')))).code).toBe('not_found')
      await engine.destroy(html)
    })
  })
}
