import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAccessLine } from '#shared/rules/access-line.ts'
import { siteProtections } from '#shared/rules/site-protections.ts'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

/** What a site shows that a visitor should not see, as code of the site plants it. */
const planted = `<?php
ini_set( 'display_errors', '1' );
add_action( 'wp_footer', function () { echo $easydash_planted; } );
`

describe('what is wrong with a local WordPress, and what it is protected from', () => {
  let fixture: EngineFixture
  let wp: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    wp = await fixture.create({ siteType: 'wp' })
  })
  afterAll(async () => {
    await fixture.end()
  })

  const protect = (protections: typeof siteProtections | []) => fixture.engine.settings.change(wp, { protections })
  const bodyOf = async (path: string): Promise<string> => (await fixture.fetch(wp, path)).body
  const facts = () => fixture.engine.health.inspect(wp)

  it('errors that code of the site shows are found, and hidden', async () => {
    await fixture.writeFile(wp, 'wp-content/mu-plugins/planted.php', planted)
    expect(await facts()).toMatchObject({ errors_shown: true })
    expect(await bodyOf('/')).toContain('Undefined variable')
    await protect(siteProtections)
    expect(await facts()).toMatchObject({ errors_shown: false })
    expect(await bodyOf('/')).not.toContain('Undefined variable')
    await protect([])
    expect(await bodyOf('/')).toContain('Undefined variable')
    await fixture.php(wp, `unlink('wp-content/mu-plugins/planted.php');`)
  })

  it('PHP files among the uploads run, until that is refused on every path that leads to them', async () => {
    const paths = [
      '/wp-content/uploads/shell.php',
      '/wp-content/uploads/shell.php/',
      '/wp-content/uploads/shell.php/more',
      '/wp-content/uploads/2026/../shell.php',
      '/wp-content/uploads/%73hell.php',
      '/wp-content//uploads/shell.php',
      '/wp-content/uploads/folder/',
      '/wp-content/uploads/folder/index.php',
    ]
    await fixture.php(wp, `mkdir('wp-content/uploads/folder', 0777, true);`)
    for (const path of ['shell.php', 'folder/index.php'])
      await fixture.writeFile(wp, `wp-content/uploads/${path}`, `<?php echo 'planted ' . 'ran';`)
    expect(await bodyOf('/wp-content/uploads/shell.php')).toBe('planted ran')
    expect(await bodyOf('/wp-content/uploads/folder/')).toBe('planted ran')
    await protect(siteProtections)
    for (const path of paths)
      expect([path, await bodyOf(path)]).toEqual([path, expect.not.stringContaining('planted ran')])
    await fixture.writeFile(wp, 'wp-content/uploads/picture.txt', 'a picture')
    expect(await bodyOf('/wp-content/uploads/picture.txt')).toBe('a picture')
    expect((await fixture.fetch(wp, '/')).status).toBe(200)
    await fixture.engine.sleepAll()
    expect(await bodyOf('/wp-content/uploads/shell.php')).not.toContain('planted ran')
    await protect([])
  })

  it('the editors are gone from the admin area, and installing stays possible', async () => {
    const caps = () =>
      fixture.php(
        wp,
        `require 'wp-load.php'; wp_set_current_user(1);
        echo json_encode([current_user_can('edit_themes'), current_user_can('edit_plugins'), current_user_can('install_plugins'), current_user_can('update_core')]);`,
      )
    expect(JSON.parse(await caps())).toEqual([true, true, true, true])
    await protect(siteProtections)
    expect(JSON.parse(await caps())).toEqual([false, false, true, true])
    await protect([])
  })

  it('the access log says how long the site took itself, unless it was started for the request', async () => {
    await fixture.writeFile(wp, 'timed.php', `<?php echo 'timed';`)
    await fixture.writeFile(wp, 'wp-content/uploads/plain.txt', 'no PHP')
    await fixture.engine.sleepAll()
    await Promise.all(['/timed.php?1', '/timed.php?2'].map((path) => bodyOf(path)))
    for (const path of ['/timed.php?3', '/wp-content/uploads/plain.txt']) await bodyOf(path)
    const { lines } = await fixture.engine.logs.read(wp, 'access', { from: 'end' })
    const times = Object.fromEntries(
      lines.flatMap((line) => {
        const read = readAccessLine(line)
        return read ? [[read.target, read.siteMs]] : []
      }),
    )
    expect(times).toMatchObject({
      '/timed.php?1': null,
      '/timed.php?2': null,
      '/timed.php?3': expect.any(Number),
      '/wp-content/uploads/plain.txt': null,
    })
  })

  it('events that are more than 15 minutes late are found', async () => {
    let late: Awaited<ReturnType<typeof facts>>['late_events'] = null
    // The engine's own round may run a planted event before it is seen.
    for (let tries = 0; late === null && tries < 5; tries += 1) {
      await fixture.php(
        wp,
        `require 'wp-load.php'; wp_schedule_single_event(time() - 1000, 'planted_event'); wp_schedule_single_event(time() - 800, 'not_late');`,
      )
      late = (await facts()).late_events
    }
    expect(late).toMatchObject({ hook: 'planted_event' })
    await fixture.engine.runCron(wp)
    expect((await facts()).late_events).toBeNull()
  })
})
