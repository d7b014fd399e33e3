import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported

async function run(steps: readonly EngineStep[], through: string = steps.at(-1)?.key ?? ''): Promise<void> {
  for (const step of steps.slice(0, steps.findIndex(({ key }) => key === through) + 1))
    await step.run({
      operationId: 'op',
      log: () => undefined,
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
}

const load = `require '/wordpress/wp-load.php'; global $wpdb; ini_set('display_errors', '1'); `
/** Every table with its rows, views and routines included. */
const content = `${load} $all = array(); foreach ($wpdb->get_col("SHOW TABLES") as $t) { $rows = array_map('serialize', $wpdb->get_results("SELECT * FROM \`$t\`", ARRAY_A)); sort($rows); $all[$t] = preg_grep('/_transient_|"cron"/', $rows, PREG_GREP_INVERT); } $all['routines'] = $wpdb->get_col("SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()"); echo md5(serialize($all));`

describe.skipIf(!isInstalled)('domains of sites on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let old = ''
  beforeAll(async () => {
    fixture = await startFixture({ mysql: { url: null } })
    site = await fixture.create({ siteType: 'wp', database: 'mysql', domain: 'old' })
    old = `http://old.localhost:${fixture.port}`
    await fixture.php(
      site,
      `${load} $u = '${old}';
       update_option('d_plain', "$u/a http://old.localhost/b //old.localhost.example");
       update_option('d_nested', array('list' => array($u, "ü $u/x", 1, null), 'in' => serialize(array("$u/y"))));
       $wpdb->query("INSERT INTO $wpdb->options (option_name, option_value) VALUES ('d_broken', 'a:1:{i:0;s:3:\\"$u\\";}')");
       for ($i = 0; $i < 130; $i++) $wpdb->insert($wpdb->posts, array('post_title' => "t $i", 'post_content' => "$u/$i", 'post_excerpt' => '', 'to_ping' => '', 'pinged' => '', 'post_content_filtered' => ''));
       $wpdb->query("CREATE TABLE pairs (a int, b varchar(20), v text, t timestamp NOT NULL DEFAULT '2001-02-03 04:05:06' ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (a, b))");
       for ($i = 0; $i < 120; $i++) $wpdb->query("INSERT INTO pairs (a, b, v) VALUES (" . ($i % 3) . ", 'k$i''', '$u/p$i')");
       $wpdb->query("CREATE TABLE keyless (v text COLLATE utf8mb4_bin, w varbinary(100))");
       $wpdb->query("INSERT INTO keyless VALUES ('$u', '$u'), ('$u', NULL), ('HTTP://OLD.LOCALHOST:${fixture.port}', NULL)");
       $wpdb->query("CREATE TABLE narrow (id int PRIMARY KEY, v varchar(" . strlen("$u/") . ") UNIQUE)");
       $wpdb->query("INSERT INTO narrow VALUES (1, '$u/'), (2, NULL)");
       $wpdb->query("CREATE VIEW seen AS SELECT a, v FROM pairs");
       $wpdb->query("CREATE PROCEDURE kept() SELECT 1");
       $wpdb->query("CREATE TABLE \`odd\\\`na'me\` (id int)");`,
    )
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
  })
  const config = async () => readFile(join((await fixture.engine.filesFolder(site)) ?? '', 'wp-config.php'), 'utf8')
  const saved = () => join(fixture.dataDir, 'local', 'sites', site.id, 'saved-database.sql')

  test('a dry run counts what a change would replace, part by part, and changes nothing', async () => {
    const before = await fixture.php(site, content)
    const places = new Map<string, number>()
    const options: string[] = []
    let after: string | null = null
    do {
      const found = await fixture.engine.domains.findAddresses(site, 'brand-new.example', after)
      for (const { table, rows } of found.tables) places.set(table, (places.get(table) ?? 0) + rows)
      options.push(...found.options.map(({ option }) => option))
      after = found.after
    } while (after !== null)
    expect(options).toEqual(expect.arrayContaining(['d_plain', 'd_nested', 'home', 'siteurl']))
    expect(options).not.toContain('d_broken')
    expect([places.get('pairs'), places.get('keyless'), places.get('narrow')]).toEqual([120, 3, 1])
    expect(places.get('wp_posts')).toBeGreaterThanOrEqual(130)
    expect(await fixture.php(site, content)).toBe(before)
    // Where a client says it goes on: behind that row, and from the beginning for what is no position.
    const rest = await fixture.engine.domains.findAddresses(site, 'x.example', '{"table":"pairs","row":["2","k1"]}')
    expect(rest.tables.find(({ table }) => table === 'pairs')?.rows).toBe(40)
    const nonsense = await fixture.engine.domains.findAddresses(site, 'x.example', '{"table":1}')
    expect(nonsense.tables.find(({ table }) => table === 'pairs')?.rows).toBe(120)
  })

  test('a change is taken back at any point with everything in the database', async () => {
    // Scheduled events would change the content that is compared.
    await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
    const { engine } = fixture
    const before = [await fixture.php(site, content), await config()]
    for (const through of ['save_database', 'replace_urls', 'rename', 'check']) {
      await run(engine.domains.changeSteps(site, 'brand-new.example', []), through)
      expect((await fixture.fetch(site, '/')).status).toBe(503)
      await engine.domains.undoChange(site)
      expect([through, await fixture.php(site, content), await config()]).toEqual([through, ...before])
    }
    expect(await exists(saved())).toBe(false)
  })

  test('a database of which tables are missing, as a restore that was cut off leaves it, comes back whole', async () => {
    const { engine } = fixture
    const before = await fixture.php(site, content)
    await run(engine.domains.changeSteps(site, 'brand-new.example', []), 'replace_urls')
    await engine.console.runPhp(
      site,
      'global $wpdb; $wpdb->query("DROP TABLE pairs, keyless"); $wpdb->query("DELETE FROM $wpdb->posts");',
      {
        safe: true,
        signal: AbortSignal.timeout(300_000),
      },
    )
    await engine.domains.undoChange(site)
    expect(await fixture.php(site, content)).toBe(before)
  })

  test('a change replaces every form of the address and leaves what is damaged, too long or binary', async () => {
    const { engine } = fixture
    await run(engine.domains.changeSteps(site, 'brand-new.example', [{ domain: 'old', mode: 'redirect' }]))
    await engine.domains.finishChange(site)
    expect(await exists(saved())).toBe(false)
    const moved = { ...site, domain: 'brand-new.example' }
    const host = `brand-new.example:${fixture.port}`
    const name = 'look.php'
    await fixture.writeFile(
      moved,
      name,
      `<?php ${load} echo json_encode(array(get_option('d_plain'), get_option('d_nested'), $wpdb->get_var("SELECT option_value FROM $wpdb->options WHERE option_name = 'd_broken'"), $wpdb->get_col("SELECT COUNT(*) FROM $wpdb->posts WHERE post_content LIKE '%old.localhost%' UNION ALL SELECT COUNT(*) FROM pairs WHERE v LIKE '%old.localhost%' UNION ALL SELECT COUNT(*) FROM pairs WHERE t <> '2001-02-03 04:05:06'"), $wpdb->get_results("SELECT * FROM keyless ORDER BY v, w", ARRAY_N), $wpdb->get_var("SELECT v FROM narrow WHERE id = 1")), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);`,
    )
    const url = `http://${host}`
    const page = await fixture.fetch(host, `/${name}`)
    const found: unknown = JSON.parse(page.body)
    expect(found).toEqual([
      `${url}/a http://${host}/b //old.localhost.example`,
      { list: [url, `ü ${url}/x`, 1, null], in: `a:1:{i:0;s:${url.length + 2}:"${url}/y";}` },
      `a:1:{i:0;s:3:"${old}";}`,
      ['0', '0', '0'],
      [
        [`HTTP://${host}`, null],
        [url, null],
        [url, old],
      ],
      `${old}/`,
    ])
    expect((await fixture.fetch(host, '/')).status).toBe(200)
  })
})
