import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RowQuery } from '../../site-database.ts'
import type { SiteSpec } from '../../engine.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

let f: EngineFixture
let site: SiteSpec
const rows = (query: Omit<RowQuery, 'start'> & { start?: number }) =>
  f.engine.database.rows(site, { start: 0, ...query })
const folder = () => join(f.dataDir, 'local', 'sites', site.id, 'www', 'wp-content', 'database')
/** Runs statements in SQLite's own language, as a plugin can. */
const sqlite = (code: string) =>
  f.php(
    site,
    `$db = new PDO('sqlite:/wordpress/wp-content/database/.ht.sqlite', null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]); ${code} echo 'ok';`,
  )
const php = (code: string) => f.engine.console.runPhp(site, code, { safe: false })

beforeAll(async () => {
  f = await startFixture()
  site = await f.create({ siteType: 'wp' })
  // They would write to the database at any moment.
  await f.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
})
afterAll(() => f.end())

describe('a hostile database', () => {
  test('names with quotes, spaces and signs are shown and found', async () => {
    const table = `we"ird 'tab;le`
    const column = `a"b'c -- ?`
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
    const code = `$db->exec(${JSON.stringify(`CREATE TABLE ${quoted(table)} (${quoted(column)} TEXT, rowid TEXT)`)});
      $db->prepare(${JSON.stringify(`INSERT INTO ${quoted(table)} VALUES (?, ?), (?, ?)`)})->execute(['100%', 'x', 'plain', 'y']);`
    expect(await sqlite(code)).toBe('ok')
    expect((await f.engine.database.tables(site)).tables).toContainEqual(
      expect.objectContaining({ name: table, rows: 2, columns: 2 }),
    )
    const found = await rows({
      table,
      filter: { column, operator: 'contains', value: '0%' },
      sort: { column, descending: true },
    })
    expect(found).toMatchObject({ total: 1, columns: [{ name: column }, { name: 'rowid' }] })
    const query = { table, column, row: found.rows[0]?.row ?? '', start: 0 }
    expect(await f.engine.database.cell(site, query)).toMatchObject({ text: '100%', next: null })
  })

  test('many rows are listed, sorted and filtered, or said to take too long on a busy machine', async () => {
    const code = `$db->exec('CREATE TABLE big (id INTEGER PRIMARY KEY, word TEXT)');
      $db->exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) INSERT INTO big SELECT i, 'word ' || (i * 7919 % 1000003) FROM n");`
    expect(await sqlite(code)).toBe('ok')
    const inTime = async <T>(work: Promise<T>): Promise<T | null> => {
      try {
        return await work
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable', message: 'The database took too long and was stopped.' })
        return null
      }
    }
    const { tables } = await f.engine.database.tables(site)
    expect([200_000, null]).toContain(tables.find(({ name }) => name === 'big')?.rows)
    const sorted = await inTime(rows({ table: 'big', sort: { column: 'word', descending: false } }))
    if (sorted) expect(sorted.rows).toHaveLength(databaseLimits.rows)
    const last = await inTime(rows({ table: 'big', start: 199_990 }))
    if (last) expect([last.last, last.total, last.rows.at(-1)?.row]).toEqual([true, 200_000, '200000'])
    const filter = { column: 'word', operator: 'contains', value: 'nowhere' } as const
    const none = await inTime(rows({ table: 'big', filter }))
    if (none) expect(none).toMatchObject({ rows: [], total: 0, last: true })
  })

  test('huge, binary and broken values are cut and read in parts', async () => {
    const code = `$db->exec('CREATE TABLE odd (id INTEGER PRIMARY KEY, value BLOB)');
      $add = $db->prepare('INSERT INTO odd (value) VALUES (?)');
      $add->execute([str_repeat('ä"\\\\', 1000000)]);
      $add->bindValue(1, "\\xff\\x00\\xfe" . str_repeat('x', 100000), PDO::PARAM_LOB); $add->execute();
      $add->execute(["broken \\xff text"]);
      $db->exec('INSERT INTO odd (value) VALUES (zeroblob(100000000))');`
    expect(await sqlite(code)).toBe('ok')
    const { rows: found } = await rows({ table: 'odd' })
    expect(found.map(({ cells }) => cells[1]?.kind)).toEqual(['text', 'binary', 'text', 'binary'])
    expect(found[0]?.cells[1]).toMatchObject({ bytes: 4_000_000, cut: true })
    expect(found[2]?.cells[1]?.text).toBe('broken \uFFFD text')
    const part = (row: string, start: number) =>
      f.engine.database.cell(site, { table: 'odd', column: 'value', row, start })
    const first = await part('1', 0)
    expect(first).toMatchObject({ kind: 'text', bytes: 4_000_000 })
    expect(first.text.startsWith('ä"\\ä"\\')).toBe(true)
    const next = await part('1', first.next ?? 0)
    expect(first.text + next.text).toBe('ä"\\'.repeat(1_000_000).slice(0, first.text.length + next.text.length))
    expect(await part('1', 2_999_999)).toMatchObject({ text: '\\', next: null })
    expect((await part('2', 0)).text.slice(0, 8)).toBe('FF00FE78')
    await expect(part('4', 0)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a table with many columns, and one without row numbers', async () => {
    const columns = Array.from({ length: 300 }, (_, index) => `c${index} TEXT`).join(', ')
    const code = `$db->exec('CREATE TABLE wide (${columns})');
      for ($i = 0; $i < 60; $i++) $db->exec("INSERT INTO wide (c0, c59) VALUES ('" . str_repeat('<&', 500) . "', 'end')");
      $db->exec('CREATE TABLE keyed (a TEXT PRIMARY KEY, user_pass TEXT) WITHOUT ROWID');
      $db->exec("INSERT INTO keyed VALUES ('one', 'secret-hash')");`
    expect(await sqlite(code)).toBe('ok')
    const wide = await rows({ table: 'wide' })
    expect(wide).toMatchObject({ omitted: 240, total: 60, last: false })
    expect(wide.rows[0]?.cells[59]?.text).toBe('end')
    const keyed = await rows({ table: 'keyed', sort: { column: 'a', descending: true } })
    expect(keyed.rows).toEqual([
      {
        row: null,
        cells: [
          { kind: 'text', text: 'one', bytes: 3, cut: false },
          { kind: 'hidden', text: '', bytes: 0, cut: false },
        ],
      },
    ])
  })

  test('values named as secrets are hidden, and no filter or order reveals them', async () => {
    expect(
      await f.php(
        site,
        `require '/wordpress/wp-load.php'; update_option('my_api_key', 'k-12345'); update_option('plain', 'k-99999');
        update_user_meta(1, 'session_tokens', ['abc' => 1]); echo 'ok';`,
      ),
    ).toBe('ok')
    const named = async (operator: 'contains' | 'differs' | 'not_null' | 'null', value: string) =>
      JSON.stringify(await rows({ table: 'wp_options', filter: { column: 'option_value', operator, value } }))
    expect(await named('contains', 'k-')).toContain('plain')
    for (const [operator, value] of [
      ['contains', 'k-1'],
      ['differs', 'other'],
      ['not_null', ''],
    ] as const)
      expect(await named(operator, value)).not.toContain('my_api_key')
    const own = {
      table: 'wp_options',
      filter: { column: 'option_name', operator: 'equals', value: 'my_api_key' },
    } as const
    const option = await rows(own)
    expect(JSON.stringify(option)).not.toContain('12345')
    const cell = { table: 'wp_options', column: 'option_value', row: option.rows[0]?.row ?? '', start: 0 }
    await expect(f.engine.database.cell(site, cell)).rejects.toMatchObject({ code: 'invalid' })
    const meta = { column: 'meta_key', operator: 'equals', value: 'session_tokens' } as const
    expect((await rows({ table: 'wp_usermeta', filter: meta })).rows[0]?.cells.at(-1)).toMatchObject({ kind: 'hidden' })
  })

  test('browsing writes nothing, whatever the schema does', async () => {
    const code = `$db->exec('CREATE TABLE made (a TEXT, b TEXT GENERATED ALWAYS AS (upper(a)) VIRTUAL)');
      $db->exec("INSERT INTO made (a) VALUES ('low')");
      $db->exec('CREATE VIEW seen AS SELECT * FROM made');
      $db->exec('CREATE TRIGGER t AFTER INSERT ON made BEGIN DELETE FROM wp_posts; END');`
    expect(await sqlite(code)).toBe('ok')
    const before = await stat(join(folder(), '.ht.sqlite'))
    expect((await rows({ table: 'made' })).rows[0]?.cells.map((cell) => cell?.text)).toEqual(['low', 'LOW'])
    await expect(rows({ table: 'seen' })).rejects.toMatchObject({ code: 'not_found' })
    await f.engine.database.tables(site)
    expect((await stat(join(folder(), '.ht.sqlite'))).mtimeMs).toBe(before.mtimeMs)
    expect(await readdir(folder())).not.toContain('.ht.sqlite-journal')
  })
})

describe('SQL', () => {
  test('a statement to read can neither write nor reach other files', async () => {
    for (const sql of [
      "SELECT load_extension('/wordpress/x.so')",
      "ATTACH DATABASE '/wordpress/new.sqlite' AS other",
      "VACUUM INTO '/wordpress/copy.sqlite'",
      'PRAGMA query_only = 0',
      'SELECT 1; DELETE FROM wp_posts',
      "SELECT * FROM wp_posts INTO OUTFILE '/wordpress/out.txt'",
    ])
      await expect(f.engine.database.query(site, sql)).rejects.toMatchObject({ code: 'invalid' })
    expect(await f.engine.database.query(site, 'CREATE TEMPORARY TABLE t (a INT)')).toBeNull()
    expect((await f.engine.database.query(site, 'SELECT count(*) AS n FROM wp_posts'))?.rows[0]?.[0]?.text).not.toBe(
      '0',
    )
    expect(await readdir(join(folder(), '..', '..'))).not.toContain('new.sqlite')
  })

  test('MySQL’s language works, and results are bounded', async () => {
    const shown = await f.engine.database.query(site, "SHOW TABLES LIKE 'wp\\_post%'")
    expect(shown?.rows.map(([cell]) => cell?.text)).toEqual(['wp_postmeta', 'wp_posts'])
    const many = await f.engine.database.query(site, 'SELECT id, word, word AS again FROM big')
    expect(many?.rows).toHaveLength(databaseLimits.result)
    expect(many).toMatchObject({ more: true, columns: ['id', 'word', 'again'] })
    const huge = await f.engine.database.query(site, 'SELECT value AS a, NULL AS b FROM odd WHERE id = 1')
    expect(huge?.rows[0]?.[0]).toMatchObject({ kind: 'text', bytes: 4_000_000, cut: true })
    expect(huge?.rows[0]?.[1]).toBeNull()
  })

  test('a change that fails leaves nothing behind, and one that changes nothing has no undo', async () => {
    const files = async () => (await readdir(folder())).filter((name) => name.includes('easydash'))
    const before = await files()
    await expect(f.engine.database.write(site, "INSERT INTO wp_posts (ID) VALUES ('x', 'y')")).rejects.toMatchObject({
      code: 'invalid',
    })
    const none = await f.engine.database.write(site, "UPDATE wp_posts SET post_title = 'x' WHERE ID = -1")
    expect(none).toMatchObject({ affected: 0, undo: null })
    expect(await files()).toEqual(before)
  })

  test('an undo says that the site wrote since, and the site works with what was put back', async () => {
    const { undo } = await f.engine.database.write(
      site,
      "UPDATE wp_options SET option_value = 'SQL title' WHERE option_name = 'blogname'",
    )
    expect((await f.fetch(site, '/')).body).toContain('SQL title')
    expect(await f.php(site, `require '/wordpress/wp-load.php'; update_option('later', '1'); echo 'ok';`)).toBe('ok')
    await expect(f.engine.database.undo(site, undo ?? '', false)).rejects.toMatchObject({ code: 'conflict' })
    await f.engine.database.undo(site, undo ?? '', true)
    const home = await f.fetch(site, '/')
    expect(home.status).toBe(200)
    expect(home.body).not.toContain('SQL title')
  })
})

describe('PHP', () => {
  test('runs within WordPress, and ends well whatever the code does', async () => {
    expect(await php("return get_option( 'blogname' );")).toMatchObject({ value: site.title, error: null })
    expect(await php("<?php echo 'tag';")).toMatchObject({ output: 'tag' })
    expect(await php("echo 'before'; exit( 3 );")).toMatchObject({ output: 'before', error: null })
    expect(await php('function f() {')).toMatchObject({ error: { line: 1, file: '' } })
    expect(await php("trigger_error( 'own', E_USER_ERROR );")).toMatchObject({ error: { line: 1 } })
    expect((await php('return array_fill( 0, 90000000, 1 );')).error?.message).toContain('memory')
    expect(await php("ob_start(); echo 'inner'; ob_start();")).toMatchObject({ output: 'inner' })
    expect(await php("while ( ob_get_level() ) { ob_end_clean(); } echo 'past';")).toMatchObject({ error: null })
  })

  test('output is bounded while it is printed', async () => {
    const flood = await php(
      "for ( $i = 0; $i < 200000; $i++ ) { echo str_repeat( '\"', 1000 ); } return str_repeat( 'a', 100000 );",
    )
    expect(flood).toMatchObject({ cut: true, error: null })
    expect(flood.output).toHaveLength(20_000)
    expect(flood.value).toHaveLength(20_000)
  })

  test('code that does not end is stopped with its process, and the site goes on', async () => {
    const stopped = f.engine.console.runPhp(site, 'while ( true ) { continue; }', {
      safe: false,
      signal: AbortSignal.timeout(1_500),
    })
    await expect(stopped).rejects.toThrow()
    expect((await f.fetch(site, '/')).status).toBe(200)
  })

  test('leaves out plugins that break the site', async () => {
    await f.php(
      site,
      `mkdir('/wordpress/wp-content/mu-plugins/x'); file_put_contents('/wordpress/wp-content/mu-plugins/fatal.php', '<?php missing_function();'); echo 'ok';`,
    )
    expect((await php("return 'x';")).error?.file).toContain('mu-plugins/fatal.php')
    expect(await f.engine.console.runPhp(site, "return 'works';", { safe: true })).toMatchObject({ value: 'works' })
    // The database is read without WordPress.
    expect((await f.engine.database.tables(site)).tables.length).toBeGreaterThan(10)
  })
})
