import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture, type FetchOptions } from '../engine-fixture.ts'

const auth = { user: 'preview', password: 'Abcdefghijklmnopqrstuvw1' }
const basic = (user: string, password: string): FetchOptions => ({
  headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
})
const known = basic(auth.user, auth.password)

describe('settings of local sites, as visitors see them', () => {
  let fixture: EngineFixture
  let wp: SiteSpec
  let html: SiteSpec
  let ahead = 0
  beforeAll(async () => {
    fixture = await startFixture({ clock: () => Date.now() + ahead })
    wp = await fixture.create({ siteType: 'wp' })
    html = await fixture.create({ siteType: 'html' })
    await fixture.writeFile(
      wp,
      'seen.php',
      `<?php echo json_encode([$_SERVER['HTTP_AUTHORIZATION'] ?? null, $_SERVER['PHP_AUTH_USER'] ?? null, $_SERVER['HTTP_COOKIE'] ?? null, $_SERVER['HTTP_X_EASYDASH_MAINTENANCE'] ?? null]);`,
    )
    await fixture.writeFile(wp, 'picture.txt', 'static')
  })
  afterAll(async () => {
    await fixture.end()
  })

  const change: EngineFixture['engine']['settings']['change'] = (site, values) =>
    fixture.engine.settings.change(site, values)
  const statusOf = async (site: SiteSpec, path: string, options: FetchOptions = {}): Promise<number> =>
    (await fixture.fetch(site, path, options)).status
  /** The cookies that a login link sets. */
  const cookiesOf = async (person = wordpressPerson()): Promise<string> => {
    const link = new URL(await fixture.engine.loginLink(wp, person, 30))
    const response = await fixture.fetch(wp, link.pathname + link.search)
    expect(response.headers.location).toMatch(/\/wp-admin\/$/)
    return (response.headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
  }

  it('HTTP authentication asks on every path, also for static files, and lets the right password in', async () => {
    await change(wp, { httpAuth: auth })
    await change(html, { httpAuth: auth })
    for (const path of ['/', '/picture.txt', '/seen.php', '/wp-login.php', '/wp-json/', '/none', '/%2e%2e/', '/%00']) {
      const response = await fixture.fetch(wp, path)
      expect([path, response.status]).toEqual([path, 401])
      expect(response.headers['www-authenticate']).toMatch(/^Basic realm="/)
      expect(response.headers['cache-control']).toBe('no-store')
    }
    expect(await statusOf(html, '/')).toBe(401)
    for (const options of [
      basic('preview', 'wrong'),
      basic('', ''),
      basic('preview', ''),
      basic('', auth.password),
      { headers: { authorization: 'Basic ' } },
      { headers: { authorization: 'Basic %%%' } },
      { headers: { authorization: `Bearer ${auth.password}` } },
      { headers: { authorization: `Basic ${'A'.repeat(12_000)}` } },
      { headers: { cookie: 'easydash_pass=9999999999.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' } },
    ])
      expect(await statusOf(wp, '/picture.txt', options)).toBe(401)
    for (const path of ['/', '/picture.txt', '/wp-login.php']) expect(await statusOf(wp, path, known)).toBe(200)
    expect(await statusOf(html, '/', known)).toBe(200)
    expect(await statusOf(html, '/', { ...known, method: 'HEAD' })).toBe(200)
    expect(JSON.parse((await fixture.fetch(wp, '/seen.php', known)).body)).toEqual([null, null, null, null])
  })

  it('keeps no password, and a login link passes until there is a new one', async () => {
    await change(wp, { httpAuth: auth })
    const stored = await readFile(join(fixture.dataDir, 'local', 'sites', wp.id, 'site.json'), 'utf8')
    expect(stored).not.toContain(auth.password)
    const cookie = await cookiesOf()
    expect(await statusOf(wp, '/wp-admin/', { headers: { cookie } })).toBe(200)
    const [, , seen] = JSON.parse((await fixture.fetch(wp, '/seen.php', { headers: { cookie } })).body) as string[]
    expect(seen).toContain('wordpress_logged_in')
    expect(seen).not.toContain('easydash_pass')
    await change(wp, { httpAuth: { ...auth, password: 'Another-password-of-it' } })
    expect(await statusOf(wp, '/wp-admin/', { headers: { cookie } })).toBe(401)
    expect(await statusOf(wp, '/', known)).toBe(401)
    const fresh = await cookiesOf()
    ahead += 12 * 3_600_000 + 1_000
    expect(await statusOf(wp, '/', { headers: { cookie: fresh } })).toBe(401)
    await change(wp, { httpAuth: null })
    await change(html, { httpAuth: null })
    expect(await statusOf(wp, '/')).toBe(200)
    // Without HTTP authentication the site gets the header: WordPress has passwords of its own for programs.
    const [header] = JSON.parse((await fixture.fetch(wp, '/seen.php', known)).body) as string[]
    expect(header).toMatch(/^Basic /)
  })

  it('maintenance shows visitors a page, and people who work on the site what they do', async () => {
    await change(wp, { maintenance: true })
    await change(html, { maintenance: true })
    for (const [site, path] of [
      [html, '/'],
      [wp, '/'],
      [wp, '/sample-page/'],
      [wp, '/seen.php'],
      [wp, '/xmlrpc.php'],
      [wp, '/wp-json/wp/v2/posts'],
      [wp, '/wp-content/index.php'],
      [wp, '/picture.txt'],
    ] as const) {
      const response = await fixture.fetch(site, path)
      expect([path, response.status]).toEqual([path, 503])
      expect(response.headers['retry-after']).toBe('300')
      expect(response.body).toContain('under maintenance')
    }
    const cookie = await cookiesOf()
    for (const path of ['/', '/sample-page/', '/wp-admin/'])
      expect(await statusOf(wp, path, { headers: { cookie } })).toBe(200)
    // The admin area stays reachable for everyone who has a password, with its styles.
    expect(await statusOf(wp, '/wp-login.php')).toBe(200)
    expect(await statusOf(wp, '/wp-includes/css/buttons.min.css')).toBe(200)
    const forged = { headers: { cookie: 'wordpress_logged_in_x=admin%7C1', 'x-easydash-maintenance': '1' } }
    for (const path of ['/', '/sample-page/', '/seen.php', '/index.php/x']) {
      const response = await fixture.fetch(wp, path, forged)
      expect([path, response.status]).toEqual([path, 503])
      expect(response.body).toContain('under maintenance')
    }
    await change(wp, { maintenance: false })
    await change(html, { maintenance: false })
    expect(await statusOf(wp, '/')).toBe(200)
    expect(JSON.parse((await fixture.fetch(wp, '/seen.php', forged)).body)).toMatchObject([
      null,
      null,
      expect.stringContaining('wordpress_logged_in'),
      null,
    ])
  })

  it('maintenance refuses people who are logged in without any work on the site', async () => {
    await fixture.php(
      wp,
      `require 'wp-load.php'; wp_insert_user(['user_login' => 'reader', 'user_pass' => 'reader-reader', 'role' => 'subscriber']);`,
    )
    const login = await fixture.fetch(wp, '/wp-login.php', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: 'wordpress_test_cookie=WP%20Cookie%20check',
      },
      body: 'log=reader&pwd=reader-reader&testcookie=1',
    })
    const cookie = (login.headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
    expect(cookie).toContain('wordpress_logged_in')
    await change(wp, { maintenance: true })
    expect(await statusOf(wp, '/', { headers: { cookie } })).toBe(503)
    await change(wp, { maintenance: false })
    expect(await statusOf(wp, '/', { headers: { cookie } })).toBe(200)
  })

  const limits = () =>
    fixture.php(
      wp,
      `require 'wp-load.php'; wp_raise_memory_limit('admin'); echo json_encode([ini_get('memory_limit'), ini_get('upload_max_filesize'), ini_get('post_max_size'), wp_max_upload_size(), WP_MAX_MEMORY_LIMIT]);`,
    )

  it('PHP has the limits that were chosen, in the admin area too', async () => {
    expect(JSON.parse(await limits())).toEqual(['256M', '64M', '64M', 64 * 1024 ** 2, '256M'])
    await change(wp, { memoryMb: 128, uploadMb: 8 })
    expect(JSON.parse(await limits())).toEqual(['128M', '8M', '9M', 8 * 1024 ** 2, '128M'])
    await fixture.engine.sleepAll()
    expect(JSON.parse(await limits())).toEqual(['128M', '8M', '9M', 8 * 1024 ** 2, '128M'])
    await change(wp, { memoryMb: 256, uploadMb: 64 })
  })

  const debug = () =>
    fixture.php(
      wp,
      `require 'wp-load.php'; trigger_error('Planted'); echo json_encode([WP_DEBUG, WP_DEBUG_LOG, defined('SCRIPT_DEBUG') && SCRIPT_DEBUG, ini_get('display_errors')]);`,
    )

  it('debug mode writes a log that visitors neither see nor get, and ends by itself', async () => {
    expect(JSON.parse(await debug())).toEqual([false, false, false, '0'])
    await change(wp, { debugUntil: Date.now() + ahead + 3_600_000 })
    expect(JSON.parse(await debug())).toEqual([true, true, true, '0'])
    const log = join(fixture.dataDir, 'local', 'sites', wp.id, 'www', 'wp-content', 'debug.log')
    expect(await readFile(log, 'utf8')).toContain('Planted')
    expect(await statusOf(wp, '/wp-content/debug.log')).toBe(404)
    await fixture.engine.sleepAll()
    expect(JSON.parse(await debug())[0]).toBe(true)
    ahead += 3_601_000
    await fixture.engine.round()
    expect(JSON.parse(await debug())).toEqual([false, false, false, '0'])
    const record = await readFile(join(fixture.dataDir, 'local', 'sites', wp.id, 'site.json'), 'utf8')
    expect(record).not.toContain('debugUntil')
  })

  it('a suspended site answers with a page that says so, and nothing wakes it', async () => {
    await fixture.engine.settings.suspend(wp)
    const response = await fixture.fetch(wp, '/')
    expect([response.status, response.headers['retry-after']]).toEqual([503, '300'])
    expect(response.body).toContain('This site is suspended')
    expect(await statusOf(wp, '/picture.txt')).toBe(503)
    ahead += 3_600_000
    await fixture.engine.round()
    expect(fixture.engine.processes()).toEqual([])
    for (const work of [
      () => fixture.engine.runCron(wp),
      () => fixture.engine.settings.readWordPress(wp),
      () =>
        fixture.engine
          .loginLink(wp, wordpressPerson(), 30)
          .then((link) => fixture.engine.request(wp, new URL(link).pathname)),
    ])
      await work().then(
        (value) => expect(value).toMatchObject({ status: 503 }),
        (error: unknown) => expect(error).toMatchObject({ code: 'conflict' }),
      )
    await fixture.engine.settings.resume(wp)
    expect(await statusOf(wp, '/')).toBe(200)
  })

  it('a site whose code answers nonsense is an error, not trusted', async () => {
    const plugins = join(fixture.dataDir, 'local', 'sites', wp.id, 'www', 'wp-content', 'mu-plugins')
    await fixture.php(wp, `mkdir('wp-content/mu-plugins');`)
    await writeFile(
      join(plugins, 'liar.php'),
      `<?php add_filter('option_blogname', fn() => [1, 2]); add_filter('option_blog_public', fn() => 'x'); add_filter('option_admin_email', fn() => str_repeat('ü', 300000));`,
    )
    const { values } = await fixture.engine.settings.readWordPress(wp)
    expect(values).toMatchObject({ search_engines: 1 })
    expect(values.admin_email.length).toBeLessThanOrEqual(500)
    await writeFile(
      join(plugins, 'liar2.php'),
      `<?php register_shutdown_function(fn() => file_put_contents($_SERVER['EASYDASH_RESULT'] ?? '/tmp/x', json_encode(['settings' => ['values' => ['title' => 1]]])));`,
    )
    await expect(fixture.engine.settings.readWordPress(wp)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
