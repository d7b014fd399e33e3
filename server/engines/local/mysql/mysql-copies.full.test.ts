import { access, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { CloneSpec } from '../../site-copies.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { databaseOf } from './site-statements.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported

async function run(
  steps: readonly EngineStep[],
  signal: AbortSignal = AbortSignal.timeout(300_000),
): Promise<string[]> {
  const lines: string[] = []
  for (const step of steps)
    await step.run({ operationId: 'op', log: (line) => void lines.push(line), progress: () => undefined, signal })
  return lines
}

const load = `require '/wordpress/wp-load.php'; global $wpdb; ini_set('display_errors', '1'); `
/** Every table and view with its rows. */
const content = `${load} $all = array(); foreach ($wpdb->get_col("SHOW TABLES") as $t) { $rows = array_map('serialize', $wpdb->get_results("SELECT * FROM \`$t\`", ARRAY_A)); sort($rows); $all[$t] = preg_grep('/_transient_|"cron"/', $rows, PREG_GREP_INVERT); } echo md5(serialize($all));`

describe.skipIf(!isInstalled)('copies of sites on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let counter = 0
  beforeAll(async () => {
    fixture = await startFixture({ mysql: { url: null } })
    site = await fixture.create({ siteType: 'wp', database: 'mysql', domain: 'source' })
    await fixture.php(
      site,
      `${load} $u = 'http://source.localhost:${fixture.port}';
       update_option('c_nested', array('list' => array($u, "ü $u/x 😀", 1, null), 'in' => serialize(array("$u/y"))));
       $wpdb->query("CREATE TABLE shop (id int PRIMARY KEY AUTO_INCREMENT, v text, raw longblob, size int AS (CHAR_LENGTH(v)) STORED, flag bit(3))");
       $wpdb->query("INSERT INTO shop (v, raw, flag) VALUES ('$u/1', 0x00ff0a27, b'101'), ('/*!50013 DEFINER=\`a\`@\`b\` */', '', NULL), (NULL, NULL, b'1')");
       $wpdb->query("CREATE VIEW seen AS SELECT id, v FROM shop");
       $wpdb->query("CREATE TRIGGER loud BEFORE INSERT ON shop FOR EACH ROW SET NEW.v = CONCAT(NEW.v, '!')");
       $wpdb->query("CREATE PROCEDURE left_behind() SELECT 1");`,
    )
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
  })
  const targetOf = (): CloneSpec => {
    counter += 1
    return { ...site, id: `clone${String(counter).padStart(5, '0')}`, domain: `copy-${counter}`, title: null }
  }
  const folderOf = ({ id }: SiteRef) => join(fixture.dataDir, 'local', 'sites', id)
  const databaseFolder = async ({ id }: SiteRef) =>
    join((await prepareMysqlHome(fixture.dataDir, silentLog)).folder.data, databaseOf(id))
  const expectNothingOf = async (target: SiteRef) => {
    await fixture.engine.destroy(target)
    expect(await exists(await databaseFolder(target))).toBe(false)
    await expect(access(folderOf(target))).rejects.toMatchObject({ code: 'ENOENT' })
  }

  test('have everything of the source in a database of their own, at their own address', async () => {
    // Scheduled events would change the content that is compared.
    await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
    const before = await fixture.php(site, content)
    const target = targetOf()
    const lines = await run(fixture.engine.copies.cloneSteps(site, target))
    expect(lines).toContainEqual(expect.stringMatching(/the original was paused for \d+\.\d seconds$/))
    expect(lines).toContainEqual(expect.stringContaining('Create them again: left_behind'))
    expect(await fixture.php(site, content)).toBe(before)

    const url = `http://${target.domain}.localhost:${fixture.port}`
    const look = `${load} $wpdb->query("INSERT INTO shop (v) VALUES ('new')");
      echo json_encode(array(DB_NAME, DB_USER, get_option('home'), get_option('c_nested'), $wpdb->get_results("SELECT id, v, HEX(raw), flag + 0 FROM shop ORDER BY id", ARRAY_N), $wpdb->get_col("SELECT v FROM seen ORDER BY id LIMIT 1"), $wpdb->get_col("SELECT DEFINER = CURRENT_USER() FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() UNION ALL SELECT DEFINER = CURRENT_USER() FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()")), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);`
    const own = databaseOf(target.id)
    expect(JSON.parse(await fixture.php(target, look))).toEqual([
      own,
      own,
      url,
      { list: [url, `ü ${url}/x 😀`, 1, null], in: `a:1:{i:0;s:${url.length + 2}:"${url}/y";}` },
      [
        ['1', `${url}/1`, '00FF0A27', '5'],
        ['2', '/*!50013 DEFINER=`a`@`b` */', '', null],
        ['3', null, null, '1'],
        ['4', 'new!', null, null],
      ],
      [`${url}/1`],
      ['1', '1'],
    ])
    expect((await fixture.fetch(target, '/')).status).toBe(200)
    expect(await fixture.php(site, content)).toBe(before)
    expect((await readdir(folderOf(target))).filter((name) => name.endsWith('.sql'))).toEqual([])
    expect(await fixture.errors(target)).toEqual([])
    await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: false })
    // A copy is a source like any other, and repeating its steps changes nothing.
    expect(await run(fixture.engine.copies.cloneSteps(site, target))).toContain('The site exists already.')
    await expectNothingOf(target)
  })

  test.each([
    ['mysql', 'sqlite'],
    ['sqlite', 'mysql'],
  ] as const)('of a source that moves from %s to %s after the copy was asked for', async (from, to) => {
    const { copies, databaseMoves } = fixture.engine
    const moved = await fixture.create({ siteType: 'wp', database: from, domain: `moves-to-${to}` })
    const target = { ...moved, ...targetOf(), siteType: 'wp' as const, domain: `of-${to}`, title: null }
    const steps = copies.cloneSteps(moved, target)
    // The copy begins, and fails, before the source is moved.
    const quota = { disk_mb: 1, files: 100_000, log_mb: 10, outbox_mb: 10 }
    await fixture.engine.quotas.set(target.id, quota)
    await expect(run(steps)).rejects.toMatchObject({ code: 'invalid' })
    await fixture.engine.quotas.set(target.id, { ...quota, disk_mb: 2_000 })
    const moving = databaseMoves.steps(moved, to)
    await run(moving.slice(0, -1))
    await expect(run(steps), 'while it moves').rejects.toMatchObject({ code: 'conflict' })
    await run(moving.slice(-1))
    await databaseMoves.finish(moved)
    await run(steps)
    expect(await databaseMoves.kind(target)).toBe(to)
    expect(await fixture.php(target, `${load} echo defined('DB_NAME') ? DB_NAME : '';`)).toBe(
      to === 'mysql' ? databaseOf(target.id) : await fixture.php(moved, `${load} echo DB_NAME;`),
    )
    expect((await fixture.fetch(target, '/')).status).toBe(200)
    await expectNothingOf(target)
    expect((await fixture.fetch(moved, '/')).status).toBe(200)
    await fixture.engine.destroy(moved)
  })

  test('leave nothing when they end before they are finished, and the source goes on', async () => {
    // Scheduled events would change the content that is compared.
    await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
    const before = await fixture.php(site, content)
    const target = targetOf()
    const steps = fixture.engine.copies.cloneSteps(site, target)
    for (let count = 1; count < steps.length; count += 1) {
      await run(steps.slice(0, count))
      await expectNothingOf(target)
    }
    const canceled = new AbortController()
    const work = run(steps, canceled.signal)
    canceled.abort(new Error('canceled'))
    await expect(work).rejects.toThrow('canceled')
    await expectNothingOf(target)
    expect(await fixture.php(site, content)).toBe(before)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  })

  test('are refused, without a change of the source, if their configuration would use its database', async () => {
    const before = await fixture.php(site, content)
    const path = join(folderOf(site), 'www', 'wp-config.php')
    const config = await readFile(path, 'utf8')
    const defines = config.match(/^define\( 'DB_(?:NAME|USER|PASSWORD|HOST)'.*$/gm) ?? []
    expect(defines).toHaveLength(4)
    await fixture.writeFile(site, 'own-config.php', `<?php\n${defines.join('\n')}`)
    // The lines that are changed are in a comment, and the others come from another file.
    const hidden = config
      .replace("define( 'DB_NAME'", "require __DIR__ . '/own-config.php';\n/*\ndefine( 'DB_NAME'")
      .replace(/^(define\( 'DB_HOST'.*)$/m, '$1\n*/')
    await fixture.writeFile(site, 'wp-config.php', hidden)
    await fixture.engine.sleepAll()
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    const target = targetOf()
    await expect(run(fixture.engine.copies.cloneSteps(site, target))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('not take its database from wp-config.php alone'),
    })
    await expectNothingOf(target)
    await fixture.writeFile(site, 'wp-config.php', config)
    await fixture.engine.sleepAll()
    expect(await fixture.php(site, content)).toBe(before)
  })

  test('count the database of the source toward their quota', async () => {
    const target = targetOf()
    const steps = fixture.engine.copies.cloneSteps(site, target)
    await fixture.php(
      site,
      `${load} $wpdb->query("CREATE TABLE large (a longblob)"); for ($i = 0; $i < 30; $i++) $wpdb->query("INSERT INTO large VALUES (REPEAT('x', 4000000))");`,
    )
    await fixture.engine.quotas.set(target.id, { disk_mb: 150, files: 100_000, log_mb: 10, outbox_mb: 10 })
    await expect(run(steps)).rejects.toMatchObject({ code: 'invalid' })
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await expectNothingOf(target)
    await fixture.php(site, `${load} $wpdb->query("DROP TABLE large");`)
  })
})
