import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { ImportSpec } from '../../site-imports.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import { makeZip } from '../core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { dumpOf } from '../portable/dump-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { databaseOf } from './site-statements.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported

async function run(steps: readonly EngineStep[]): Promise<void> {
  const signal = AbortSignal.timeout(300_000)
  for (const step of steps)
    await step.run({ operationId: 'op', log: () => undefined, progress: () => undefined, signal })
}

const load = `require '/wordpress/wp-load.php'; global $wpdb; ini_set('display_errors', '1'); `

describe.skipIf(!isInstalled)('imports into MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let other: SiteSpec
  let folder = ''
  let counter = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mysql-imports-'))
    fixture = await startFixture({ mysql: { url: null } })
    other = await fixture.create({ siteType: 'wp', database: 'mysql' })
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
    await rm(folder, { recursive: true, force: true })
  })
  const targetOf = async (dump: string): Promise<ImportSpec> => {
    counter += 1
    const path = join(folder, `archive-${counter}.zip`)
    await writeFile(
      path,
      makeZip([
        { name: 'wp-content/themes/twentytwentyfour/own.txt', content: Buffer.from('mine') },
        { name: 'database.sql', content: Buffer.from(dump) },
      ]),
    )
    const number = String(counter).padStart(4, '0')
    const archive = number.padStart(32, '0')
    await fixture.engine.imports.take(archive, path)
    return {
      ...{ id: `import${number}`, domain: `import-${counter}`, siteType: 'wp', phpVersion: '8.3', server: thisMachine },
      ...{ archive, fileName: 'site.zip', title: null, database: 'mysql' },
    }
  }
  const defectsOf = async (target: ImportSpec) =>
    (await fixture.engine.imports.compare(target, AbortSignal.timeout(300_000))).report.defects
  const json = async (site: SiteRef, code: string): Promise<unknown> =>
    JSON.parse(await fixture.php(site, `${load} ${code}`))
  /** All rows of a site; of the options, which WordPress changes by itself, only those that it does not. */
  const everything = `$all = array(); foreach ($wpdb->get_col("SHOW TABLES") as $t) { $all[$t] = $wpdb->get_results("SELECT * FROM \`$t\`" . ('wp_options' === $t ? " WHERE option_name IN ('siteurl', 'home', 'blogname', 'admin_email', 'active_plugins', 'wp_user_roles', 'taken') ORDER BY 1" : ''), ARRAY_N); } echo json_encode($all);`

  test('a dump of MySQL 8 runs, and what a table can’t have is named row by row', async () => {
    const more = `INSERT INTO \`wp_links\` VALUES (1,'one'),(2,'${'x'.repeat(300)}'),(3,'three'),(1,'again');
INSERT INTO wp_links (link_url) VALUES (CONCAT('fo', 'ur'));
CREATE TABLE \`wp_old\` (\`a\` int) ENGINE=MyISAM ROW_FORMAT=FIXED;
INSERT INTO \`wp_old\` VALUES (1),(2);`
    const target = await targetOf(dumpOf({ more }))
    await run(fixture.engine.imports.importSteps(target))
    const url = `http://${target.domain}.localhost:${fixture.port}`
    expect((await fixture.fetch(target, '/first/')).body).toContain(`<a href="${url}/second/">here</a>`)
    expect(
      await json(
        target,
        `echo json_encode(array(get_option('widget_own'), get_option('blogname'), bin2hex(get_option('odd')), get_option('hex'), $wpdb->get_col("SELECT link_url FROM wp_links ORDER BY link_id"), $wpdb->get_var("SELECT post_date FROM wp_posts WHERE ID = 8"), $wpdb->get_var("SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_NAME = 'wp_old' AND TABLE_SCHEMA = DATABASE()")), JSON_UNESCAPED_SLASHES);`,
      ),
    ).toEqual([
      { text: `${url}/about`, two: [url] },
      'Ann\'s "Shop" – ü;',
      Buffer.from('a;b -- c /* d */ \\ \0 \x1a').toString('hex'),
      'abc',
      ['one', 'three', 'four'],
      '0000-00-00 00:00:00',
      'InnoDB',
    ])
    expect((await defectsOf(target)).filter(({ kind }) => kind === 'row')).toEqual([
      { kind: 'row', what: 'wp_links', detail: expect.stringContaining('too long') },
      { kind: 'row', what: 'wp_links', detail: expect.stringContaining('Duplicate') },
    ])
    await fixture.engine.destroy(target)
  })

  test('a hostile dump does nothing beyond the database of its site', async () => {
    const theirs = databaseOf(other.id)
    const before = await json(other, everything)
    const marker = join(folder, 'escaped')
    const hostile = [
      `USE ${theirs}`,
      `GRANT ALL ON *.* TO CURRENT_USER()`,
      `GRANT ALL ON ${theirs}.* TO CURRENT_USER()`,
      `CREATE USER 'x'@'localhost'`,
      `SET PASSWORD = PASSWORD('x')`,
      `SET GLOBAL max_connections = 1`,
      `DROP DATABASE ${theirs}`,
      `DROP TABLE ${theirs}.wp_posts`,
      `DROP TABLE IF EXISTS wp_old, ${theirs}.wp_posts`,
      `INSERT INTO ${theirs}.wp_options (option_name, option_value) VALUES ('taken', 'over')`,
      `INSERT INTO wp_options SELECT * FROM ${theirs}.wp_options`,
      `INSERT INTO mysql.global_priv VALUES ('localhost', 'x', '{}')`,
      `CREATE TABLE wp_stolen AS SELECT * FROM ${theirs}.wp_users`,
      `CREATE TABLE wp_like LIKE mysql.user`,
      `CREATE TABLE wp_far (a int) ENGINE=FEDERATED CONNECTION='mysql://root@localhost/mysql/user'`,
      `CREATE TABLE wp_near (a int) DATA DIRECTORY='${folder}'`,
      `LOAD DATA INFILE '/etc/passwd' INTO TABLE wp_options`,
      `LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE wp_links`,
      `SELECT * FROM wp_users INTO OUTFILE '${marker}'`,
      `INSERT INTO wp_links (link_url) VALUES (LOAD_FILE('/etc/passwd'))`,
      `INSERT INTO wp_links (link_url) SELECT 'x' INTO OUTFILE '${marker}'`,
      `CREATE EVENT wp_later ON SCHEDULE EVERY 1 SECOND DO DELETE FROM wp_posts`,
      `CREATE DEFINER=\`root\`@\`localhost\` PROCEDURE wp_p() SELECT * FROM mysql.user`,
      `CREATE DEFINER=\`root\`@\`localhost\` FUNCTION wp_f() RETURNS int RETURN 1`,
      `CREATE FUNCTION sys_exec RETURNS int SONAME 'x.so'`,
      `CREATE DEFINER=\`root\`@\`localhost\` SQL SECURITY DEFINER VIEW wp_accounts AS SELECT * FROM mysql.user`,
      `CREATE DEFINER='root'@'localhost' SQL SECURITY DEFINER VIEW wp_titles AS SELECT post_title FROM wp_posts`,
      `CREATE VIEW ${theirs}.wp_v AS SELECT 1`,
      `CREATE DEFINER=root@localhost TRIGGER wp_t BEFORE INSERT ON wp_links FOR EACH ROW SET NEW.link_url = CURRENT_USER()`,
      `CREATE TRIGGER wp_t2 BEFORE INSERT ON ${theirs}.wp_posts FOR EACH ROW SET NEW.post_title = 'x'`,
      `/*!50003 DROP TABLE ${theirs}.wp_posts */`,
      `/*M!100000 GRANT ALL ON *.* TO CURRENT_USER() */`,
      `INSERT INTO wp_links (link_url) VALUES ('a') /*! ; DROP TABLE ${theirs}.wp_posts */`,
      `INSERT INTO other_users VALUES (1)`,
      `CALL ${theirs}.p()`,
      `KILL 1`,
      `SHUTDOWN`,
      `INSTALL SONAME 'x'`,
    ]
    const client = [
      `\\! touch ${marker}`,
      `system touch ${marker}`,
      `source /etc/passwd`,
      `\\. /etc/passwd`,
      `tee ${marker}`,
      `connect mysql`,
    ]
    const more = `${hostile.join(';\n')};\n${client.join('\n')}\n;\nDELIMITER //\nDROP TABLE ${theirs}.wp_posts; SELECT 1//\nDELIMITER ;\n${client.map((line) => `${line};`).join('\n')}\nINSERT INTO wp_options (option_name, option_value) VALUES ('last', 'there');\n`
    const target = await targetOf(dumpOf({ more }))
    const grants = `echo json_encode($wpdb->get_col('SHOW GRANTS'));`
    const theirGrants = await json(other, grants)
    await run(fixture.engine.imports.importSteps(target))
    expect((await fixture.fetch(target, '/first/')).status).toBe(200)
    expect(await json(other, everything)).toEqual(before)
    expect(await json(other, grants)).toEqual(theirGrants)
    expect(await exists(marker)).toBe(false)
    const { folder: home } = await prepareMysqlHome(fixture.dataDir, silentLog)
    expect(
      (await readdir(home.data)).filter((name) => name.startsWith('easydash')).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual([databaseOf(other.id), databaseOf(target.id)])
    const own = databaseOf(target.id)
    const found = (await json(
      target,
      `echo json_encode(array($wpdb->get_col('SHOW GRANTS'), $wpdb->get_col("SHOW DATABASES LIKE 'easydash%'"), $wpdb->get_col("SHOW TABLES"), $wpdb->get_col("SELECT DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() UNION ALL SELECT DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()"), $wpdb->get_col("SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()"), get_option('last'), $wpdb->get_col("SELECT link_url FROM wp_links WHERE link_url LIKE '%root:%'")));`,
    )) as unknown[]
    expect(
      JSON.stringify(found[0])
        .replaceAll(own, theirs)
        .replaceAll(/PASSWORD '[^']*'/g, ''),
    ).toBe(JSON.stringify(theirGrants).replaceAll(/PASSWORD '[^']*'/g, ''))
    expect(found.slice(1)).toEqual([
      [own],
      expect.not.arrayContaining(['wp_stolen', 'wp_like', 'wp_far', 'wp_accounts', 'other_users']),
      [`${own}@localhost`, `${own}@localhost`],
      [],
      'there',
      [],
    ])
    const defects = await defectsOf(target)
    expect(defects.filter(({ kind }) => kind === 'statement').length).toBeGreaterThan(10)
    expect(defects.filter(({ kind }) => kind === 'refused_statement').length).toBeGreaterThan(3)
    await fixture.engine.destroy(target)
  })
})
