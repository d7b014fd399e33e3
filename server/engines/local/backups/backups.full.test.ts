import { mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { assertWhole } from '../../assert-whole.ts'
import type { SiteSpec } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

let fixture: EngineFixture
let folder: string
let number = 0

beforeAll(async () => {
  fixture = await startFixture()
  folder = await mkdtemp(join(tmpdir(), 'backups-'))
})
afterAll(async () => {
  await fixture.end()
  await rm(folder, { recursive: true })
})

/** What a visitor and the database say. */
async function stateOf(site: SiteSpec): Promise<unknown> {
  const { status, body } = await fixture.fetch(site, '/')
  const { tables } = await fixture.engine.database.tables(site)
  const { entries } = await fixture.engine.files.list(site, 'wp-content')
  return {
    page: [status, /<title>(.*)<\/title>/.exec(body)?.[1]],
    tables: tables.map(({ name }) => name),
    // WordPress makes its own when somebody logs in.
    content: entries.map(({ name }) => name).filter((name) => !['upgrade', 'uploads'].includes(name)),
  }
}

/** Packs a site into a file. */
async function packed(site: SiteSpec, name: string): Promise<string> {
  await runAll(fixture.engine.backups.packSteps(site))
  const archive = join(folder, `${name}.tar.zst`)
  await pipeline((await fixture.engine.backups.packed(site)).file.open(), createWriteStream(archive))
  return archive
}

function rehearsalOf(site: SiteSpec): SiteRef {
  number += 1
  return { ...site, id: `rehearsal${number}`, domain: `rehearsal-${number}` }
}

/** Makes a site of an archive that nobody can visit, which proves it. */
async function proven(site: SiteSpec, archive: string): Promise<SiteRef> {
  const { rehearsals } = fixture.engine
  const rehearsal = rehearsalOf(site)
  await runAll(rehearsals.rehearseSteps(rehearsal, archive))
  expect((await fixture.fetch(rehearsal, '/')).status).toBe(404)
  const { defects, seen, inconclusive } = await rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
  expect([defects, inconclusive]).toEqual([[], null])
  for (const { what, expected, found } of seen) expect([what, found]).toEqual([what, expected])
  return rehearsal
}

it('proves a backup of a real WordPress, restores a damaged site from it, and takes that back', async () => {
  const { engine } = fixture
  const site = await fixture.create({ siteType: 'wp' })
  await fixture.writeFile(site, 'wp-content/own.txt', 'mine')
  const whole = await stateOf(site)
  const archive = await packed(site, 'site')

  // What servers compare before they put it in place.
  await assertWhole(archive, AbortSignal.timeout(60_000))

  const code = `require __DIR__ . '/wp-load.php';
    foreach (array('comments', 'links', 'postmeta') as $t) { $wpdb->query("DROP TABLE {$wpdb->prefix}$t"); }
    require ABSPATH . 'wp-admin/includes/file.php'; WP_Filesystem();
    foreach (array('themes', 'own.txt') as $n) { $GLOBALS['wp_filesystem']->delete(WP_CONTENT_DIR . "/$n", true); } echo 'done';`
  expect(await fixture.php(site, code)).toBe('done')
  const damaged = await stateOf(site)
  expect(damaged).not.toEqual(whole)

  const rehearsal = await proven(site, archive)

  await runAll(engine.restores.restoreSteps(site, { rehearsal, archive }, 'all'))
  expect((await fixture.fetch(site, '/')).status).toBe(503)
  await engine.restores.finishRestore(site)
  expect(await stateOf(site)).toEqual(whole)
  await runAll(engine.restores.bringBackSteps(site))
  await engine.restores.finishRestore(site)
  expect(await stateOf(site)).toEqual(damaged)
})

it('keeps what somebody added to wp-config.php, also where that is broken when the backup is restored', async () => {
  const { engine } = fixture
  const site = await fixture.create({ siteType: 'wp' })
  const php = String.raw
  const added = php`<?php /* define( 'REMARK', 1 ); */
    const OTHER = 1;
    define( 'SHOP_KEY', "it's \ 5 €
" ); # define( 'REMARK', 2 );
    \define('WP_POST_REVISIONS', 2 + 1);
    if ( ! defined( 'SHOP_OPEN' ) ) { DEFINE( 'SHOP_OPEN', false ); }
    define( 'WP_SITEURL', 'http://elsewhere.example' ); define( 'SHOP_FOLDER', __DIR__ . '/shop' );
  `
  const configure = (text: string) =>
    fixture.php(
      site,
      `$f = 'wp-config.php'; file_put_contents($f, ${text}); function_exists('opcache_reset') && opcache_reset(); echo 'done';`,
    )
  await configure(`base64_decode('${Buffer.from(added).toString('base64')}') . substr(file_get_contents($f), 5)`)
  const archive = await packed(site, 'constants')
  const constants = { SHOP_KEY: "it's \\ 5 €\n", WP_POST_REVISIONS: 3, SHOP_OPEN: false }
  expect((await engine.backups.packed(site)).manifest.constants).toEqual(constants)
  await configure(`'<?php broken('`)
  expect((await fixture.fetch(site, '/')).status).toBe(500)

  const rehearsal = await proven(site, archive)
  await runAll(engine.restores.restoreSteps(site, { rehearsal, archive }, 'all'))
  await engine.restores.finishRestore(site)
  expect((await fixture.fetch(site, '/')).status).toBe(200)
  const named = Object.keys(constants).map((name) => `'${name}' => ${name}`)
  const now = await fixture.php(site, `require 'wp-load.php'; echo json_encode(array(${named.join(', ')}));`)
  expect(JSON.parse(now)).toEqual(constants)
})

it('says of a WordPress without an administrator that nobody could log in', async () => {
  const { engine } = fixture
  const site = await fixture.create({ siteType: 'wp' })
  const code = `require 'wp-load.php'; foreach (get_users() as $u) { $u->set_role('editor'); } echo 'done';`
  expect(await fixture.php(site, code)).toBe('done')
  const rehearsal = rehearsalOf(site)
  await runAll(engine.rehearsals.rehearseSteps(rehearsal, await packed(site, 'editors')))
  const verdict = await engine.rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
  expect(verdict).toMatchObject({ defects: [], inconclusive: expect.stringContaining('no administrator') as string })
})

it('proves a backup of a network, and puts all of its sites back', async () => {
  const { engine } = fixture
  const site = await fixture.create({ siteType: 'wp', multisite: 'subdir' })
  const titles = async () => {
    const pages = await Promise.all(['/', '/shop/', '/shop/sample-page/'].map((path) => fixture.fetch(site, path)))
    return pages.map(({ status, body }) => [status, /<title>(.*)<\/title>/.exec(body)?.[1]])
  }
  await engine.wordpress.change(site, { kind: 'add_network_site', path: 'shop', title: 'The shop' })
  const whole = await titles()
  expect(whole).toEqual([
    [200, site.title],
    [200, 'The shop'],
    [200, 'Sample Page &#8211; The shop'],
  ])
  const archive = await packed(site, 'network')
  const shop = (await engine.wordpress.inspect(site)).sites?.rows.find(({ path }) => path === '/shop/')
  await engine.wordpress.change(site, { kind: 'delete_network_site', id: shop?.id ?? 0 })
  expect((await titles())[1]?.[0]).toBe(404)

  const rehearsal = await proven(site, archive)
  await runAll(engine.restores.restoreSteps(site, { rehearsal, archive }, 'all'))
  await engine.restores.finishRestore(site)
  expect(await titles()).toEqual(whole)
  const { sites } = await engine.wordpress.inspect(site)
  expect(sites?.rows.map(({ url }) => url)).toEqual([engine.siteUrl(site), `${engine.siteUrl(site)}/shop`])
  await runAll(engine.restores.bringBackSteps(site), 'back')
  await engine.restores.finishRestore(site)
  expect((await titles())[1]?.[0]).toBe(404)

  const single = await fixture.create({ siteType: 'wp' })
  await expect(runAll(engine.restores.restoreSteps(single, { rehearsal, archive }, 'all'))).rejects.toMatchObject({
    code: 'conflict',
  })
})
