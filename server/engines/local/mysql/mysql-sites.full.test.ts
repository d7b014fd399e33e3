import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { runSql } from '#server/platform/mysql/mysql-client.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { databaseOf } from './site-statements.ts'

const programs = await findMysql()
const isInstalled = mysqlCapability(programs, null).supported

async function run(steps: readonly EngineStep[]): Promise<string[]> {
  const lines: string[] = []
  for (const step of steps)
    await step.run({
      operationId: 'op',
      log: (line) => void lines.push(line),
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
  return lines
}

const load = `require '/wordpress/wp-load.php'; global $wpdb; `
const which = `echo class_exists('WP_SQLite_DB') ? 'sqlite' : 'mysql';`

describe.skipIf(!isInstalled)('sites on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture({ mysql: { url: null } })
    site = await fixture.create({ siteType: 'wp', database: 'mysql' })
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
  })
  /** What code of the site gets for a statement: its first value, or the error. */
  const query = (sql: string) =>
    fixture.php(
      site,
      `${load} $wpdb->suppress_errors(); $r = $wpdb->get_var(base64_decode('${Buffer.from(sql).toString('base64')}')); echo $wpdb->last_error ?: json_encode($r);`,
    )
  const home = () => prepareMysqlHome(fixture.dataDir, silentLog)
  /** The code with which a login as the site's user is refused from outside; null if it works. */
  const refusal = async (): Promise<number | null> => {
    const config = await readFile(join((await fixture.engine.filesFolder(site)) ?? '', 'wp-config.php'), 'utf8')
    const password = /'DB_PASSWORD', '([^']+)'/.exec(config)?.[1] ?? ''
    if (programs === null) throw new Error('Nothing is installed.')
    const { socket, account } = await home()
    const login = { programs, account, address: { path: socket }, user: databaseOf(site.id), password }
    return runSql(login, 'SELECT 1;').then(
      () => null,
      (error: { code: number }) => error.code,
    )
  }

  test('show their homepage, with WordPress’s own connection to MySQL', async () => {
    const page = await fixture.fetch(site, '/')
    expect(page.status).toBe(200)
    expect(page.body).toContain(site.title)
    expect(await fixture.php(site, load + which)).toBe('mysql')
    expect(await fixture.errors(site)).toEqual([])
  })

  test('are also there for plugins that use PDO', async () => {
    const title = await fixture.php(
      site,
      `${load} list($host, $port) = explode(':', DB_HOST . ':3306'); $pdo = new PDO("mysql:host=$host;port=$port;dbname=" . DB_NAME, DB_USER, DB_PASSWORD); echo $pdo->query("SELECT option_value FROM wp_options WHERE option_name = 'blogname'")->fetchColumn();`,
    )
    expect(title).toBe(site.title)
  })

  test('get nothing of other databases, files or rights from the server', async () => {
    const databases = await fixture.php(site, `${load} echo json_encode($wpdb->get_col('SHOW DATABASES'));`)
    // MySQL shows the schema of its own measurements, which are off, to everybody.
    expect(databases.replace(',"performance_schema"', '')).toBe(
      JSON.stringify([databaseOf(site.id), 'information_schema']),
    )
    expect(await query("SELECT LOAD_FILE('/etc/passwd')")).toBe('null')
    for (const sql of [
      'SELECT * FROM mysql.user',
      'SELECT * FROM easydashother00000.wp_users',
      'CREATE DATABASE easydashother00000',
      "SELECT 1 INTO OUTFILE '/tmp/easydash-outfile'",
      "LOAD DATA INFILE '/etc/passwd' INTO TABLE wp_options",
      "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE wp_options",
      "CREATE USER 'x'@'localhost'",
      `GRANT ALL ON *.* TO '${databaseOf(site.id)}'@'localhost'`,
      'SET GLOBAL max_connections = 1',
      "CREATE FUNCTION sys_exec RETURNS int SONAME 'x.so'",
      'CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO DELETE FROM wp_posts',
      'SHUTDOWN',
      "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('x')",
    ])
      expect([sql, await query(sql)]).toEqual([
        sql,
        // The last one is no statement of MySQL's.
        expect.stringMatching(/denied|disabled|not allowed|need|forbidden|near 'PASSWORD/i),
      ])
    const connect = (user: string) =>
      fixture.php(
        site,
        `mysqli_report(MYSQLI_REPORT_OFF); $m = @new mysqli('127.0.0.1', '${user}', '', '', 3306); echo $m->connect_errno;`,
      )
    // We run as root, or as the user the server runs as: that must not count as a password.
    for (const user of ['root', 'mysql', 'mariadb.sys', ''])
      expect([user, await connect(user)]).not.toEqual([user, '0'])
  })

  test('count their database toward the quota', async () => {
    const before = (await fixture.engine.observe(site)).storage?.bytes ?? 0
    await query('CREATE TABLE big (a longblob)')
    await fixture.php(
      site,
      `${load} for ($i = 0; $i < 8; $i++) $wpdb->query("INSERT INTO big VALUES (REPEAT('x', 4000000))");`,
    )
    await query('ANALYZE TABLE big')
    await fixture.engine.sleepAll()
    await fixture.engine.round()
    const after = (await fixture.engine.observe(site)).storage?.bytes ?? 0
    expect(after - before).toBeGreaterThan(25_000_000)
    await query('DROP TABLE big')
  })

  test('are suspended in the next round once their database outgrows the quota', async () => {
    const quota = { disk_mb: 100, files: 100_000, log_mb: 10, outbox_mb: 10 }
    await fixture.engine.quotas.set(site.id, quota)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await fixture.engine.observe(site)
    await query('CREATE TABLE fast (a longblob) STATS_AUTO_RECALC=0')
    await fixture.php(
      site,
      `${load} for ($i = 0; $i < 50; $i++) $wpdb->query("INSERT INTO fast VALUES (REPEAT('x', 4000000))");`,
    )
    await fixture.engine.round()
    expect((await fixture.engine.observe(site)).storage?.state).toBe('suspended')
    await until(async () => (await refusal()) !== null)
    await fixture.engine.quotas.set(site.id, { ...quota, disk_mb: 2_000 })
    await fixture.engine.round()
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await query('DROP TABLE fast')
  })

  test('lock their user while they do not run', async () => {
    expect(await refusal()).toBeNull()
    await fixture.engine.sleepAll()
    await until(async () => (await refusal()) !== null)
    // 4151: MariaDB, 3118: MySQL ("account is locked").
    expect([4151, 3118]).toContain(await refusal())
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    expect(await refusal()).toBeNull()
  })

  test('come back after the server was killed', async () => {
    const { folder } = await home()
    const pid = Number(await readFile(join(folder.home, 'server.pid'), 'utf8'))
    process.kill(pid, 'SIGKILL')
    await until(async () => (await fixture.fetch(site, '/')).status === 200 && (await query('SELECT 1')) === '"1"')
  })

  test('go into the archive and come back with their content', async () => {
    await query("INSERT INTO wp_options (option_name, option_value) VALUES ('kept', 'yes')")
    await run(fixture.engine.archiveSteps(site))
    await until(async () => (await fixture.engine.observe(site)).state === 'archived')
    await run(fixture.engine.restoreArchiveSteps(site))
    expect(await query("SELECT option_value FROM wp_options WHERE option_name = 'kept'")).toBe('"yes"')
  })

  const content = `${load} $rows = array(); foreach ($wpdb->get_results('SELECT * FROM wp_posts ORDER BY ID', ARRAY_A) as $r) $rows[] = $r; echo md5(serialize($rows)), ' ', get_option('kept'), ' ', json_encode(get_option('mixed')), ' '; ${which}`
  const move = (to: SiteDatabaseKind) => run(fixture.engine.databaseMoves.steps(site, to))

  test('move to SQLite and back with all of their content', async () => {
    await fixture.php(
      site,
      `${load} for ($i = 0; $i < 5; $i++) wp_insert_post(wp_slash(array('post_title' => "Ü 😀 ' \\\\ $i", 'post_status' => 'publish', 'post_content' => "a\\0b\\n"))); update_option('mixed', array('ü' => 1.5, "'" => null)); $wpdb->query("CREATE TABLE shop (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, price decimal(19,4), rate double, made datetime NOT NULL DEFAULT '0000-00-00 00:00:00', raw longblob)"); $wpdb->query("INSERT INTO shop (price, rate, raw) VALUES (12.5, 1e20, 0x00ff27), (7, 0.1, NULL)");`,
    )
    const before = await fixture.php(site, content)
    expect(before).toMatch(/ yes .*mysql$/)
    expect(await move('sqlite')).toContainEqual(
      expect.stringMatching(/^Compared \d+ tables .* all of them are the same$/),
    )
    // Visitors are kept out until the end.
    expect((await fixture.fetch(site, '/')).status).toBe(503)
    await fixture.engine.databaseMoves.finish(site)
    expect(await fixture.php(site, content)).toBe(before.replace(/mysql$/, 'sqlite'))
    expect(await refusal()).toBe(1045)
    await move('mysql')
    await fixture.engine.databaseMoves.finish(site)
    expect(await fixture.php(site, content)).toBe(before)
    expect(
      await fixture.php(site, `echo is_file('/wordpress/wp-content/database/.ht.sqlite') ? 'left' : 'gone';`),
    ).toBe('gone')
  })

  test('stay where they are if a move is taken back, at any point', async () => {
    const before = await fixture.php(site, content)
    const steps = fixture.engine.databaseMoves.steps(site, 'sqlite')
    for (const count of [1, 2, 3]) {
      await run(steps.slice(0, count))
      expect(await fixture.engine.databaseMoves.undo(site)).toBe('mysql')
      expect([count, await fixture.php(site, content)]).toEqual([count, before])
    }
    expect(await fixture.engine.databaseMoves.undo(site)).toBe('mysql')
  })

  test('refuse a move that would lose something, and stay', async () => {
    await query('CREATE VIEW titles AS SELECT post_title FROM wp_posts')
    await expect(move('sqlite')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('SQLite can’t have'),
    })
    expect(await fixture.engine.databaseMoves.undo(site)).toBe('mysql')
    await query('DROP VIEW titles')
    const path = join((await fixture.engine.filesFolder(site)) ?? '', 'wp-config.php')
    const config = await readFile(path, 'utf8')
    await fixture.writeFile(
      site,
      'wp-config.php',
      config
        .replace("define( 'DB_HOST',", "const X = 1; define( 'DB_HOST' ,")
        .replace(/'DB_HOST' , '([^']+)'/, "'DB_HOST', '$1' . ''"),
    )
    await expect(move('sqlite')).rejects.toMatchObject({ message: expect.stringContaining('must define DB_HOST once') })
    expect(await fixture.engine.databaseMoves.undo(site)).toBe('mysql')
    await fixture.writeFile(site, 'wp-config.php', config)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  })

  test('are deleted with their database and user', async () => {
    const { folder } = await home()
    const path = join(folder.data, databaseOf(site.id))
    expect(await exists(path)).toBe(true)
    await fixture.engine.destroy(site)
    expect(await exists(path)).toBe(false)
    expect(await fixture.hosted(site)).toBeUndefined()
  })
})
