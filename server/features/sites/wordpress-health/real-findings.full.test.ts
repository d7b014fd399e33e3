import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestReleases, type TestReleases } from '#server/engines/local/wordpress-core/releases-fixture.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import type { Finding, FindingKind, SiteFindings } from '#shared/responses/site-findings.ts'
import { isOldPhp } from '#shared/rules/php-support.ts'
import { openLocalSites, type LocalSites } from '#tests/support/local-sites.ts'
import { siteRef } from '../engine-of.ts'

/** Each finding on a real WordPress: planted, seen, repaired by what its button calls, and gone. */

let releases: TestReleases
let t: LocalSites
beforeAll(async () => {
  releases = await startTestReleases()
  t = await openLocalSites({ wordpressOrgUrl: releases.url, cacheDir: releases.cacheDir })
})
afterAll(async () => {
  await t?.close()
  await releases?.close()
})

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(t.www, path)), { recursive: true })
  await writeFile(join(t.www, path), content)
}
const remove = (path: string) => rm(join(t.www, path), { recursive: true, force: true })
const ref = async () => siteRef(await t.siteNow(), thisMachine)
const wp = async (code: string) => t.fixture.php(await ref(), `require 'wp-load.php'; ${code}`)
const visit = async (path: string) => t.fixture.fetch(t.site, path)

/** The finding as the card gets it; undefined: not found. */
async function find(kind: FindingKind): Promise<Finding | undefined> {
  const { findings } = (await t.act('check_wordpress_health')) as unknown as SiteFindings
  return findings.find((one) => one.kind === kind)
}
const done = async (action: string, args: Record<string, unknown> = {}) =>
  expect(await t.job(action, args), action).toMatchObject({ status: 'Done', error_message: null })

test.each([
  ['errors_shown', 'hide_errors'],
  ['uploads_php', 'no_uploads_php'],
  ['file_editing', 'no_file_editing'],
] as const)('%s', async (kind, protection) => {
  if (kind === 'errors_shown') await put('wp-content/mu-plugins/shown.php', `<?php ini_set( 'display_errors', '1' );`)
  expect(await find(kind)).toMatchObject({ count: null })
  await done('set_protection', { protection, enabled: 1 })
  expect(await find(kind)).toBeUndefined()
  await remove('wp-content/mu-plugins/shown.php')
})

test('default_admin', async () => {
  await t.act('add_wordpress_user', { login: 'admin', email: 'a@acme.example', role: 'administrator' })
  expect(await find('default_admin')).toBeDefined()
  await t.act('rename_wordpress_user', { login: 'admin', new_login: 'ann' })
  expect(await find('default_admin')).toBeUndefined()
  expect(await t.act('wordpress_users', { search: 'ann' })).toMatchObject({ rows: [{ roles: ['administrator'] }] })
})

test('late_events', async () => {
  await wp(`wp_schedule_single_event( time() - 1000, 'planted_event' );`)
  expect(await find('late_events')).toMatchObject({ detail: expect.stringMatching(/\S/) })
  await t.act('run_due_events')
  expect(await find('late_events')).toBeUndefined()
})

test('events_paused', async () => {
  await t.act('pause_scheduled_events', { paused: 1 })
  expect(await find('events_paused')).toBeDefined()
  await t.act('pause_scheduled_events', { paused: 0 })
  expect(await find('events_paused')).toBeUndefined()
})

test('php_errors', async () => {
  await put('fatal.php', '<?php planted_and_missing();')
  await visit('/fatal.php')
  await visit('/fatal.php')
  expect(await find('php_errors')).toMatchObject({
    count: 2,
    detail: expect.stringContaining('planted_and_missing'),
    at_least: false,
  })
  await remove('fatal.php')
  await t.act('clear_log', { log: 'php' })
  expect(await find('php_errors')).toBeUndefined()
})

test('broken', async () => {
  const code = '/* Plugin Name: Planted */'
  await put('wp-content/plugins/planted/planted.php', `<?php ${code}`)
  await t.fixture.engine.wordpress.change(await ref(), {
    kind: 'activate_plugin',
    plugin: 'planted/planted.php',
  })
  await put('wp-content/plugins/planted/late.php', '<?php planted_and_missing();')
  await put('wp-content/plugins/planted/planted.php', `<?php ${code} require __DIR__ . '/late.php';`)
  await t.fixture.engine.sleepAll()
  expect(await find('broken')).toMatchObject({ detail: expect.stringContaining('planted_and_missing') })
  await t.act('check_now')
  expect((await t.siteNow()).health).toBe('Down')
  await done('set_plugin', { plugin: 'planted/planted.php', do: 'deactivate' })
  expect(await find('broken')).toBeUndefined()
  await t.act('check_now')
  await t.act('clear_log', { log: 'php' })
  expect((await t.siteNow()).health).not.toBe('Down')
})

test('slow_pages', async () => {
  await put('slow.php', `<?php usleep( 2_050_000 ); echo 'slow';`)
  await put('fast.php', `<?php echo 'fast';`)
  await t.fixture.engine.sleepAll()
  await t.act('clear_log', { log: 'access' })
  await visit('/slow.php?woke=1')
  const look = (await t.act('check_wordpress_health')) as unknown as SiteFindings
  expect(look.not_observed, 'the only visit started the site').toContain('pages')
  expect(look.findings.map(({ kind }) => kind)).not.toContain('slow_pages')
  await visit('/slow.php?awake=1')
  await visit('/fast.php')
  expect(await find('slow_pages')).toMatchObject({
    count: 1,
    pages: [{ path: '/slow.php', count: 1, slowest_ms: expect.any(Number) }],
  })
  await remove('slow.php')
  await t.act('clear_log', { log: 'access' })
  await visit('/fast.php')
  expect(await find('slow_pages')).toBeUndefined()
})

test('slow', async () => {
  await put('wp-content/mu-plugins/slow.php', `<?php if ( '/' === $_SERVER['REQUEST_URI'] ) { usleep( 2_050_000 ); }`)
  await t.fixture.engine.sleepAll()
  await t.act('check_now')
  await t.act('check_now')
  expect(await find('slow')).toMatchObject({ count: expect.any(Number) })
  await remove('wp-content/mu-plugins/slow.php')
  await t.fixture.engine.sleepAll()
  // Until 95 % of the checks are fast again; one that waits for the scheduled events of the site is slow, too.
  for (let check = 1; check <= 150; check += 1) {
    await t.act('check_now')
    if (check % 42 === 0 && (await find('slow')) === undefined) break
  }
  expect(await find('slow')).toBeUndefined()
})

test('disk', async () => {
  const hello = () => done('set_theme', { theme: 'twentytwentyfour', do: 'activate' })
  await hello()
  const { storage } = await t.siteNow()
  const bytes = storage?.bytes ?? 0
  const planted = 40 * 1_048_576
  await t.fixture.engine.quotas.set(t.site.name, {
    disk_mb: Math.ceil((bytes + planted) / 1_048_576 / 0.95),
    files: 0,
    log_mb: 0,
    outbox_mb: 0,
  })
  await put('wp-content/uploads/large.bin', Buffer.alloc(planted, 'x'))
  await hello()
  expect(await find('disk')).toMatchObject({ count: expect.any(Number) })
  await t.act('delete_files', { paths: ['wp-content/uploads/large.bin'] })
  await t.act('empty_trash')
  await hello()
  expect(await find('disk')).toBeUndefined()
  if (storage) await t.fixture.engine.quotas.set(t.site.name, storage.quota)
})

test('old_php', async () => {
  const { php_version: before } = await t.siteNow()
  await done('set_php_version', { php_version: '8.2' })
  expect(await find('old_php')).toMatchObject({ detail: '8.2' })
  await done('set_php_version', { php_version: before })
  const found = await find('old_php')
  expect(found !== undefined, 'the version before').toBe(isOldPhp(before ?? '', Date.now()))
})

test.each([
  ['plugin_updates', 'plugin', 'update_plugins'],
  ['theme_updates', 'theme', 'update_themes'],
] as const)('%s', async (kind, type, action) => {
  const files = (version: string): Record<string, string> =>
    type === 'plugin'
      ? { 'aged.php': `<?php\n/*\nPlugin Name: Aged\nVersion: ${version}\n*/` }
      : { 'style.css': `/*\nTheme Name: Aged\nVersion: ${version}\n*/`, 'index.php': '<?php echo 1;' }
  releases.addPackage(type, 'aged', '1.0', files('1.0'))
  await done(`install_${type}`, { slug: 'aged' })
  releases.addPackage(type, 'aged', '2.0', files('2.0'))
  const id = type === 'plugin' ? 'aged/aged.php' : 'aged'
  await wp(
    `set_site_transient( 'update_${type}s', (object) array( 'last_checked' => time(), 'response' => array( '${id}' => array( 'new_version' => '2.0' ) ) ) );`,
  )
  await t.act('inspect_wordpress')
  expect(await find(kind)).toMatchObject({ count: 1 })
  await done(action)
  expect(await find(kind)).toBeUndefined()
})

test('core_update', async () => {
  const newer = releases.stored.replace(/\.\d+$/, (patch) => `.${Number(patch.slice(1)) + 90}`)
  releases.add(newer, () => ({}))
  await wp(
    `set_site_transient( 'update_core', (object) array( 'last_checked' => time(), 'version_checked' => $wp_version, 'updates' => array( (object) array( 'response' => 'upgrade', 'current' => '${newer}', 'version' => '${newer}' ) ) ) );`,
  )
  await t.act('inspect_wordpress')
  const found = await find('core_update')
  expect(found).toMatchObject({ detail: newer })
  await done('set_core', { version: found?.detail })
  expect(await find('core_update')).toBeUndefined()
  expect((await t.siteNow()).wordpress_version).toBe(newer)
})
