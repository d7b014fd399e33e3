import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

describe('requests as WordPress elsewhere gets them', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(() => fixture.end())

  it('addresses with bytes that are no UTF-8 are pages of WordPress', async () => {
    await fixture.writeFile(
      site,
      'path.php',
      `<?php echo bin2hex($_SERVER['PATH_INFO'] ?? ''), ' ', $_SERVER['REQUEST_URI'];`,
    )
    for (const path of ['/caf%E9/', '/%ff%fe', '/%e9.jpg', '/%C3%A9%E9/', '/wp-content/uploads/%E9.png']) {
      const { status, body } = await fixture.fetch(site, path)
      expect([status, body.includes('</html>')], path).toEqual([404, true])
    }
    expect((await fixture.fetch(site, '/path.php/caf%E9%2Fx')).body).toBe('2f636166e92f78 /path.php/caf%E9%2Fx')
    expect((await fixture.fetch(site, '/path.php/caf%C3%A9')).body).toBe('2f636166c3a9 /path.php/caf%C3%A9')
    // What is closed stays closed, without WordPress.
    for (const path of ['/.git%E9/config', '/%E9/%2Egit/config', '/wp-config.php%E9', '/wp-content/database/%E9'])
      expect(await fixture.fetch(site, path), path).toMatchObject({ status: 404, body: 'Not found.\n' })
  })

  it('application passwords work, as on every site of a local environment', async () => {
    const made = await fixture.php(
      site,
      `require 'wp-load.php';
      echo wp_get_environment_type(), ' ', json_encode(wp_is_application_passwords_available()), ' ', WP_Application_Passwords::create_new_application_password(1, array('name' => 'app'))[0];`,
    )
    const [type, available, password] = made.split(' ')
    expect([type, available]).toEqual(['local', 'true'])
    const authorization = `Basic ${Buffer.from(`boss:${password}`).toString('base64')}`
    const me = await fixture.fetch(site, '/wp-json/wp/v2/users/me?context=edit', { headers: { authorization } })
    expect([me.status, (JSON.parse(me.body) as { username: string }).username]).toEqual([200, 'boss'])
    expect((await fixture.fetch(site, '/wp-json/wp/v2/users/me')).status).toBe(401)
    // What the site says itself is valid.
    const own = await fixture.php(
      site,
      `define('WP_ENVIRONMENT_TYPE', 'staging'); require 'wp-load.php'; echo wp_get_environment_type();`,
    )
    expect(own).toBe('staging')
  })
})
