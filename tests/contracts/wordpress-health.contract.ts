import { describe, expect } from 'vitest'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { siteProtections } from '#shared/rules/site-protections.ts'
import { needs, type TestedEngine } from './needs.ts'

/** The contract of `Engine.health` and of protections, on a running WordPress site and an HTML site. */
export function describeWordPressHealth(under: () => { engine: TestedEngine; wp: SiteRef; html: SiteRef }): void {
  describe('health of WordPress', () => {
    needs(
      under,
      'wordpress',
      'protections',
    )('finds what a new WordPress allows, and what it is protected from', async () => {
      const { engine, wp } = under()
      const facts = await engine.health.inspect(wp)
      expect(facts).toMatchObject({ errors_shown: false, file_editing: true, uploads_php: true, events_paused: false })
      expect(await engine.settings.change(wp, { protections: [...siteProtections].toReversed() })).toMatchObject({
        protections: siteProtections,
      })
      expect(await engine.health.inspect(wp)).toMatchObject({
        errors_shown: false,
        file_editing: false,
        uploads_php: false,
      })
      expect((await engine.request(wp, '/')).status).toBe(200)
      expect(await engine.settings.change(wp, { protections: [] })).toMatchObject({ protections: [] })
      expect(await engine.health.inspect(wp)).toMatchObject({ file_editing: true, uploads_php: true })
    })

    needs(
      under,
      'wordpress',
      'cron',
    )('finds an administrator named admin, and paused events', async () => {
      const { engine, wp } = under()
      expect(await engine.health.inspect(wp)).toMatchObject({ default_admin: false })
      await engine.wordpress.change(wp, {
        kind: 'add_user',
        login: 'admin',
        email: 'a@example.com',
        role: 'administrator',
      })
      await engine.wordpress.change(wp, { kind: 'pause_events', paused: true })
      expect(await engine.health.inspect(wp)).toMatchObject({
        default_admin: true,
        events_paused: true,
        late_events: null,
      })
      await engine.wordpress.change(wp, { kind: 'rename_user', login: 'admin', to: 'ann' })
      await engine.wordpress.change(wp, { kind: 'pause_events', paused: false })
      expect(await engine.health.inspect(wp)).toMatchObject({ default_admin: false, events_paused: false })
      await engine.wordpress.change(wp, { kind: 'delete_user', login: 'ann', reassign_to: 'boss' })
    })

    needs(under, 'wordpress')('refuses a site without WordPress', async () => {
      const { engine, html } = under()
      await expect(engine.health.inspect(html)).rejects.toMatchObject({ code: 'unsupported' })
    })
  })
}
