import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from '../mysql/local-mysql.ts'
import { choiceOf, createStaged, type StagedSites } from './staged-fixture.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported
// Each comparison wakes both sites, and a push writes and loads dumps.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

/** Everything that a push must not change by itself, to compare two states of a database. */
const content = `$all = array();
  foreach ( $wpdb->get_col( "SHOW TABLES" ) as $t ) { $rows = array_map( 'serialize', $wpdb->get_results( "SELECT * FROM \`$t\`", ARRAY_A ) ); sort( $rows );
    $all[ $t ] = md5( serialize( array_values( preg_grep( '/transient|"cron"|"rewrite_rules"|easydash_/', $rows, PREG_GREP_INVERT ) ) ) ); } return $all;`

describe.skipIf(!isInstalled)('staging on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let dataDir = ''
  let fixture: EngineFixture
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'staging-mysql-'))
    fixture = await startFixture({ dataDir, mysql: { url: null } })
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  })
  const filesOf = async ({ site }: StagedSites) => {
    const folder = join(dataDir, 'local', 'sites', site.id)
    const beside = await readdir(join(folder, 'www/wp-content/database')).catch(() => [])
    return [...(await readdir(folder)).filter((name) => name.endsWith('.sql')), ...beside]
  }

  test('nothing is lost: what changed on both sides is listed, and what is new on the site is kept', async () => {
    const t = await createStaged(
      fixture,
      `update_option( 'shared', 'before' ); update_option( 'mine', 'before' );
       wp_insert_post( array( 'post_title' => 'Second', 'post_status' => 'publish', 'post_content' => 'two' ) );
       wp_insert_user( array( 'user_login' => 'ann', 'user_pass' => 'x', 'display_name' => 'Ann' ) ); return 1;`,
      { database: 'mysql' },
    )
    const untouched = await t.plan()
    expect(untouched.database).toMatchObject({ total: 0, notes: [] })
    const changes = untouched.database?.kinds.flatMap(({ staging, live }) => [staging, live]) ?? []
    expect(changes.filter(({ added, changed, deleted }) => added + changed + deleted > 0)).toEqual([])

    await t.wp(
      t.staging,
      `$page = wp_insert_post( array( 'post_title' => 'New page', 'post_type' => 'page', 'post_status' => 'publish', 'meta_input' => array( 'colour' => 'red' ) ) );
       update_option( 'page_on_front', $page );
       wp_update_post( array( 'ID' => 1, 'post_title' => 'Staging title' ) );
       wp_update_post( array( 'ID' => 4, 'post_content' => 'See ' . home_url( '/second' ) . " it's \\\\\\\\ 😀" ) );
       update_option( 'shared', 'staging' ); update_option( 'mine', array( 'u' => home_url( '/x' ) ) ); update_option( 'new_one', 'from staging' );
       wp_update_user( array( 'ID' => 2, 'display_name' => 'Ann of staging' ) ); return 1;`,
    )
    await t.wp(
      t.site,
      `update_option( 'shared', 'live' );
       wp_update_user( array( 'ID' => 2, 'display_name' => 'Ann of live' ) );
       register_post_type( 'shop_order' );
       wp_insert_post( array( 'post_title' => 'Order', 'post_type' => 'shop_order', 'post_status' => 'publish', 'meta_input' => array( '_total' => '12' ) ) );
       wp_update_post( array( 'ID' => 1, 'post_title' => 'Live title' ) );
       wp_insert_comment( array( 'comment_post_ID' => 4, 'comment_content' => 'A comment', 'comment_approved' => 1 ) );
       wp_insert_user( array( 'user_login' => 'customer', 'user_pass' => 'x' ) ); return 1;`,
    )
    const before = await t.wp(t.site, content)
    const plan = await t.plan()
    expect(await t.wp(t.site, content)).toEqual(before)
    const listed = (plan.database?.clashes ?? []).map(({ kind, type, label, staging: ours, live: theirs }) =>
      [kind, type, label, ours.value, theirs.value].join(' | '),
    )
    expect(listed.toSorted()).toEqual([
      'options | changed | shared | staging | live',
      'posts | changed | Staging title | Staging title | Live title',
      expect.stringMatching(/^posts \| number \| New page \|/),
      'users | changed | ann | Ann of staging | Ann of live',
    ])
    const kinds = Object.fromEntries((plan.database?.kinds ?? []).map(({ kind, ...sides }) => [kind, sides]))
    expect(kinds['orders']?.live).toMatchObject({ added: 1, samples: [{ label: 'Order', what: 'add' }] })
    expect(kinds['comments']?.live).toMatchObject({ added: 1 })

    const numbered = plan.database?.clashes.find(({ type }) => type === 'number')
    const option = plan.database?.clashes.find(({ kind }) => kind === 'options')
    await t.push(choiceOf(plan, { take: [numbered?.id ?? '', option?.id ?? ''] }))
    const liveUrl = `http://${t.site.domain}.localhost:${fixture.port}`
    const state = `$page = get_page_by_path( 'new-page' ); $order = get_posts( array( 'post_type' => 'shop_order', 'post_status' => 'any' ) )[0] ?? null;
      return array( 'one' => get_post( 1 )->post_title, 'two' => get_post( 4 )->post_content, 'shared' => get_option( 'shared' ), 'mine' => get_option( 'mine' ),
        'new' => get_option( 'new_one' ), 'ann' => get_userdata( 2 )->display_name, 'customer' => (bool) get_user_by( 'login', 'customer' ),
        'order' => array( $order->post_title ?? null, get_post_meta( $order->ID ?? 0, '_total', true ) ), 'page' => get_post_meta( $page->ID ?? 0, 'colour', true ),
        'front' => (int) get_option( 'page_on_front' ) === ( $page->ID ?? 0 ), 'comments' => array( (int) get_post( 4 )->comment_count, count( get_comments( array( 'post_id' => 4 ) ) ) ),
        'public' => get_option( 'blog_public' ), 'home' => get_option( 'home' ), 'database' => DB_NAME );`
    expect(await t.wp(t.site, state)).toEqual({
      one: 'Live title',
      two: `See ${liveUrl}/second it's \\ 😀`,
      shared: 'staging',
      mine: { u: `${liveUrl}/x` },
      new: 'from staging',
      ann: 'Ann of live',
      customer: true,
      order: ['Order', '12'],
      page: 'red',
      front: true,
      comments: [1, 1],
      public: '1',
      home: liveUrl,
      database: `easydash${t.site.id}`,
    })
    expect(await t.losses()).toMatchObject({ kinds: [] })
    expect(await filesOf(t)).toEqual(['push-kept.sql'])

    // What came since the push is what a rollback would lose; all of the state before comes back.
    await t.wp(t.site, `wp_update_post( array( 'ID' => 1, 'post_title' => 'Since' ) ); return 1;`)
    expect((await t.losses()).kinds).toMatchObject([
      { kind: 'posts', changes: { changed: 1, samples: [{ label: 'Since' }] } },
    ])
    await t.rollBack()
    expect(await t.wp(t.site, content)).toEqual(before)
    expect(await filesOf(t)).toEqual([])
    await expect(t.losses()).rejects.toMatchObject({ code: 'conflict' })
  })

  test('tables of plugins keep what only MySQL has, and values of every type arrive as they are', async () => {
    const t = await createStaged(
      fixture,
      `$wpdb->query( "CREATE TABLE shop (id bigint unsigned NOT NULL AUTO_INCREMENT, ip varbinary(16) NOT NULL, name varchar(50) COLLATE utf8mb4_bin, price decimal(26,8), flag bit(3), ratio double, raw blob, big bigint unsigned, born datetime DEFAULT '0000-00-00 00:00:00',
         at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, size int AS (CHAR_LENGTH(name)) STORED, PRIMARY KEY (id), UNIQUE KEY ip (ip))" );
       $wpdb->query( "INSERT INTO shop (id, ip, name, price, flag, ratio, raw, big, at) VALUES (1, 0xfe80, 'one', '1.5', b'101', 0.1, 0x00ff27, 18446744073709551615, '2001-02-03 04:05:06'), (2, 0x00ff, 'two', NULL, NULL, NULL, NULL, NULL, '2001-02-03 04:05:06')" );
       $wpdb->query( "CREATE TABLE visits (ip binary(2) NOT NULL, hits int NOT NULL, PRIMARY KEY (ip))" );
       $wpdb->query( "INSERT INTO visits VALUES (0xfffe, 1), (0xfffd, 1)" );
       $wpdb->query( "CREATE TABLE keyless (a text)" ); $wpdb->query( "INSERT INTO keyless VALUES ('of both')" );
       $wpdb->query( "CREATE VIEW seen AS SELECT id, name FROM shop" );
       $wpdb->query( "CREATE TABLE audit (id int PRIMARY KEY AUTO_INCREMENT, what text) ENGINE=MyISAM" ); return 1;`,
      { database: 'mysql' },
    )
    await t.wp(
      t.staging,
      `$wpdb->query( "UPDATE shop SET name = 'Ä' WHERE id = 1" ); $wpdb->query( "UPDATE shop SET raw = 0x2700ff, flag = b'011', price = '0.00000001', big = 18446744073709551614, at = at WHERE id = 2" );
       $wpdb->query( "INSERT INTO shop (id, ip, name, price, flag, raw, at) VALUES (3, 0xffff, 'three', '99999999999.12345678', b'111', 0xff, '2002-01-01 00:00:00')" );
       $wpdb->query( "UPDATE visits SET hits = 7 WHERE ip = 0xfffe" ); $wpdb->query( "DELETE FROM visits WHERE ip = 0xfffd" ); $wpdb->query( "INSERT INTO audit (what) VALUES ('staged')" );
       $wpdb->query( "CREATE TABLE fresh (id int NOT NULL AUTO_INCREMENT, shop bigint unsigned, note varchar(40) DEFAULT 'it''s; SELECT', slug varchar(20), total int GENERATED ALWAYS AS (shop * 2) VIRTUAL, PRIMARY KEY (id), KEY slug (slug(5)), CONSTRAINT of_shop FOREIGN KEY (shop) REFERENCES shop (id)) COMMENT='new one'" );
       $wpdb->query( "INSERT INTO fresh (shop, slug) VALUES (3, 'x')" ); $wpdb->query( "INSERT INTO keyless VALUES ('of staging')" ); return 1;`,
    )
    await t.wp(
      t.site,
      `$wpdb->query( "INSERT INTO shop (id, ip, name, ratio, at) VALUES (10, 0x0a, 'of live', 0.25, '2003-01-01 00:00:00')" ); return 1;`,
    )
    const plan = await t.plan()
    expect(plan.database?.clashes).toEqual([])
    expect(plan.database?.notes.map(({ table, note }) => [table, note])).toEqual([['keyless', 'no_key']])
    await t.push(choiceOf(plan))
    const state = await t.wp(
      t.site,
      `return array( 'shop' => $wpdb->get_results( "SELECT id, HEX(ip), name, price, flag + 0, ratio, HEX(raw), big, size, born FROM shop ORDER BY id", ARRAY_N ),
        'at' => $wpdb->get_col( "SELECT YEAR(at) = YEAR(NOW()) FROM shop ORDER BY id" ), 'visits' => $wpdb->get_results( "SELECT HEX(ip), hits FROM visits ORDER BY ip", ARRAY_N ),
        'fresh' => $wpdb->get_row( "SELECT id, shop, note, slug, total FROM fresh", ARRAY_N ), 'made' => $wpdb->get_row( "SHOW CREATE TABLE fresh", ARRAY_N )[1],
        'keyless' => $wpdb->get_col( "SELECT a FROM keyless" ), 'seen' => $wpdb->get_col( "SELECT name FROM seen ORDER BY id" ), 'audit' => $wpdb->get_col( "SELECT what FROM audit" ) );`,
    )
    const never = '0000-00-00 00:00:00'
    expect(state).toEqual({
      shop: [
        ['1', 'FE80', 'Ä', '1.50000000', '5', '0.1', '00FF27', '18446744073709551615', '1', never],
        ['2', '00FF', 'two', '0.00000001', '3', null, '2700FF', '18446744073709551614', '3', never],
        ['3', 'FFFF', 'three', '99999999999.12345678', '7', null, 'FF', null, '5', never],
        ['10', '0A', 'of live', null, null, '0.25', null, null, '7', never],
      ],
      // The first one got the time of its change on staging; the others keep theirs.
      at: ['1', '0', '0', '0'],
      visits: [['FFFE', '7']],
      fresh: ['1', '3', "it's; SELECT", 'x', '6'],
      made: expect.stringMatching(/FOREIGN KEY .*COMMENT='new one'/s),
      keyless: ['of both'],
      seen: ['Ä', 'two', 'three', 'of live'],
      audit: ['staged'],
    })
  })

  test('a push that does not fit changes nothing: the database before comes back', async () => {
    const t = await createStaged(
      fixture,
      `$wpdb->query( "CREATE TABLE names (id int NOT NULL PRIMARY KEY, name varchar(5), UNIQUE KEY name (name))" ); update_option( 'mine', 'before' ); return 1;`,
      { database: 'mysql' },
    )
    await t.wp(
      t.staging,
      `update_option( 'mine', 'staging' ); $wpdb->query( "CREATE TABLE fresh (id int NOT NULL PRIMARY KEY)" ); return $wpdb->insert( 'names', array( 'id' => 1, 'name' => 'ann' ) );`,
    )
    await t.wp(t.site, `return $wpdb->insert( 'names', array( 'id' => 2, 'name' => 'ANN' ) );`)
    const before = await t.wp(t.site, content)
    await expect(t.push(choiceOf(await t.plan()))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Duplicate entry'),
    })
    expect(await t.wp(t.site, content)).toEqual(before)
    expect(await filesOf(t)).toEqual([])
  })

  test('a push that an engine did not finish is taken back by the next one', async () => {
    const t = await createStaged(fixture, `update_option( 'mine', 'before' ); return 1;`, { database: 'mysql' })
    await t.wp(
      t.staging,
      `update_option( 'mine', 'staging' ); $wpdb->query( "CREATE TABLE fresh (id int NOT NULL PRIMARY KEY)" ); return 1;`,
    )
    await fixture.writeFile(t.staging, 'staged.txt', 'x')
    const before = await t.wp(t.site, content)
    const plan = await t.plan()
    const steps = fixture.engine.staging.pushSteps(t.site, t.staging, choiceOf(plan))
    const own = {
      operationId: 'cut-off',
      log: () => undefined,
      progress: () => undefined,
      signal: AbortSignal.timeout(500_000),
    }
    // Repeated, it begins with the database before: the table would be there already.
    for (const step of [...steps.slice(0, 3), ...steps.slice(2, 3)]) await step.run(own)
    expect((await fixture.fetch(t.site, '/')).status).toBe(503)
    await fixture.end()
    fixture = await startFixture({ dataDir, mysql: { url: null } })
    expect(await fixture.engine.staging.undo(t.site, 'cut-off')).toBe('undone')
    expect((await fixture.fetch(t.site, '/')).status).toBe(200)
    const now = await fixture.php(
      t.site,
      `ob_start(); require __DIR__ . '/wp-load.php'; global $wpdb; $r = ( function () use ( $wpdb ) { ${content} } )(); ob_end_clean(); echo json_encode( $r );`,
    )
    expect(JSON.parse(now)).toEqual(before)
    expect(await filesOf(t)).toEqual([])
    await expect(readFile(join(dataDir, 'local', 'sites', t.site.id, 'www', 'staged.txt'))).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })
})
