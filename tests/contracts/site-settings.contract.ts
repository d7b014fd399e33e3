import { describe, expect, it } from 'vitest'
import { EngineError, type SiteSpec } from '#server/engines/engine.ts'
import { hasFacets } from '#server/engines/facets.ts'
import { defaultPhpLimits, uploadLimitsOf } from '#shared/rules/php-limits.ts'
import { can, needs, type GatedCapability, type TestedEngine } from './needs.ts'

const httpAuth = { user: 'preview', password: 'Abcdefghijklmnopqrstuvw1' }

/** The engine, and two sites of it that are ready. */
interface SettingsUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteSpec
  readonly html: SiteSpec
  /** A site that it does not have. */
  readonly unknown: SiteSpec
  /** The engine's clock, in milliseconds since 1970. */
  now(): number
  /** Advances it by the given seconds. */
  pass(seconds: number): void | Promise<void>
}

/** What every engine does with the settings of a site. */
export function describeSettings(name: string, sites: () => SettingsUnderTest): void {
  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(EngineError)
    return (error as EngineError).code
  }

  describe(`settings: ${name}`, () => {
    it('has the defaults until something is changed', async (context) => {
      const { engine, wp } = sites()
      if (!hasFacets(engine, 'settings')) context.skip('It has no settings.')
      expect(await engine.settings.read(wp)).toEqual({
        memoryMb: 256,
        uploadMb: defaultPhpLimits(engine.name).uploadMb,
        debugUntil: null,
        maintenance: false,
        httpAuthUser: null,
        previewUntil: null,
        protections: [],
        suspended: false,
      })
    })

    needs(sites, 'php_limits')('changes PHP limits to offered values and keeps answering', async () => {
      const { engine, wp } = sites()
      expect(await engine.settings.change(wp, { memoryMb: 128, uploadMb: 8 })).toMatchObject({
        memoryMb: 128,
        uploadMb: 8,
      })
      expect(await engine.settings.change(wp, { memoryMb: 128, uploadMb: 8 })).toMatchObject({ memoryMb: 128 })
      expect((await engine.request(wp, '/')).status).toBe(200)
      for (const change of [
        { memoryMb: 100 },
        { memoryMb: -1 },
        { uploadMb: 65 },
        { uploadMb: 128 },
        { uploadMb: Number.NaN },
      ])
        expect(await codeOf(engine.settings.change(wp, change))).toBe('invalid')
      expect(await engine.settings.read(wp)).toMatchObject({ memoryMb: 128, uploadMb: 8 })
      const largest = Number(uploadLimitsOf(engine.name).at(-1))
      expect(await engine.settings.change(wp, { uploadMb: largest })).toMatchObject({
        memoryMb: 128,
        uploadMb: largest,
      })
      expect(await engine.settings.change(wp, { memoryMb: 64 })).toMatchObject({ memoryMb: 64, uploadMb: largest })
    })

    needs(sites, 'debug_mode')('ends debug mode at its time, and refuses one without an end', async () => {
      const { engine, wp, pass, now } = sites()
      const debugUntil = now() + 3_600_000
      expect(await engine.settings.change(wp, { debugUntil })).toMatchObject({ debugUntil })
      expect((await engine.request(wp, '/')).status).toBe(200)
      await pass(3_601)
      expect(await engine.settings.read(wp)).toMatchObject({ debugUntil: null })
      expect((await engine.request(wp, '/')).status).toBe(200)
      expect(await codeOf(engine.settings.change(wp, { debugUntil: now() + 8 * 86_400_000 }))).toBe('invalid')
      await engine.settings.change(wp, { debugUntil: now() + 3_600_000 })
      expect(await engine.settings.change(wp, { debugUntil: null })).toMatchObject({ debugUntil: null })
    })

    const barriers: readonly GatedCapability[][] = [['maintenance'], ['http_auth'], ['maintenance', 'http_auth']]
    for (const names of barriers)
      needs(sites, ...names)(`lets our own requests pass ${names.join(' and ')}`, async () => {
        const { engine, wp, html } = sites()
        const [maintains, authenticates] = [names.includes('maintenance'), names.includes('http_auth')]
        for (const site of [wp, html])
          for (const on of [true, false]) {
            const change = {
              ...(maintains ? { maintenance: on } : {}),
              ...(authenticates ? { httpAuth: on ? httpAuth : null } : {}),
            }
            expect(await engine.settings.change(site, change)).toMatchObject({
              maintenance: on && maintains,
              httpAuthUser: on && authenticates ? 'preview' : null,
            })
            expect((await engine.request(site, '/')).status).toBe(200)
          }
      })

    needs(sites, 'preview_link')('has one preview link with an end', async () => {
      const { engine, wp, html, unknown, now, pass } = sites()
      for (const site of [wp, html]) {
        const until = now() + 3_600_000
        const { url, settings } = await engine.settings.createPreview(site, until)
        expect(new URL(url).host).toBe(new URL(engine.siteUrl(site)).host)
        expect(settings.previewUntil).toBe(until)
        // Other settings keep it.
        if (can(engine, 'maintenance'))
          expect(await engine.settings.change(site, { maintenance: false })).toMatchObject({ previewUntil: until })
        expect((await engine.settings.createPreview(site, until + 1000)).url).not.toBe(url)
        expect(await engine.settings.endPreview(site)).toMatchObject({ previewUntil: null })
        await engine.settings.createPreview(site, now() + 60_000)
        await pass(61)
        expect(await engine.settings.read(site)).toMatchObject({ previewUntil: null })
        for (const wrong of [now(), now() + 31 * 86_400_000, Number.NaN])
          expect(await codeOf(engine.settings.createPreview(site, wrong))).toBe('invalid')
      }
      expect(await codeOf(engine.settings.createPreview(unknown, now() + 1000))).toBe('not_found')
    })

    needs(sites, 'suspend')('suspends and resumes', async () => {
      const { engine, wp, html } = sites()
      for (const site of [wp, html]) {
        await engine.settings.suspend(site)
        await engine.settings.suspend(site)
        expect(await engine.settings.read(site)).toMatchObject({ suspended: true })
        expect((await engine.request(site, '/')).status).toBe(503)
        await engine.settings.resume(site)
        await engine.settings.resume(site)
        expect((await engine.request(site, '/')).status).toBe(200)
      }
    })

    needs(sites, 'wordpress_settings')('reads and changes settings of WordPress', async () => {
      const { engine, wp, html } = sites()
      const before = await engine.settings.readWordPress(wp)
      expect(before.values).toMatchObject({ title: wp.title, timezone: 'UTC', language: 'en_US', search_engines: 1 })
      expect(before.timezones).toContain('Europe/Berlin')
      expect(before.languages).toContain('en_US')
      const changes = {
        title: `A & B "quoted" <i> \\ ü`,
        tagline: '',
        timezone: 'Europe/Berlin',
        search_engines: 0,
        permalinks: '/archives/%post_id%',
        admin_email: 'new@example.com',
        start_page: before.pages[0]?.id ?? '',
      } as const
      const saved = await engine.settings.changeWordPress(wp, changes, { expected: before.values })
      expect(saved).toMatchObject({ conflicts: [], refused: [] })
      expect(saved.settings.values).toMatchObject(changes)
      expect((await engine.settings.readWordPress(wp)).values).toEqual(saved.settings.values)
      expect((await engine.request(wp, '/')).body).toContain('A &')
      // The undo of the toast.
      const undone = await engine.settings.changeWordPress(wp, before.values, { expected: saved.settings.values })
      expect(undone).toMatchObject({ conflicts: [], refused: [] })
      expect(undone.settings.values).toEqual(before.values)
      expect(await codeOf(engine.settings.readWordPress(html))).toBe('conflict')
    })

    needs(sites, 'wordpress_settings')('says which translations there are, and refuses what is none', async () => {
      const { engine, wp, html } = sites()
      const { reached, languages } = await engine.languages.offered(wp)
      expect(languages.length > 0).toBe(reached)
      expect(await codeOf(engine.languages.offered(html))).toBe('unsupported')
      expect(await codeOf(engine.languages.install(wp, 'xx_XX'))).toBe(reached ? 'not_found' : 'unavailable')
      expect((await engine.settings.readWordPress(wp)).languages).not.toContain('xx_XX')
    })

    needs(sites, 'wordpress_settings')(
      'saves nothing over a value that somebody else changed, and names it',
      async () => {
        const { engine, wp } = sites()
        const { values } = await engine.settings.readWordPress(wp)
        const result = await engine.settings.changeWordPress(
          wp,
          { title: 'Mine', tagline: 'Mine' },
          { expected: { title: values.title, tagline: 'Not what it is' } },
        )
        expect(result).toMatchObject({ conflicts: ['tagline'], refused: [] })
        expect(result.settings.values).toEqual(values)
        expect((await engine.settings.readWordPress(wp)).values).toEqual(values)
      },
    )

    needs(sites, 'wordpress_settings')('puts settings of WordPress back as they were before an operation', async () => {
      const { engine, wp } = sites()
      const { values } = await engine.settings.readWordPress(wp)
      const changes = { title: 'Other', timezone: 'Europe/Berlin', permalinks: '', search_engines: 0 } as const
      await engine.settings.changeWordPress(wp, changes, { expected: values, operationId: 'op-one' })
      await engine.settings.undoWordPress(wp, 'op-other')
      expect((await engine.settings.readWordPress(wp)).values).toMatchObject(changes)
      await engine.settings.undoWordPress(wp, 'op-one')
      await engine.settings.undoWordPress(wp, 'op-one')
      expect((await engine.settings.readWordPress(wp)).values).toEqual(values)
    })

    needs(sites, 'wordpress_settings')('says which values a site did not take', async () => {
      const { engine, wp } = sites()
      const { values } = await engine.settings.readWordPress(wp)
      const result = await engine.settings.changeWordPress(wp, { language: 'xx' }, { expected: values })
      expect(result).toMatchObject({ conflicts: [], refused: ['language'] })
    })

    it('says not_found about unknown sites', async () => {
      const { engine, unknown } = sites()
      const { settings } = engine
      if (hasFacets(engine, 'settings')) expect(await codeOf(settings.read(unknown))).toBe('not_found')
      const refusing = [
        ['maintenance', () => settings.change(unknown, { maintenance: true })],
        ['suspend', () => settings.suspend(unknown)],
        ['suspend', () => settings.resume(unknown)],
        ['wordpress_settings', () => settings.readWordPress(unknown)],
        ['wordpress_settings', () => settings.changeWordPress(unknown, {}, { expected: {} })],
      ] as const
      for (const [name, work] of refusing) if (can(engine, name)) expect(await codeOf(work())).toBe('not_found')
    })
  })
}
