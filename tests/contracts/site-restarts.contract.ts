import { describe, expect, it } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { RestartKind } from '#shared/rules/site-restarts.ts'
import { failureOf } from './engine-failure.ts'
import { can, needs, type TestedEngine } from './needs.ts'

/** What the contract of restarts runs on. */
interface RestartsUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteRef
  readonly html: SiteRef
  newSpec(kind: 'html'): SiteRef
}

const how = (kind: RestartKind, operationId: string) => ({
  ...{ kind, operationId, log: () => undefined },
  signal: AbortSignal.timeout(300_000),
})

/** The contract of `Engine.restart`. */
export function describeRestarts(under: () => RestartsUnderTest): void {
  describe('restarts', () => {
    needs(under, 'restart')('restarts what serves a site, and can be called again', async () => {
      const { engine, wp, html, newSpec } = under()
      for (const site of [wp, wp, html]) {
        await engine.restart(site, how('restart', `of-${site.id}`))
        expect((await engine.request(site, '/')).status).toBe(200)
      }
      expect((await failureOf(() => engine.restart(newSpec('html'), how('restart', 'of-none')))).code).toBe('not_found')
    })

    it('refuses containers where there are none', async () => {
      const { engine, wp } = under()
      if (can(engine, 'containers') || !can(engine, 'restart')) return
      for (const kind of ['reload', 'rebuild'] as const)
        expect((await failureOf(() => engine.restart(wp, how(kind, `no-${kind}`)))).code).toBe('unsupported')
    })

    needs(under, 'containers')('has a configuration read again, and makes containers anew', async () => {
      const { engine, wp } = under()
      for (const kind of ['reload', 'rebuild'] as const) {
        await engine.restart(wp, how(kind, `${kind}-of-${wp.id}`))
        expect((await engine.request(wp, '/')).status).toBe(200)
      }
    })
  })
}
