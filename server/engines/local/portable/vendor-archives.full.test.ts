/** One real import of an archive of each system, into each kind of database; MySQL is skipped where it is not installed. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { siteDatabases, type SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { makeDupArchive, makeWpress, updraftDump, wpressPackage, zipOf } from '../archives/archive-fixture.ts'
import { makeWxr } from '../archives/wxr/wxr-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { ImportSpec } from '../../site-imports.ts'
import { mysqlCapability } from '../mysql/local-mysql.ts'
import { thisMachine } from '../../site-ref.ts'
import { dumpOf } from './dump-fixture.ts'

let fixture: EngineFixture
let folder: string
let counter = 0
let database: SiteDatabaseKind = 'sqlite'
const isInstalled = mysqlCapability(await findMysql(), null).supported

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vendors-'))
  fixture = await startFixture({ mysql: { url: null } })
})
afterAll(async () => {
  await fixture?.end()
  await removeOutsideFolders(fixture.dataDir)
  await rm(folder, { recursive: true, force: true })
})

/** Imports an archive; `repeated`: key of a step that runs again, as after a crash before it was noted as done. */
async function importFrom(bytes: Buffer, repeated = ''): Promise<ImportSpec> {
  counter += 1
  const path = join(folder, `archive-${counter}`)
  await writeFile(path, bytes)
  const site: ImportSpec = {
    ...{
      id: `vendor${String(counter).padStart(4, '0')}`,
      domain: `vendor-${counter}`,
      siteType: 'wp',
      phpVersion: '8.3',
      server: thisMachine,
    },
    ...{ archive: String(counter).padStart(32, '0'), fileName: 'backup', title: null, database },
  }
  await fixture.engine.imports.take(site.archive, path)
  for (const step of fixture.engine.imports.importSteps(site))
    for (const round of step.key === repeated ? [1, 2] : [2]) {
      await step.run({
        operationId: 'test',
        log: () => undefined,
        progress: () => undefined,
        signal: AbortSignal.timeout(300_000),
      })
      if (round === 1) await forgetDatabase(site)
    }
  return site
}
/** Takes back the note that the database is there. */
async function forgetDatabase({ id }: ImportSpec): Promise<void> {
  const notes = join(fixture.dataDir, 'local', 'sites', id, 'import.json')
  const text = await readFile(notes, 'utf8')
  expect(text).toContain('"hasDatabase":true')
  await writeFile(notes, text.replace('"hasDatabase":true', '"hasDatabase":false'))
}
const reportOf = async (site: ImportSpec) => {
  const { report } = await fixture.engine.imports.compare(site, AbortSignal.timeout(300_000))
  return { ...report, defects: report.defects.map(({ kind, what }) => `${kind}: ${what}`) }
}
const plugin = `<?php /* Plugin Name: Own */ add_action( 'wp_footer', function () { echo 'own plugin'; } );`
/** What WordPress itself says of the imported site. */
async function seen(site: ImportSpec): Promise<unknown> {
  const text = await fixture.php(
    site,
    `require __DIR__ . '/wp-load.php'; global $table_prefix; echo json_encode( array( $table_prefix, get_option( 'widget_own' ), user_can( 1, 'switch_themes' ), get_option( 'active_plugins' ), get_stylesheet() ) );`,
  )
  return JSON.parse(text)
}
/** Checks what every import must do: content, addresses also in serialized values, roles, plugin. */
async function expectRunning(site: ImportSpec, prefix: string): Promise<void> {
  const url = `http://${site.domain}.localhost:${fixture.port}`
  const page = await fixture.fetch(site, '/first/')
  expect(page.status).toBe(200)
  expect(page.body).toContain(`<a href="${url}/second/">here</a>`)
  expect(page.body).not.toContain('example.com/')
  expect(page.body).toContain('own plugin')
  expect(await seen(site)).toEqual([
    prefix,
    { text: `${url}/about`, two: [url] },
    true,
    ['own/own.php'],
    'twentytwentyfour',
  ])
  expect((await fixture.fetch(site, '/wp-content/uploads/2024/05/gone.jpg')).body).toBe('here')
}
/** A dump as the plugins write it, with an active plugin. */
const active = (dump: string): string =>
  dump.replace(`'active_plugins','a:0:{}'`, `'active_plugins','a:1:{i:0;s:11:"own/own.php";}'`)
const defects = ['serialized: postmeta: damaged', 'link: /nowhere/']

for (const kind of siteDatabases)
  describe.skipIf(kind === 'mysql' && !isInstalled)(`into ${kind}`, () => {
    beforeAll(() => {
      database = kind
    })

    test.each([
      ['All-in-One WP Migration', false],
      ['All-in-One WP Migration, compressed,', true],
    ])('an archive of %s runs, with tables, options and roles under the usual prefix', async (_what, compressed) => {
      const dump = dumpOf({ prefix: 'SERVMASK_PREFIX_' }).replace(
        `(5,'template','twentytwentyfour','yes'),(6,'stylesheet','twentytwentyfour','yes'),\n(7,'active_plugins','a:0:{}','yes'),`,
        '',
      )
      expect(dump).not.toContain('active_plugins')
      const site = await importFrom(
        makeWpress(
          [
            wpressPackage({
              Plugins: ['own/own.php', 'gone/gone.php'],
              Compression: { Enabled: compressed, Type: 'gzip' },
            }),
            { path: 'database.sql', content: dump },
            { path: 'plugins/own/own.php', content: plugin },
            { path: 'uploads/2024/05/gone.jpg', content: 'here' },
            { path: 'object-cache.php', content: '<?php throw new Exception();' },
            { path: 'mu-plugins/sqlite-database-integration/load.php', content: '<?php throw new Exception();' },
          ],
          { compressed },
        ),
      )
      const report = await reportOf(site)
      expect(report).toMatchObject({ source: 'wpress', from: 'https://www.example.com' })
      expect(report.defects.toSorted()).toEqual([...defects, 'left_out: 2', 'plugin_missing: gone/gone.php'].toSorted())
      await fixture.php(
        site,
        `require __DIR__ . '/wp-load.php'; update_option( 'active_plugins', array( 'own/own.php' ) );`,
      )
      await expectRunning(site, 'wp_')
    })

    test('a backup of UpdraftPlus runs, and the missing part is named', async () => {
      const site = await importFrom(
        zipOf({
          'backup_x-db.gz': updraftDump(active(dumpOf({ prefix: 'abc_' })), { prefix: 'abc_' }),
          'backup_x-plugins.zip': zipOf({ 'plugins/own/own.php': plugin }),
          'backup_x-uploads2.zip': zipOf({ 'uploads/2024/05/gone.jpg': 'here' }),
          'backup_x-others.zip': zipOf({ 'languages/x.txt': 'x', 'db.php': '<?php throw new Exception();' }),
        }),
      )
      const report = await reportOf(site)
      expect(report).toMatchObject({ source: 'updraftplus', from: 'https://www.example.com' })
      expect(report.defects.toSorted()).toEqual(
        [...defects, 'left_out: 1', 'part_missing: backup_x-uploads.zip'].toSorted(),
      )
      await expectRunning(site, 'abc_')
    })

    test.each([
      ['as ZIP', zipOf],
      ['in its own format', makeDupArchive],
    ])('an archive of Duplicator %s runs, without its installer', async (_how, make) => {
      const site = await importFrom(
        make({
          'wp-config.php': `<?php\n$table_prefix = 'wrong_';`,
          'wp-content/plugins/own/own.php': plugin,
          'wp-content/uploads/2024/05/gone.jpg': 'here',
          'installer.php': '<?php echo "installer";',
          'x_1_installer-backup.php': '<?php echo "installer";',
          'dup-installer/main.installer.php': '<?php echo "installer";',
          'dup-installer/dup-archive__1-2.txt': JSON.stringify({
            wp_tableprefix: 'abc_',
            version_php: '8.2.0',
            mu_mode: 0,
          }),
          'dup-installer/dup-database__1-2.sql': active(dumpOf({ prefix: 'abc_' })),
        }),
      )
      const report = await reportOf(site)
      expect(report).toMatchObject({ source: 'duplicator', from: 'https://www.example.com' })
      expect(report.defects.toSorted()).toEqual([...defects, 'left_out: 1'].toSorted())
      await expectRunning(site, 'abc_')
      for (const path of ['/installer.php', '/x_1_installer-backup.php', '/dup-installer/main.installer.php'])
        expect((await fixture.fetch(site, path)).body).not.toContain('installer";')
      expect((await fixture.fetch(site, '/installer.php')).status).toBe(404)
    })

    test('an export of content (WXR) becomes a new WordPress with everything that it has', async () => {
      const site = await importFrom(Buffer.from(makeWxr()), 'import_database')
      const url = `http://${site.domain}.localhost:${fixture.port}`
      const report = await reportOf(site)
      expect(report).toMatchObject({ source: 'wxr', from: 'https://www.example.com/blog', more: 0 })
      expect(report.defects).toEqual(['media: 2024/05/photo.jpg'])
      for (const { what, expected, found } of report.counts)
        expect([what, found]).toEqual([what, what === 'media' ? 0 : expected])
      const page = await fixture.fetch(site, '/first/')
      expect([
        page.status,
        page.body.includes(`<a href="${url}/second/">here</a> ]]&gt; &#038; <em>there</em>`),
      ]).toEqual([200, true])
      const text = await fixture.php(
        site,
        `require __DIR__ . '/wp-load.php'; $ids = fn( $list ) => array_map( fn( $one ) => (int) $one->ID, $list );
     echo json_encode( array(
       'site' => array( get_option( 'blogname' ), get_option( 'blogdescription' ), get_option( 'sticky_posts' ) ),
       'posts' => $ids( get_posts( array( 'post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1, 'orderby' => 'ID', 'order' => 'ASC' ) ) ),
       'field' => get_post_meta( 7, 'own_field', true ),
       'image' => array( get_post_thumbnail_id( 7 ), get_post_mime_type( 11 ) ),
       'terms' => array_map( fn( $one ) => "$one->taxonomy $one->slug $one->count", wp_get_object_terms( 7, array( 'category', 'post_tag' ) ) ),
       'parent' => get_term_by( 'slug', 'local', 'category' )->parent,
       'menu' => array_map( fn( $one ) => array( $one->title, $one->url ), wp_get_nav_menu_items( 'main' ) ),
       'comments' => array_map( fn( $one ) => array( (int) $one->comment_ID, (int) $one->comment_parent, (int) $one->user_id, get_comment_meta( $one->comment_ID, 'rating', true ) ), get_comments( array( 'post_id' => 7, 'orderby' => 'comment_ID', 'order' => 'ASC' ) ) ),
       'users' => array_map( fn( $one ) => array( $one->user_login, $one->roles[0], $one->display_name ), get_users( array( 'orderby' => 'ID' ) ) ),
       'author' => get_the_author_meta( 'user_login', get_post( 7 )->post_author ),
       'default' => get_term( get_option( 'default_category' ) )->slug,
     ) );`,
      )
      expect(JSON.parse(text)).toEqual({
        site: ['Ann’s “Shop”', 'Things &amp; more', [7]],
        posts: [7, 8, 9, 11],
        field: { text: `${url}/about`, 0: true },
        image: [11, 'image/jpeg'],
        terms: ['category local 1', 'post_tag red 1'],
        parent: 5,
        menu: [['About', `${url}/about/`]],
        comments: [
          [3, 0, 0, '5'],
          [4, 3, 2, '5'],
        ],
        users: [
          ['ann', 'administrator', 'Ann'],
          ['ben', 'author', 'Ben'],
        ],
        author: 'ben',
        default: 'uncategorized',
      })
    })
  })
