import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeZip } from '../core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { dumpOf } from './dump-fixture.ts'
import type { ImportSpec } from '../../site-imports.ts'
import { thisMachine } from '../../site-ref.ts'

let fixture: EngineFixture
let folder: string
let counter = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foreign-'))
  fixture = await startFixture()
})
afterAll(async () => {
  await fixture?.end()
  await rm(folder, { recursive: true, force: true })
})

const archiveOf = async (members: Record<string, string>): Promise<string> => {
  counter += 1
  const path = join(folder, `archive-${counter}.zip`)
  await writeFile(
    path,
    makeZip(Object.entries(members).map(([name, content]) => ({ name, content: Buffer.from(content) }))),
  )
  return path
}
async function importFrom(path: string): Promise<{ site: ImportSpec; log: string[] }> {
  counter += 1
  const number = String(counter).padStart(3, '0')
  const archive = number.padStart(32, '0')
  const site: ImportSpec = {
    ...{ id: `foreign${number}`, domain: `foreign-${counter}`, siteType: 'wp', phpVersion: '8.3', server: thisMachine },
    ...{ archive, fileName: 'backup.zip', title: null },
  }
  await fixture.engine.imports.take(archive, path)
  const log: string[] = []
  for (const step of fixture.engine.imports.importSteps(site))
    await step.run({
      operationId: 'test',
      log: (line) => void log.push(line),
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
  return { site, log }
}
const compare = async (site: ImportSpec) =>
  (await fixture.engine.imports.compare(site, AbortSignal.timeout(300_000))).report
const theme = { 'wp-content/themes/twentytwentyfour/own.txt': 'mine', 'wp-content/uploads/2024/05/there.txt': 'there' }

test('a WordPress of another host runs here with its content, address and prefix, and each defect is named', async () => {
  const gone = Array.from({ length: 22 }, (_, at) => `/gone-${at}/`)
  const more = `
CREATE TABLE \`other_orders\` (id int);
INSERT INTO \`other_orders\` VALUES (1);
INSERT INTO \`shop_options\` VALUES (13,'late','computed','no'),(14,'wrong number');
INSERT INTO shop_options (option_name, option_value, autoload) VALUES ('computed', CONCAT('a', 'b'), 'no');
INSERT INTO shop_posts (ID, post_author, post_content, post_title, post_excerpt, post_name, to_ping, pinged, post_content_filtered) VALUES
(9,1,'${gone.map((path) => `<a href="${path}">x</a>`).join(' ')}','Third','','third','','','');
INSERT INTO shop_commentmeta VALUES (1,1,'damaged','a:1:{i:0;s:9:"short";}');
/*!50001 CREATE ALGORITHM=UNDEFINED VIEW \`shop_view\` AS select 1 */;
DELIMITER ;;
CREATE TRIGGER shop_t BEFORE INSERT ON shop_posts FOR EACH ROW BEGIN SET NEW.post_title = 'x;'; END ;;
DELIMITER ;
LOAD DATA INFILE '/etc/passwd' INTO TABLE shop_options;
SELECT * FROM shop_users INTO OUTFILE '/wordpress/users.txt';
ATTACH DATABASE '/wordpress/x' AS x;
DELETE FROM shop_posts;`
  const path = await archiveOf({
    'backup/public_html/wp-content/themes/twentytwentyfour/own.txt': 'mine',
    'backup/public_html/wp-content/object-cache.php': '<?php throw new Exception();',
    'backup/public_html/wp-content/db.php': '<?php throw new Exception();',
    'backup/public_html/wp-config.php': `<?php\n$table_prefix = 'shop_';\ndefine( 'DB_PASSWORD', 'secret' );`,
    '__MACOSX/backup/._x': 'x',
    'backup/database.sql': dumpOf({ prefix: 'shop_', more }),
  })
  const { site } = await importFrom(path)
  const url = `http://${site.domain}.localhost:${fixture.port}`
  const page = await fixture.fetch(site, '/first/')
  expect(page.status).toBe(200)
  expect(page.body).toContain(`<a href="${url}/second/">here</a>, <a href="${url}/nowhere/">there</a>`)
  expect(page.body).not.toContain('example.com/')
  const read = await fixture.php(
    site,
    `require __DIR__ . '/wp-load.php'; global $wpdb, $table_prefix;
     echo json_encode( array( $table_prefix, get_option( 'widget_own' ), get_option( 'blogname' ), bin2hex( get_option( 'odd' ) ), get_option( 'hex' ), get_option( 'computed' ), get_option( 'late' ), file_exists( WP_CONTENT_DIR . '/object-cache.php' ), DB_PASSWORD, file_exists( __DIR__ . '/users.txt' ), user_can( 1, 'switch_themes' ) ) );`,
  )
  expect(JSON.parse(read)).toEqual([
    'shop_',
    { text: `${url}/about`, two: [url] },
    'Ann\'s "Shop" – ü;',
    Buffer.from('a;b -- c /* d */ \\ \0 \x1a').toString('hex'),
    'abc',
    'ab',
    'computed',
    false,
    '',
    false,
    true,
  ])
  const report = await compare(site)
  expect(report).toMatchObject({ source: 'wordpress', from: 'https://www.example.com' })
  const named = report.defects.map(({ kind, what }) => `${kind}: ${what.slice(0, 30)}`)
  for (const expected of [
    'other_tables: 1',
    'row: shop_options',
    'statement: CREATE ALGORITHM=UNDEFINED VIE',
    'statement: CREATE TRIGGER shop_t BEFORE I',
    'statement: LOAD DATA INFILE',
    'statement: SELECT * FROM shop_users INTO ',
    'statement: ATTACH DATABASE',
    'statement: DELETE FROM shop_posts',
    'media: 2024/05/gone.jpg',
    'serialized: postmeta: damaged',
    'serialized: commentmeta: damaged',
    'link: /nowhere/',
    ...gone.map((path) => `link: ${path}`),
    'left_out: 3',
  ])
    expect(
      named.some((one) => one.startsWith(expected)),
      `${expected} in ${named.join('\n')}`,
    ).toBe(true)
})

test('the prefix is found in the dump, and a site below a path comes to the root', async () => {
  const path = await archiveOf({ ...theme, 'dump.sql': dumpOf({ prefix: 'abc_', url: 'https://example.org/blog' }) })
  const { site, log } = await importFrom(path)
  expect(log.join('\n')).toContain('with the prefix abc_')
  const url = `http://${site.domain}.localhost:${fixture.port}`
  expect((await fixture.fetch(site, '/first/')).body).toContain(`<a href="${url}/second/">here</a>`)
})

test('what is no site, or several, is refused by name', async () => {
  const refusal = async (members: Record<string, string>) => {
    const path = await archiveOf(members)
    return importFrom(path).then(
      () => 'nothing',
      (error: unknown) => (error as Error).message,
    )
  }
  expect(await refusal({ 'readme.txt': 'x' })).toBe('There is no site in this archive.')
  expect(await refusal(theme)).toContain('no .sql file')
  expect(
    await refusal({ ...theme, 'wp-config.php': `<?php\ndefine( 'MULTISITE', true );`, 'a.sql': dumpOf() }),
  ).toContain('multisite')
  expect(await refusal({ ...theme, '../x': 'x', 'a.sql': dumpOf() })).toContain('path that is not allowed')
  expect(await refusal({ ...theme, '/etc/x': 'x', 'a.sql': dumpOf() })).toContain('path that is not allowed')
  expect(await refusal({ ...theme, 'a.sql': 'CREATE TABLE x (id int);' })).toContain('no tables of WordPress')
  expect(await refusal({ ...theme, 'a.sql': `${dumpOf()}\n${dumpOf({ prefix: 'two_' })}` })).toContain(
    'several WordPress sites: wp_, two_',
  )
  expect(
    await refusal({
      ...theme,
      'a.sql': `${dumpOf()}\nINSERT INTO wp_posts VALUES ('${randomBytes(17_000_000).toString('hex')}`,
    }),
  ).toContain('larger than 32 MB')
})
