import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { nobodyStays } from '#server/engines/wordpress-person.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'

let fixture: EngineFixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.end())

const run = async (steps: readonly EngineStep[]): Promise<void> => {
  for (const step of steps)
    await step.run({
      operationId: 'test',
      log: () => undefined,
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
}

const config = (site: SiteRef) =>
  readFile(join(fixture.dataDir, 'local', 'sites', site.id, 'www', 'wp-config.php'), 'utf8')

describe('a site that is created as a network', () => {
  let site: SiteSpec
  beforeAll(async () => {
    site = await fixture.create({ siteType: 'wp', multisite: 'subdir' })
    await fixture.engine.wordpress.change(site, { kind: 'add_network_site', path: 'second', title: 'Second' })
  })

  it('serves both sites with their own files below each', async () => {
    const { sites, counts } = await fixture.engine.wordpress.inspect(site)
    // Each begins with a post, a comment and a page, the first one with a second page; users are those of the network.
    expect(counts).toMatchObject({ post: 2, page: 3, comment: 2, user: 1 })
    const address = fixture.engine.siteUrl(site)
    expect(sites).toMatchObject({
      total: 2,
      rows: [
        { id: 1, path: '/', url: address, main: true },
        { id: 2, path: '/second/', url: `${address}/second`, main: false, title: 'Second' },
      ],
    })
    expect(await titleOf(site, '/')).toBe(site.title)
    expect(await titleOf(site, '/second/')).toBe('Second')
    expect(await fixture.fetch(site, '/second/wp-admin')).toMatchObject({
      status: 301,
      headers: { location: '/second/wp-admin/' },
    })
    const admin = await fixture.fetch(site, '/second/wp-admin/')
    expect(admin.headers.location).toMatch(new RegExp(`^${address}/second/wp-login\\.php\\?`))
    expect(await titleOf(site, '/second/wp-login.php')).toMatch(/^Log In .* Second /)
    const style = await fixture.fetch(site, '/second/wp-includes/css/dashicons.min.css')
    expect([style.status, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8'])
    expect(await titleOf(site, '/second/sample-page/')).toBe('Sample Page – Second')
    expect((await fixture.fetch(site, '/second/wp-json/')).body).toContain('"name":"Second"')
    expect(await fixture.errors(site)).toEqual([])
  })

  it('keeps closed below each site what is closed', async () => {
    await fixture.writeFile(site, 'wp-content/debug.log', 'secret')
    await fixture.php(site, `mkdir('/wordpress/wp-content/uploads');`)
    await fixture.writeFile(site, 'wp-content/uploads/run.php', '<?php echo "secret";')
    await fixture.engine.settings.change(site, { protections: ['no_uploads_php'] })
    for (const path of [
      'wp-content/database/.ht.sqlite',
      'wp-content/debug.log',
      'wp-content/uploads/run.php',
      'wp-content/database/',
    ])
      for (const start of ['/', '/second/']) {
        const { status, body } = await fixture.fetch(site, start + path)
        expect([path, start, status, body.includes('secret')]).toEqual([path, start, 404, false])
      }
    await fixture.engine.settings.change(site, { protections: [] })
  })

  it('runs the due events of each of its sites', async () => {
    const due = (path: string) =>
      fixture.php(
        site,
        `$_SERVER['REQUEST_URI'] = '${path}'; require '/wordpress/wp-load.php';
        wp_schedule_single_event( time() - 5, 'wp_privacy_delete_old_export_files', array( 'due' ) ); echo get_current_blog_id();`,
      )
    await fixture.engine.runCron(site)
    expect(await due('/second/')).toBe('2')
    expect(await fixture.engine.runCron(site)).toBe(1)
    expect(await fixture.engine.runCron(site)).toBe(0)
  })

  it('refuses paths that are taken, and to delete its first site', async () => {
    const { wordpress } = fixture.engine
    for (const path of ['second', 'wp-json', 'wp-content', 'sample-page'])
      await expect(wordpress.change(site, { kind: 'add_network_site', path, title: 'X' })).rejects.toMatchObject({
        code: 'conflict',
      })
    await expect(wordpress.change(site, { kind: 'delete_network_site', id: 1 })).rejects.toMatchObject({
      code: 'conflict',
    })
    await wordpress.change(site, { kind: 'add_network_site', path: 'third', title: 'Third' })
    const third = (await wordpress.inspect(site)).sites?.rows.find(({ path }) => path === '/third/')
    expect(await titleOf(site, '/third/')).toBe('Third')
    await wordpress.change(site, { kind: 'delete_network_site', id: third?.id ?? 0 })
    await wordpress.change(site, { kind: 'delete_network_site', id: third?.id ?? 0 })
    expect((await fixture.fetch(site, '/third/')).status).toBe(404)
    expect((await wordpress.inspect(site)).sites?.total).toBe(2)
  })

  it('signs administrators in to the whole network, and removes their users from all of its sites', async () => {
    const { engine } = fixture
    const person = { ...wordpressPerson('1'), role: 'administrator' } as const
    const link = new URL(await engine.loginLink(site, person, 30, 'network'))
    const { headers } = await fixture.fetch(site, link.pathname + link.search)
    expect(headers.location).toBe(`${engine.siteUrl(site)}/wp-admin/network/`)
    const cookie = (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
    const network = await fixture.fetch(site, '/wp-admin/network/sites.php', { headers: { cookie } })
    expect([network.status, network.body.includes('/second/')]).toEqual([200, true])
    expect((await fixture.fetch(site, '/second/wp-admin/', { headers: { cookie } })).status).toBe(200)
    const deletion = { kind: 'delete_user', login: 'boss', reassign_to: '1' } as const
    await engine.syncUsers(site, nobodyStays('boss'))
    await expect(engine.wordpress.change(site, deletion)).rejects.toMatchObject({ code: 'conflict' })
    const left = await engine.wordpress.users(site, { search: '', page: 0 })
    expect(left.rows.map(({ login }) => login)).toEqual(['boss'])
    expect((await fixture.fetch(site, '/wp-admin/network/', { headers: { cookie } })).status).toBe(302)
  })

  it('keeps a renamed administrator the super admin', async () => {
    const { engine } = fixture
    const supers = () => fixture.php(site, `require 'wp-load.php'; echo implode(',', get_super_admins());`)
    expect(await supers()).toBe('boss')
    await engine.wordpress.change(site, { kind: 'rename_user', login: 'boss', to: 'chief' })
    expect(await supers()).toBe('chief')
    await engine.wordpress.change(site, { kind: 'rename_user', login: 'chief', to: 'boss' })
    expect(await supers()).toBe('boss')
  })

  it('runs no due event of any of its sites while they are paused, whoever requests them', async () => {
    const pause = (paused: boolean) => fixture.engine.wordpress.change(site, { kind: 'pause_events', paused })
    const visitAll = async () => {
      for (const path of ['/wp-cron.php', '/second/wp-cron.php'])
        expect((await fixture.fetch(site, path)).status).toBe(200)
    }
    const ran = () => fixture.php(site, "echo (string) @file_get_contents(__DIR__ . '/ran.txt');")
    await fixture.writeFile(
      site,
      'wp-content/mu-plugins/due.php',
      `<?php add_action('due', function () { file_put_contents(ABSPATH . 'ran.txt', get_current_blog_id(), FILE_APPEND); });`,
    )
    await pause(true)
    await fixture.php(
      site,
      `require 'wp-load.php';
      foreach (array(1, 2) as $id) { switch_to_blog($id); wp_schedule_single_event(time() - 60, 'due'); restore_current_blog(); }`,
    )
    await visitAll()
    expect(await ran()).toBe('')
    await pause(false)
    await visitAll()
    expect([...(await ran())].toSorted()).toEqual(['1', '2'])
  })

  it('changes its domain for all of its sites, and takes the change back', async () => {
    const { domains } = fixture.engine
    await run(domains.changeSteps(site, 'renamed', []).slice(0, -1))
    await domains.undoChange(site)
    expect(await titleOf(site, '/second/')).toBe('Second')
    await run(domains.changeSteps(site, 'renamed', [{ domain: site.domain, mode: 'redirect' }]))
    await domains.finishChange(site)
    const renamed = { ...site, domain: 'renamed' }
    expect(await titleOf(renamed, '/')).toBe(site.title)
    expect(await titleOf(renamed, '/second/')).toBe('Second')
    const address = fixture.engine.siteUrl(renamed)
    expect((await fixture.engine.wordpress.inspect(renamed)).sites?.rows.map(({ url }) => url)).toEqual([
      address,
      `${address}/second`,
    ])
    expect((await fixture.fetch(renamed, '/second/')).body).not.toContain(`//${site.domain}.localhost`)
    expect((await fixture.fetch(site, '/second/x')).headers.location).toBe(`${address}/second/x`)
    await run(domains.changeSteps(renamed, site.domain, []))
    await domains.finishChange(renamed)
    expect(await titleOf(site, '/second/')).toBe('Second')
  })

  it('answers under one name', async () => {
    const { domains } = fixture.engine
    const served = [{ domain: 'also', mode: 'serve' }] as const
    await expect(domains.setAliases(site, served)).rejects.toMatchObject({ code: 'conflict' })
    expect(() => domains.changeSteps(site, 'other', served)).toThrow('primary domain only')
  })

  it('is copied with all of its sites', async () => {
    const target = { ...site, id: 'networkcop', domain: 'network-copy', title: 'Copy', adminUser: 'boss' }
    await run(fixture.engine.copies.cloneSteps(site, target))
    expect(await titleOf(target, '/')).toBe('Copy')
    expect(await titleOf(target, '/second/')).toBe('Second')
    expect((await fixture.fetch(target, '/second/')).body).not.toContain(`//${site.domain}.localhost`)
    expect(await config(target)).toContain(`define( 'DOMAIN_CURRENT_SITE', 'network-copy.localhost:${fixture.port}' );`)
    expect((await config(target)).match(/AUTH_KEY.*/)?.[0]).not.toBe((await config(site)).match(/AUTH_KEY.*/)?.[0])
    expect(await titleOf(site, '/second/')).toBe('Second')
    await fixture.engine.destroy(target)
  })

  it('is exported as a network, which is not imported as a single site', async () => {
    const { exports, imports } = fixture.engine
    await run(exports.exportSteps(site))
    const path = join(fixture.dataDir, 'network.zip')
    await pipeline((await exports.open(site)).open(), createWriteStream(path))
    await expect(imports.take('a'.repeat(32), path)).rejects.toThrow('multisite')
  })

  it('gets its new address from the archive when Easydash has another port', async () => {
    await run(fixture.engine.archiveSteps(site))
    await fixture.engine.stop()
    const old = fixture
    fixture = await startFixture({ dataDir: old.dataDir })
    expect(fixture.port).not.toBe(old.port)
    await run(fixture.engine.restoreArchiveSteps(site))
    const address = fixture.engine.siteUrl(site)
    expect((await fixture.engine.wordpress.inspect(site)).sites?.rows.map(({ url }) => url)).toEqual([
      address,
      `${address}/second`,
    ])
    expect(await titleOf(site, '/second/')).toBe('Second')
    expect((await fixture.fetch(site, '/second/')).body).not.toContain(`:${old.port}`)

    await fixture.engine.stop()
    fixture = await startFixture({ dataDir: old.dataDir, sitesUrlPattern: 'https://{slug}.localhost' })
    const secure = `https://${site.domain}.localhost`
    expect((await fixture.engine.wordpress.inspect(site)).sites?.rows.map(({ url }) => url)).toEqual([
      secure,
      `${secure}/second`,
    ])
    expect(await titleOf(site, '/second/')).toBe('Second')
    await fixture.engine.stop()
    fixture = await startFixture({ dataDir: old.dataDir })
  })
})

describe('a site that becomes a network', () => {
  let site: SiteSpec
  beforeAll(async () => {
    site = await fixture.create({ siteType: 'wp' })
    await fixture.php(
      site,
      `file_put_contents('/wordpress/wp-content/mu-plugins/own.php', '<?php add_action("wp_footer", function () { echo "own code"; });');`,
    )
  })

  it('keeps its addresses, content and code, and can be opened below and beside', async () => {
    const before = (await fixture.fetch(site, '/hello-world/')).body
    await run(fixture.engine.networks.convertSteps(site))
    expect((await fixture.fetch(site, '/')).status).toBe(503)
    expect(await fixture.engine.networks.isNetwork(site)).toBe(false)
    await fixture.engine.networks.finishConversion(site)
    expect(await fixture.engine.networks.isNetwork(site)).toBe(true)
    const after = (await fixture.fetch(site, '/hello-world/')).body
    expect(await fixture.php(site, `require '/wordpress/wp-load.php'; echo wp_max_upload_size() / MB_IN_BYTES;`)).toBe(
      '64',
    )
    expect(before).toContain('own code')
    expect(after).toContain('own code')
    expect(/<main.*<\/main>/s.exec(after)?.[0]).toBe(/<main.*<\/main>/s.exec(before)?.[0])
    await fixture.engine.wordpress.change(site, { kind: 'add_network_site', path: 'shop', title: 'Shop' })
    expect(await titleOf(site, '/shop/')).toBe('Shop')
    // Nothing happens to a network.
    await run(fixture.engine.networks.convertSteps(site))
    expect(await fixture.engine.networks.undoConversion(site)).toBe('finished')
    expect(await titleOf(site, '/shop/')).toBe('Shop')
  })
})

describe('a change to a network that is taken back', () => {
  it('leaves the site as it was, whatever step it reached', async () => {
    const site = await fixture.create({ siteType: 'wp' })
    const before = await config(site)
    const steps = fixture.engine.networks.convertSteps(site)
    for (const count of [2, 4]) {
      await run(steps.slice(0, count))
      expect(await fixture.engine.networks.undoConversion(site)).toBe('undone')
      expect(await config(site)).toBe(before)
      expect(await titleOf(site, '/')).toBe(site.title)
    }
    expect((await fixture.engine.wordpress.inspect(site)).sites).toBeNull()
    const tables = await fixture.php(
      site,
      `require '/wordpress/wp-load.php'; echo implode(',', $wpdb->get_col("SHOW TABLES LIKE 'wp_blogs'"));`,
    )
    expect(tables).toBe('')
    await fixture.engine.destroy(site)
  })

  it('is refused with the reason', async () => {
    const site = await fixture.create({ siteType: 'wp' })
    await fixture.engine.domains.setAliases(site, [{ domain: 'served', mode: 'serve' }])
    const convert = () => run(fixture.engine.networks.convertSteps(site))
    await expect(convert()).rejects.toMatchObject({ code: 'conflict' })
    await fixture.engine.domains.setAliases(site, [])
    const text = await config(site)
    await fixture.writeFile(
      site,
      'wp-config.php',
      text.replace(/require_once.*wp-settings.*/, "$x = 'wp-settings'; require_once ABSPATH . $x . '.php';"),
    )
    await fixture.engine.sleepAll()
    await expect(convert()).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('wp-config.php') as string,
    })
    await fixture.engine.networks.undoConversion(site)
    expect(await titleOf(site, '/')).toBe(site.title)
    const html = await fixture.create({ siteType: 'html' })
    expect(() => fixture.engine.networks.convertSteps(html)).toThrow('WordPress')
  })
})

/** The title of a page. */
async function titleOf(site: SiteRef, path: string): Promise<string> {
  const { status, body } = await fixture.fetch(site, path)
  expect([path, status]).toEqual([path, 200])
  return decode(/<title>(.*?)<\/title>/.exec(body)?.[1] ?? '')
}

const decode = (text: string) => text.replaceAll('&#8211;', '–').replaceAll('&lsaquo;', '‹').replaceAll('&#8212;', '—')
