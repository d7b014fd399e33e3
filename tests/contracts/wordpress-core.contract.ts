import { beforeAll, describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { CoreTarget } from '#server/engines/wordpress-core.ts'
import { failureOf } from './engine-failure.ts'
import { needs, type TestedEngine } from './needs.ts'

/** The contract of `Engine.core`, on a running WordPress site and an HTML site. */
export function describeWordPressCore(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  describe('version of WordPress', () => {
    let engine: TestedEngine
    let wp: SiteRef
    let html: SiteRef
    let operations = 0
    const facts = async () => engine.wordpress.inspect(wp)

    async function run(to: CoreTarget, operationId = `core-${(operations += 1)}`): Promise<void> {
      for (const step of engine.core.changeSteps(wp, to))
        await step.run({
          operationId,
          log: () => undefined,
          progress: () => undefined,
          signal: AbortSignal.timeout(300_000),
        })
    }

    beforeAll(() => {
      ;({ engine, wp, html } = under())
    })

    needs(
      under,
      'core_version',
      'wordpress',
    )('says which versions there are, the installed one among them', async () => {
      const { installed, offers } = await engine.core.versions(wp)
      expect(installed).toBe((await facts()).version)
      expect(offers.map(({ version }) => version)).toContain(installed)
    })

    needs(under, 'core_version', 'wordpress')(
      'puts the original files of the installed version back, keeps those before, and rolls back to them',
      async () => {
        const { version } = await facts()
        await run({ version })
        await engine.core.finishChange(wp)
        await engine.core.finishChange(wp)
        expect(await facts()).toMatchObject({ version, broken: null, previous: { version } })
        expect((await engine.request(wp, '/')).status).toBe(200)
        await run({ previous: true, database: false }, 'back')
        await engine.core.finishChange(wp)
        for (const [operation, outcome] of Object.entries({ back: 'finished', other: 'undone' }))
          expect(await engine.core.undoChange(wp, operation)).toBe(outcome)
        expect(await facts()).toMatchObject({ version, broken: null, previous: { version } })
      },
      110_000,
    )

    needs(under, 'core_version', 'wordpress')(
      'takes a change back, and refuses another one meanwhile',
      async () => {
        const { version, previous } = await facts()
        await run({ version }, 'one')
        expect(await failureOf(() => run({ version }, 'two'))).toMatchObject({ code: 'conflict' })
        for (const _time of ['once', 'repeated']) expect(await engine.core.undoChange(wp, 'one')).toBe('undone')
        expect(await facts()).toMatchObject({ version, previous })
        expect((await engine.request(wp, '/')).status).toBe(200)
      },
      110_000,
    )

    needs(
      under,
      'core_version',
      'wordpress',
    )('refuses a version that does not exist, and sites without WordPress', async () => {
      expect(await failureOf(() => run({ version: '1.0' }, 'none'))).toMatchObject({ code: 'invalid' })
      await engine.core.undoChange(wp, 'none')
      expect(await failureOf(() => engine.core.versions(html))).toMatchObject({ code: 'unsupported' })
    })
  })
}
