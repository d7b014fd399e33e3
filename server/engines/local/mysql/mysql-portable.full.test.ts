import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPromise } from 'yauzl'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { loadStatements, runSql, type MysqlLogin } from '#server/platform/mysql/mysql-client.ts'
import { asAccount } from '#server/platform/mysql/mysql-folder.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { ImportSpec } from '../../site-imports.ts'
import { siteManifest } from '../../site-manifest.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import { makeZip } from '../core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { databaseOf } from './site-statements.ts'

const programs = await findMysql()
const isInstalled = mysqlCapability(programs, null).supported

async function run(steps: readonly EngineStep[]): Promise<string[]> {
  const lines: string[] = []
  const signal = AbortSignal.timeout(300_000)
  for (const step of steps)
    await step.run({ operationId: 'op', log: (line) => void lines.push(line), progress: () => undefined, signal })
  return lines
}

const load = `require '/wordpress/wp-load.php'; global $wpdb; ini_set('display_errors', '1'); `
/** What a site has of everything that a dump must carry. */
const look = `${load} echo json_encode(array(get_option('p_nested'), get_option('p_text'), $wpdb->get_results("SELECT id, v, HEX(raw) AS raw, price, made FROM wp_shop ORDER BY id", ARRAY_N), $wpdb->get_col("SELECT post_title FROM $wpdb->posts WHERE post_title LIKE 'Ü%'")), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);`
const fill = `${load} update_option('p_nested', array('ü' => array(1.5, null, true), "'" => '"'), false); update_option('p_text', "a'b\\"c\\\\d\\ne\\x1af \\u{1F600} %_ -- x; /*!50013 DEFINER=\`a\`@\`b\` */");
  wp_insert_post(wp_slash(array('post_title' => "Ü ' \\\\ 😀", 'post_status' => 'publish', 'post_content' => "one;\\ntwo")));
  $wpdb->query("CREATE TABLE wp_shop (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, v longtext, raw longblob, price decimal(19,4), made datetime NOT NULL DEFAULT '0000-00-00 00:00:00')");
  $wpdb->query("SET sql_mode = ''"); $wpdb->query("INSERT INTO wp_shop (v, raw, price, made) VALUES ('x', 0x00ff0a275c, 12.5, '2024-05-01 10:00:00'), (NULL, '', -7, '0000-00-00 00:00:00')");`

describe.skipIf(!isInstalled)('dumps of MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let folder = ''
  let counter = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mysql-portable-'))
    fixture = await startFixture({ mysql: { url: null } })
    site = await fixture.create({ siteType: 'wp', database: 'mysql' })
    await fixture.php(
      site,
      `${fill} $wpdb->query("CREATE VIEW wp_seen AS SELECT id, v FROM wp_shop"); $wpdb->query("CREATE TRIGGER wp_loud BEFORE INSERT ON wp_shop FOR EACH ROW SET NEW.v = CONCAT(NEW.v, '!')"); $wpdb->query("CREATE PROCEDURE left_behind() SELECT 1");`,
    )
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
    await rm(folder, { recursive: true, force: true })
  })
  /** SQLite has numbers where MySQL has decimals with a fixed number of digits. */
  const seen = async (of: SiteRef): Promise<string> =>
    (await fixture.php(of, look)).replaceAll(/(\.\d*?)0+"/g, '$1"').replaceAll('."', '"')
  /** A login as a site's own user, from outside. */
  const loginOf = async (of: SiteRef): Promise<MysqlLogin> => {
    const config = await readFile(join((await fixture.engine.filesFolder(of)) ?? '', 'wp-config.php'), 'utf8')
    const password = /'DB_PASSWORD', '([^']+)'/.exec(config)?.[1] ?? ''
    if (programs === null) throw new Error('Nothing is installed.')
    const { socket, account } = await prepareMysqlHome(fixture.dataDir, silentLog)
    return { programs, account, address: { path: socket }, user: databaseOf(of.id), password }
  }
  const exported = async (of: SiteRef): Promise<{ path: string; lines: string[] }> => {
    const lines = await run(fixture.engine.exports.exportSteps(of))
    counter += 1
    const path = join(folder, `export-${counter}.zip`)
    await pipeline((await fixture.engine.exports.open(of)).open(), createWriteStream(path))
    return { path, lines }
  }
  const contentOf = async (
    path: string,
  ): Promise<{ manifest: ReturnType<typeof siteManifest.parse>; dump: string }> => {
    const zip = await openPromise(path)
    const found = new Map<string, string>()
    for await (const entry of zip.eachEntry())
      if (['manifest.json', 'database.sql'].includes(entry.fileName))
        found.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
    return {
      manifest: siteManifest.parse(JSON.parse(found.get('manifest.json') ?? '')),
      dump: found.get('database.sql') ?? '',
    }
  }
  const importFrom = async (path: string, database: SiteDatabaseKind = 'sqlite'): Promise<ImportSpec> => {
    counter += 1
    const number = String(counter).padStart(4, '0')
    const archive = number.padStart(32, '0')
    const target: ImportSpec = {
      ...{ id: `import${number}`, domain: `import-${counter}`, siteType: 'wp', phpVersion: '8.3', server: thisMachine },
      ...{ archive, fileName: 'site.zip', title: null, database },
    }
    await fixture.engine.imports.take(archive, path)
    await run(fixture.engine.imports.importSteps(target))
    return target
  }
  const compare = async (target: ImportSpec) =>
    (await fixture.engine.imports.compare(target, AbortSignal.timeout(300_000))).report

  test('an export of a site on MySQL has a dump without accounts, and its import has the same content', async () => {
    const before = await seen(site)
    expect(before).toContain('00FF0A275C')
    const { path, lines } = await exported(site)
    expect(lines).toContainEqual(expect.stringContaining('not in the dump: left_behind'))
    const { manifest, dump } = await contentOf(path)
    expect(dump).toContain('VIEW `wp_seen`')
    expect(dump).toMatch(/TRIGGER `?wp_loud/)
    expect(dump.replaceAll('DEFINER=`a`@`b`', '')).not.toContain('DEFINER=')
    expect(manifest.tables).toMatchObject({ wp_shop: 2 })
    expect(manifest.table_prefix).toBe('wp_')
    // Neither the dump nor its first copy stays.
    for (const name of ['exports', 'www/wp-content/database'])
      expect(
        (await readdir(join(fixture.dataDir, 'local', 'sites', site.id, name))).filter((one) => one.endsWith('.sql')),
      ).toEqual([])

    const target = await importFrom(path)
    expect(await seen(target)).toBe(before)
    const report = await compare(target)
    const rows = Object.values(manifest.tables).reduce((sum, one) => sum + one, 0)
    expect(report.counts).toContainEqual({ what: 'rows', expected: rows, found: rows })
    expect(report.defects.map(({ kind, what }) => [kind, /VIEW|TRIGGER/.exec(what)?.[0]])).toEqual([
      ['statement', 'TRIGGER'],
      ['statement', 'VIEW'],
    ])
    await fixture.engine.destroy(target)
  })

  test('an export becomes a site on MySQL, with views and triggers of its own', async () => {
    const before = await seen(site)
    const { path } = await exported(site)
    const target = await importFrom(path, 'mysql')
    expect(await seen(target)).toBe(before)
    const { defects, counts } = await compare(target)
    expect(defects).toEqual([])
    for (const { what, expected, found } of counts) expect([what, found]).toEqual([what, expected])
    const own = `${load} $wpdb->query("INSERT INTO wp_shop (v) VALUES ('new')"); echo json_encode(array(DB_NAME, get_option('home'), $wpdb->get_col("SELECT v FROM wp_seen WHERE v LIKE 'new%'"), $wpdb->get_col("SELECT DEFINER = CURRENT_USER() FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() UNION ALL SELECT DEFINER = CURRENT_USER() FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()")), JSON_UNESCAPED_SLASHES);`
    expect(JSON.parse(await fixture.php(target, own))).toEqual([
      databaseOf(target.id),
      `http://${target.domain}.localhost:${fixture.port}`,
      ['new!'],
      ['1', '1'],
    ])
    expect((await fixture.fetch(target, '/')).status).toBe(200)
    expect(await fixture.errors(target)).toEqual([])
    // What connects WordPress to SQLite is there; only the view stands in the way.
    await expect(run(fixture.engine.databaseMoves.steps(target, 'sqlite'))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('SQLite can’t have'),
    })
    await fixture.engine.databaseMoves.undo(target)
    await fixture.engine.destroy(target)
  })

  test('every statement of an export of a site on SQLite runs in the real server, with every row', async () => {
    const source = await fixture.create({ siteType: 'wp' })
    await fixture.php(source, fill)
    const before = await seen(source)
    const { path } = await exported(source)
    const { manifest, dump } = await contentOf(path)
    const file = join(folder, 'sqlite.sql')
    await writeFile(file, dump)
    const sink = await fixture.create({ siteType: 'wp', database: 'mysql' })
    const login = await loginOf(sink)
    const database = databaseOf(sink.id)
    await loadStatements(login, database, { content: createReadStream(file), signal: AbortSignal.timeout(300_000) })
    const tables = Object.entries(manifest.tables)
    expect(tables.length).toBeGreaterThan(12)
    for (const [name, rows] of tables) {
      const found = await runSql(login, `SELECT COUNT(*) FROM \`${database}\`.\`${name}\`;`)
      expect([name, found]).toEqual([name, [[String(rows)]]])
    }
    expect(await seen(sink)).toBe(before)
    await fixture.engine.destroy(source)
    await fixture.engine.destroy(sink)
  })

  test.each([
    ['as the program writes them', []],
    ['with routines', ['--routines']],
    ['with a statement for each row and all columns', ['--skip-extended-insert', '--complete-insert']],
    ['without comments and hints', ['--compact', '--skip-opt', '--create-options']],
    ['with bytes in hexadecimal', ['--hex-blob', '--single-transaction']],
  ])('dumps of a WordPress are imported into SQLite, %s', async (_how, options) => {
    const before = await seen(site)
    const login = await loginOf(site)
    const { path: socket } = login.address as { path: string }
    const { stdout } = await promisify(execFile)(
      login.programs.dump,
      // The fourth is for MySQL's, which may not flush tables here.
      [
        '--no-defaults',
        `--socket=${socket}`,
        `--user=${login.user}`,
        '--loose-set-gtid-purged=OFF',
        ...options,
        databaseOf(site.id),
      ],
      { ...asAccount(login.account), env: { MYSQL_PWD: login.password }, encoding: 'buffer', maxBuffer: 1e8 },
    )
    const path = join(folder, `dump-${(counter += 1)}.zip`)
    await writeFile(
      path,
      makeZip([
        { name: 'wp-content/uploads/2024/05/there.txt', content: Buffer.from('there') },
        { name: 'dump.sql', content: stdout },
      ]),
    )
    const target = await importFrom(path)
    expect(await seen(target)).toBe(before)
    const { defects } = await compare(target)
    const statements = defects.filter(({ kind }) => kind.includes('statement') || kind === 'row')
    expect(statements.map(({ what }) => /VIEW|TRIGGER|PROCEDURE/.exec(what)?.[0] ?? what).toSorted()).toEqual(
      options.includes('--routines') ? ['PROCEDURE', 'TRIGGER', 'VIEW'] : ['TRIGGER', 'VIEW'],
    )
    await fixture.engine.destroy(target)
  })
})
