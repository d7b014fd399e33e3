import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { runSql } from '#server/platform/mysql/mysql-client.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { looksReading } from '#shared/rules/site-console.ts'
import { phpProgram, resultMark } from '../../ee/php-program.ts'
import type { SiteSpec } from '../../engine.ts'
import type { RowQuery } from '../../site-database.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { databaseOf, viewerOf } from './site-statements.ts'

const programs = await findMysql()
const isInstalled = mysqlCapability(programs, null).supported

describe.skipIf(!isInstalled)('a MySQL database, browsed (skipped where MariaDB or MySQL is not installed)', () => {
  let f: EngineFixture
  let site: SiteSpec
  let ahead = 0
  const rows = (query: Omit<RowQuery, 'start'> & { start?: number }) =>
    f.engine.database.rows(site, { start: 0, ...query })
  /** Runs statements as a plugin can. */
  const asSite = (code: string) =>
    f.php(
      site,
      `require '/wordpress/wp-load.php'; mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT); $db = $wpdb->dbh; ${code} echo 'ok';`,
    )
  const sql = (...statements: string[]) =>
    asSite(statements.map((one) => `$db->query(base64_decode('${Buffer.from(one).toString('base64')}'));`).join(' '))
  const query = (statement: string) => f.engine.database.query(site, statement)
  const title = async () =>
    (await query("SELECT option_value FROM wp_options WHERE option_name = 'blogname'"))?.rows[0]?.[0]?.text
  const kept = async () =>
    (await readdir(join(f.dataDir, 'local', 'sites', site.id))).filter((name) => name.endsWith('.sql'))
  const setTitle = (text: string) => `UPDATE wp_options SET option_value = '${text}' WHERE option_name = 'blogname'`

  beforeAll(async () => {
    f = await startFixture({ mysql: { url: null }, clock: () => Date.now() + ahead })
    site = await f.create({ siteType: 'wp', database: 'mysql' })
    // They would write to the database at any moment.
    await f.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
  })
  afterAll(async () => {
    await f?.end()
    await removeOutsideFolders(f.dataDir)
  })

  test('names with quotes, spaces and signs are shown and found', async () => {
    const [table, column] = ['we"ird \'tab;`le', 'a"b\'c -- ?`']
    const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
    await sql(
      `CREATE TABLE ${quoted(table)} (id int PRIMARY KEY, ${quoted(column)} varchar(90))`,
      `INSERT INTO ${quoted(table)} VALUES (1, '100%'), (-2, 'a\\\\b'), (3, NULL)`,
    )
    expect((await f.engine.database.tables(site)).tables).toContainEqual(
      expect.objectContaining({ name: table, rows: 3, columns: 2, more: false }),
    )
    const found = await rows({ table, filter: { column, operator: 'contains', value: '0%' } })
    expect(found).toMatchObject({
      total: 1,
      columns: [{ name: 'id', key: true, type: expect.stringMatching(/^int/) }, { name: column }],
    })
    const backslash = await rows({ table, filter: { column, operator: 'contains', value: '\\' } })
    expect(backslash.rows.map(({ row }) => row)).toEqual(['-2'])
    expect(await f.engine.database.cell(site, { table, column, row: '-2', start: 0 })).toMatchObject({
      kind: 'text',
      text: 'a\\b',
      bytes: 3,
    })
    const word = { column: 'id', operator: 'equals', value: 'word' } as const
    expect((await rows({ table, filter: word })).total).toBe(0)
    const sorted = await rows({ table, sort: { column, descending: true } })
    expect(sorted.rows.map(({ cells }) => cells[1]?.text)).toEqual(['a\\b', '100%', undefined])
  })

  test('huge, binary and broken values are cut and read in parts', async () => {
    await sql(
      'CREATE TABLE odd (id int PRIMARY KEY AUTO_INCREMENT, t longtext, b longblob, l varchar(9) CHARACTER SET latin1, p point, f bit(9))',
    )
    await asSite(
      `$db->query("INSERT INTO odd (t, b, l, p, f) VALUES (REPEAT('ä\\"\\\\\\\\', 1000000), CONCAT(0xff00fe, REPEAT('x', 100000)), 0xe4, ST_GeomFromText('POINT(1 1)'), 257)");`,
    )
    const { rows: found } = await rows({ table: 'odd' })
    expect(found[0]?.cells.map((cell) => cell?.kind)).toEqual(['number', 'text', 'binary', 'text', 'binary', 'number'])
    expect(found[0]?.cells[1]).toMatchObject({ bytes: 4_000_000, cut: true })
    expect(found[0]?.cells[2]).toMatchObject({
      text: expect.stringMatching(/^FF00FE78(78)+$/),
      cut: true,
      bytes: 100_003,
    })
    expect([found[0]?.cells[3], found[0]?.cells[5]]).toMatchObject([
      { text: 'ä', bytes: 1, cut: false },
      { text: '257' },
    ])
    const part = (column: string, start: number) =>
      f.engine.database.cell(site, { table: 'odd', column, row: '1', start })
    const first = await part('t', 0)
    const next = await part('t', first.next ?? 0)
    expect(first.text + next.text).toBe('ä"\\'.repeat(1_000_000).slice(0, first.text.length + next.text.length))
    expect(await part('t', 2_999_999)).toMatchObject({ text: '\\', next: null })
    expect((await part('b', 0)).text.slice(0, 8)).toBe('FF00FE78')
    const result = await query("SELECT t AS a, NULL AS b, 0xff AS c, 1.50 AS d, '7' AS e FROM odd")
    expect(result?.rows[0]).toMatchObject([
      { kind: 'text', bytes: 4_000_000, cut: true },
      null,
      { kind: 'binary', text: 'ff' },
      { kind: 'number', text: '1.50' },
      { kind: 'text', text: '7' },
    ])
  })

  test('tables with as many columns as there can be, full of numbers, and with composite keys', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`)
    await sql(
      `CREATE TABLE wide (${names.map((name) => `${name} int DEFAULT 123456789`).join(', ')})`,
      `INSERT INTO wide (c0) VALUES ${Array.from({ length: 60 }, (_, index) => `(${index})`).join(', ')}`,
    )
    const wide = await rows({ table: 'wide' })
    expect(wide.columns.length + wide.omitted).toBe(1_000)
    expect(wide).toMatchObject({ total: 60, last: false })
    expect(wide.rows.map(({ row, cells }) => [row, cells.length])).toEqual(
      Array.from({ length: databaseLimits.rows }, () => [null, wide.columns.length]),
    )
    const relations = await rows({ table: 'wp_term_relationships' })
    expect(relations.rows[0]?.row).toBeNull()
    const all = await query('SELECT * FROM wide')
    expect((all?.columns.length ?? 0) + (all?.omitted ?? 0)).toBe(1_000)
    expect(await f.engine.database.tables(site)).toMatchObject({ omitted: 0 })
  })

  test('values named as secrets are hidden, whatever the collation, and no filter or order reveals them', async () => {
    await asSite(`update_option('my_api_key', 'k-12345'); update_option('plain', 'k-99999');`)
    await sql(
      'CREATE TABLE own (id int PRIMARY KEY, meta_key varchar(50) COLLATE utf8mb4_bin, meta_value varbinary(50), User_Pass text)',
      "INSERT INTO own VALUES (1, 'MY_TOKEN', 'k-777', 'k-888'), (2, 'other', 'k-555', 'k-888')",
    )
    const named = async (operator: 'contains' | 'differs' | 'not_null', value: string) =>
      JSON.stringify(await rows({ table: 'wp_options', filter: { column: 'option_value', operator, value } }))
    expect(await named('contains', 'k-')).toContain('plain')
    for (const [operator, value] of [
      ['contains', 'k-1'],
      ['differs', 'other'],
      ['not_null', ''],
    ] as const)
      expect(await named(operator, value)).not.toContain('my_api_key')
    const own = await rows({ table: 'own', sort: { column: 'meta_value', descending: true } })
    expect(own.rows.map(({ cells }) => cells.map((cell) => cell?.text))).toEqual([
      ['2', 'other', '6B2D353535', ''],
      ['1', 'MY_TOKEN', '', ''],
    ])
    const cell = (column: string) => f.engine.database.cell(site, { table: 'own', column, row: '1', start: 0 })
    for (const column of ['meta_value', 'User_Pass'])
      await expect(cell(column)).rejects.toMatchObject({ code: 'invalid' })
  })

  test('code in views, functions, procedures and triggers writes nothing while it is read', async () => {
    await sql(
      'CREATE TABLE marks (a int)',
      'CREATE FUNCTION mark() RETURNS int BEGIN INSERT INTO marks VALUES (1); RETURN 1; END',
      'CREATE PROCEDURE marking() BEGIN COMMIT; INSERT INTO marks VALUES (2); END',
      'CREATE SQL SECURITY DEFINER VIEW marked AS SELECT mark() AS m',
    )
    for (const statement of ['SELECT mark()', 'CALL marking()', 'SELECT * FROM marked', 'DELETE FROM wp_posts'])
      expect([statement, await query(statement)]).toEqual([statement, null])
    await expect(rows({ table: 'marked' })).rejects.toMatchObject({ code: 'not_found' })
    expect((await query('SELECT COUNT(*) AS n FROM marks'))?.rows[0]?.[0]?.text).toBe('0')
    await sql('DROP VIEW marked', 'DROP FUNCTION mark', 'DROP PROCEDURE marking')
  })

  test('what reads as the user of the site, as on servers, writes nothing either', async () => {
    await sql(
      'CREATE TABLE marks_of_own (a int)',
      'CREATE FUNCTION own_mark() RETURNS int BEGIN INSERT INTO marks_of_own VALUES (1); RETURN 1; END',
      'CREATE PROCEDURE own_marking() BEGIN COMMIT; INSERT INTO marks_of_own VALUES (2); END',
    )
    const asOwn = async (statement: string) => {
      const act = looksReading(statement) ? 'read' : 'judge'
      const input = { do: act, sql: statement, limits: databaseLimits, mysql: 'own' }
      const call = { script: 'sql', input, domain: site.domain, isSecure: false, workdir: '/wordpress' }
      const output = await f.php(site, phpProgram(call).replace(/^<\?php/, ''))
      const line = output.split('\n').findLast((one) => one.startsWith(resultMark)) ?? ''
      return JSON.parse(Buffer.from(line.slice(resultMark.length), 'base64').toString()) as Record<string, unknown>
    }
    const setPassword =
      programs?.server?.product === 'MariaDB' ? "SET PASSWORD = PASSWORD('other')" : "SET PASSWORD = 'other'"
    const writing = ['DROP TABLE marks_of_own', 'TRUNCATE marks_of_own', setPassword]
    const hidden = [
      'SELECT own_mark()',
      'CALL own_marking()',
      '/*M! CALL own_marking() */',
      'SHOW TABLES WHERE own_mark()',
    ]
    for (const statement of [...writing, ...hidden, 'INSERT INTO marks_of_own VALUES (3)'])
      expect([statement, await asOwn(statement)]).toEqual([statement, { problem: 'writes', why: '' }])
    expect(await asOwn('SELECT COUNT(*) AS n FROM marks_of_own')).toMatchObject({
      found: { columns: ['n'], rows: [[{ text: '0' }]] },
    })
    for (const statement of ['SELEC 1', 'SELECT * FROM nothing', ''])
      expect(await asOwn(statement)).toMatchObject({ problem: 'sql' })
    await sql('DROP FUNCTION own_mark', 'DROP PROCEDURE own_marking', 'DROP TABLE marks_of_own')
  })

  test('a statement reaches neither files, nor other databases, nor a second statement', async () => {
    for (const statement of [
      'SELECT 1; DELETE FROM wp_posts',
      "SELECT * FROM wp_posts INTO OUTFILE '/tmp/easydash-out.txt'",
      "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE wp_options",
      'SELECT * FROM mysql.user',
      'USE mysql',
      'SET GLOBAL max_connections = 1',
    ]) {
      const refused = f.engine.database.write(site, statement)
      await expect(refused, statement).rejects.toMatchObject({ code: 'invalid' })
      await expect(refused).rejects.not.toThrow(/localhost|127\.0\.0\.1/)
    }
    await expect(query('SELECT * FROM mysql.user')).rejects.toMatchObject({ code: 'invalid' })
    if (programs === null) throw new Error('Nothing is installed.')
    const { socket, account } = await prepareMysqlHome(f.dataDir, silentLog)
    const config = await readFile(join((await f.engine.filesFolder(site)) ?? '', 'wp-config.php'), 'utf8')
    const password = /'DB_PASSWORD', '([^']+)'/.exec(config)?.[1] ?? ''
    const login = { programs, account, address: { path: socket }, user: databaseOf(site.id), password }
    await expect(runSql({ ...login, user: viewerOf(site.id) }, 'SELECT 1;')).rejects.toMatchObject({ code: 1045 })
    const grants = await query('SHOW GRANTS')
    expect(grants?.rows.map(([cell]) => cell?.text.replace(/ TO .*/, ''))).toEqual([
      'GRANT USAGE ON *.*',
      `GRANT SELECT ON \`${databaseOf(site.id)}\`.*`,
    ])
  })

  test('a statement that goes on is ended, by its caller or by the server, and the site goes on', async () => {
    const stopped = f.engine.database.query(site, 'SELECT SLEEP(100)', AbortSignal.timeout(1_500))
    await expect(stopped).rejects.toThrow()
    expect((await f.fetch(site, '/')).status).toBe(200)
    expect(await title()).toBe(site.title)
    await expect(query('SELECT SLEEP(40) FROM wp_options')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The database took too long and was stopped.',
    })
    expect(await title()).toBe(site.title)
  })

  test('a change that fails leaves nothing behind, and one that changes nothing has no undo', async () => {
    await expect(f.engine.database.write(site, 'INSERT INTO wp_posts (ID) VALUES (1, 2)')).rejects.toMatchObject({
      code: 'invalid',
    })
    const none = await f.engine.database.write(site, "UPDATE wp_posts SET post_title = 'x' WHERE ID = 0")
    expect(none).toMatchObject({ affected: 0, undo: null })
    expect(await kept()).toEqual([])
  })

  test('a definition is changed and put back, with no word about it if nobody wrote since', async () => {
    const { undo } = await f.engine.database.write(site, 'DROP TABLE wp_posts')
    expect((await f.engine.database.tables(site)).tables.map(({ name }) => name)).not.toContain('wp_posts')
    const back = await f.engine.database.undo(site, undo ?? '', false)
    const count = async () => (await query('SELECT COUNT(*) FROM wp_posts'))?.rows[0]?.[0]?.text
    expect(Number(await count())).toBeGreaterThan(0)
    await f.engine.database.undo(site, back.undo, false)
    await expect(query('SELECT COUNT(*) FROM wp_posts')).rejects.toMatchObject({ code: 'invalid' })
    await expect(f.engine.database.undo(site, back.undo, true)).rejects.toMatchObject({ code: 'not_found' })
    const known = await f.engine.database.write(site, 'CREATE TABLE wp_posts_gone (a int)')
    await f.engine.database.undo(site, known.undo ?? '', true)
    expect(await kept()).toEqual(['sql-undo.sql'])
  })

  test('an undo says that the site wrote since', async () => {
    await f.engine.database.write(site, setTitle('before'))
    const { undo } = await f.engine.database.write(site, setTitle('SQL title'))
    await sql("INSERT INTO wp_options (option_name, option_value) VALUES ('later', '1')")
    await expect(f.engine.database.undo(site, undo ?? '', false)).rejects.toMatchObject({ code: 'conflict' })
    expect(await title()).toBe('SQL title')
    await f.engine.database.undo(site, undo ?? '', true)
    expect(await title()).toBe('before')
  })

  test('an undo that was cut off keeps visitors out, and the next round completes it', async () => {
    const { undo } = await f.engine.database.write(site, setTitle('cut off'))
    const folder = join(f.dataDir, 'local', 'sites', site.id)
    const dump = join(folder, 'sql-undo.sql')
    const whole = await readFile(dump, 'utf8')
    await writeFile(dump, whole.replace('INSERT INTO `wp_users`', 'INSERT INTO `nowhere`'))
    await expect(f.engine.database.undo(site, undo ?? '', true)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await f.fetch(site, '/')).status).toBe(503)
    await writeFile(dump, whole)
    await f.engine.round()
    // The round does not wait for it.
    await expect.poll(kept, { timeout: 60_000 }).toEqual([])
    expect((await f.fetch(site, '/')).status).not.toBe(503)
    expect(await title()).toBe('before')
  })

  test('the state before is kept for a day', async () => {
    const { undo } = await f.engine.database.write(site, setTitle('later'))
    await f.engine.round()
    expect(await kept()).toEqual(['sql-undo.sql'])
    ahead += 86_400_000
    await f.engine.round()
    expect(await kept()).toEqual([])
    await expect(f.engine.database.undo(site, undo ?? '', true)).rejects.toMatchObject({ code: 'not_found' })
  })
})
