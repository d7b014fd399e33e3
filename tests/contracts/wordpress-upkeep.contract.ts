import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import { needs, type TestedEngine } from './needs.ts'

/** What the contract of upkeep runs on: a running WordPress site. */
interface UpkeepUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteSpec
  scheduleDue(site: SiteSpec, hook: string): Promise<void>
}

/** What clearing the cache and pausing scheduled events do to a site, beyond being accepted. */
export function describeUpkeep(under: () => UpkeepUnderTest): void {
  describe('upkeep of WordPress', () => {
    needs(
      under,
      'wordpress',
      'files',
    )('clears the pages that plugins keep, and nothing beside them', async () => {
      const { engine, wp } = under()
      const folder = await mkdtemp(join(tmpdir(), 'kept-page-'))
      try {
        const source = join(folder, 'page')
        await writeFile(source, 'kept')
        for (const path of ['cache/pages/home.html', 'uploads/kept.txt'])
          await engine.files.put(wp, `wp-content/${path}`, source, false)
      } finally {
        await rm(folder, { recursive: true })
      }
      const keptPages = async () => (await engine.files.list(wp, 'wp-content/cache')).entries.map(({ name }) => name)
      expect(await keptPages()).toContain('pages')
      for (const _time of ['once', 'repeated']) await engine.wordpress.change(wp, { kind: 'flush_cache' })
      expect(await keptPages()).not.toContain('pages')
      expect(await engine.files.read(wp, 'wp-content/uploads/kept.txt')).toMatchObject({ content: 'kept' })
      expect((await engine.request(wp, '/')).status).toBe(200)
      await engine.files.remove(wp, ['wp-content/uploads/kept.txt'])
    })

    needs(
      under,
      'wordpress',
      'cron',
    )('runs no due event while they are paused, and runs it afterward', async () => {
      const { engine, wp, scheduleDue } = under()
      const hook = 'contract_due'
      const isWaiting = async () =>
        (await engine.wordpress.inspect(wp)).events.rows.some((event) => event.hook === hook)
      const pause = (paused: boolean) => engine.wordpress.change(wp, { kind: 'pause_events', paused })
      await pause(true)
      await scheduleDue(wp, hook)
      expect(await engine.runCron(wp)).toBe(0)
      // Visitors have due events run, too.
      for (const path of ['/', '/wp-cron.php?doing_wp_cron']) await engine.request(wp, path)
      expect(await isWaiting()).toBe(true)
      await pause(false)
      await engine.runCron(wp)
      expect(await isWaiting()).toBe(false)
    })
  })
}
