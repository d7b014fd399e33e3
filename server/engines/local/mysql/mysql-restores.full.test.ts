import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { removeOutsideFolders, systemFolder } from '#server/platform/postgres/location.ts'
import type { BackupWhat } from '#shared/rules/backups.ts'
import type { SiteSpec } from '../../engine.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import { runAll } from '../backups/backup-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported

const load = "require __DIR__ . '/wp-load.php';"
/** Two tables that a foreign key ties, one with a trigger, and a view. */
const made = [
  'CREATE TABLE wp_orders (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, what varchar(90) NOT NULL) ENGINE=InnoDB',
  'CREATE TABLE wp_items (id int PRIMARY KEY, ordered bigint unsigned NOT NULL, CONSTRAINT of_order FOREIGN KEY (ordered) REFERENCES wp_orders (id)) ENGINE=InnoDB',
  'CREATE TABLE `wp_o``dd` (id int PRIMARY KEY, what text)',
  'CREATE VIEW wp_seen AS SELECT what FROM wp_orders',
  'CREATE VIEW wp_again AS SELECT what FROM wp_seen',
  'CREATE TRIGGER wp_marked BEFORE INSERT ON `wp_o``dd` FOR EACH ROW SET NEW.what = CONCAT(NEW.what, "!")',
  "INSERT INTO wp_orders (what) VALUES ('one'), ('two')",
  'INSERT INTO wp_items VALUES (1, 1)',
  "INSERT INTO `wp_o``dd` VALUES (1, 'first')",
]

describe.skipIf(!isInstalled)('restores of a site on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let folder: string
  let site: SiteSpec
  let backedUp: Readonly<Record<string, unknown>>
  const rehearsal: SiteRef = {
    id: 'rehearsal1',
    domain: 'rehearsal-1',
    siteType: 'wp',
    phpVersion: '8.3',
    server: thisMachine,
  }

  beforeAll(async () => {
    fixture = await startFixture({ mysql: { url: null } })
    folder = await mkdtemp(join(tmpdir(), 'backups-'))
    site = await fixture.create({ siteType: 'wp', database: 'mysql', domain: 'shop' })
    const { engine } = fixture
    await query(...made)
    await fixture.writeFile(site, 'own.txt', 'kept')
    await php(`$wpdb->insert('wp_orders', array('what' => home_url('/three')))`)
    backedUp = await content()
    await runAll(engine.backups.packSteps(site))
    await pipeline((await engine.backups.packed(site)).file.open(), createWriteStream(archive()))
    await engine.backups.removePacked(site)
  }, 300_000)
  afterEach(async () => {
    await fixture.engine.destroy(rehearsal)
    expect(await databases()).toEqual([`easydash${site.id}`])
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
    await rm(folder, { recursive: true })
  })

  const wp = async (code: string) => {
    const text = await fixture.php(site, `${load} ${code}`)
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw new Error(`No JSON: ${text.slice(0, 500)}`)
    }
  }
  const php = (code: string) => wp(`echo json_encode(${code});`)
  const query = async (...statements: string[]) => {
    const all = statements.map((sql) => `'${sql.replaceAll(/['\\]/g, '\\$&')}'`).join(', ')
    expect(
      await wp(
        `foreach (array(${all}) as $sql) { if ($wpdb->query($sql) === false) { break; } } echo json_encode($wpdb->last_error);`,
      ),
    ).toBe('')
  }
  const databases = async () => {
    // Where the server runs as a user of its own, its files are elsewhere.
    const folders = [join(fixture.dataDir, 'local'), await systemFolder(fixture.dataDir)]
    const names = await Promise.all(folders.map((one) => listNames(join(one, 'mysql/data'))))
    return names.flat().filter((name) => name.startsWith('easydash'))
  }
  /** Everything that a restore puts back. */
  const content = async () =>
    (await wp(`$all = array(); foreach ($wpdb->get_col('SHOW TABLES') as $t) { $name = '\`' . str_replace('\`', '\`\`', $t) . '\`';
      $rows = array_map('serialize', $wpdb->get_results('wp_options' === $t ? "SELECT option_name, option_value FROM $t" : "SELECT * FROM $name", ARRAY_A)); sort($rows);
      $all[$t] = array_values(preg_grep('/transient|"cron"|"rewrite_rules"|"recovery_keys"|"can_compress_scripts"|easydash_/', $rows, PREG_GREP_INVERT));
      if ('wp_options' !== $t && count($all[$t]) > 20) { $all[$t] = md5(serialize($all[$t])); } }
      foreach ($wpdb->get_results('SELECT TRIGGER_NAME, DEFINER, ACTION_STATEMENT FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY TRIGGER_NAME', ARRAY_A) as $one) { $all['triggers'][] = $one; }
      foreach ($wpdb->get_results('SELECT TABLE_NAME, DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME', ARRAY_A) as $one) { $all['views'][] = $one; }
      foreach ($wpdb->get_results('SELECT CONSTRAINT_NAME, TABLE_NAME, REFERENCED_TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY CONSTRAINT_NAME', ARRAY_A) as $one) { $all['keys'][] = $one; }
      echo json_encode($all);`)) as Readonly<Record<string, unknown>>
  const has = async (path: string) =>
    (await fixture.engine.files.list(site, '')).entries.some(({ name }) => name === path)
  const archive = () => join(folder, 'site.tar.zst')
  const source = () => ({ rehearsal, archive: archive() })
  const begin = async (what: BackupWhat) => {
    const { engine } = fixture
    await runAll(engine.rehearsals.rehearseSteps(rehearsal, archive(), site))
    await runAll(engine.restores.restoreSteps(site, source(), what))
  }
  const restore = async (what: BackupWhat) => {
    await begin(what)
    expect((await fixture.fetch(site, '/')).status).toBe(503)
    await fixture.engine.restores.finishRestore(site)
  }
  const undo = async () => {
    await runAll(fixture.engine.restores.bringBackSteps(site), 'undo')
    await fixture.engine.restores.finishRestore(site)
  }

  test('brings back tables, views, triggers, keys and files, and takes that back', async () => {
    await query(
      'DROP TABLE wp_items, wp_postmeta, wp_comments',
      'DROP VIEW wp_again',
      'DROP TRIGGER wp_marked',
      'CREATE TABLE wp_later (id int)',
      'CREATE VIEW wp_new AS SELECT id FROM wp_later',
      'CREATE TRIGGER wp_other BEFORE INSERT ON wp_orders FOR EACH ROW SET NEW.what = "no"',
      "UPDATE wp_options SET option_value = 'Changed' WHERE option_name = 'blogname'",
    )
    const changed = await content()
    const { engine } = fixture
    await engine.files.remove(site, ['own.txt', 'wp-content/themes'])
    await restore('all')
    expect(await content()).toEqual(backedUp)
    expect([await has('own.txt'), (await fixture.fetch(site, '/')).status]).toEqual([true, 200])
    await query("INSERT INTO `wp_o``dd` VALUES (2, 'second')", 'DELETE FROM wp_items')
    expect(await php('$wpdb->get_col("SELECT what FROM `wp_o``dd` ORDER BY id")')).toEqual(['first!', 'second!'])
    await undo()
    expect(await content()).toEqual(changed)
    expect(await has('own.txt')).toBe(false)
  }, 600_000)

  test('brings back the database alone, or some tables with their triggers, and takes that back', async () => {
    await fixture.writeFile(site, 'own.txt', 'changed')
    const tables = ['wp_o`dd', 'wp_orders', 'wp_items', 'wp_comments', 'wp_options']
    await query(
      'DROP TABLE IF EXISTS wp_items, wp_comments',
      "INSERT INTO wp_links (link_url) VALUES ('later')",
      "INSERT INTO `wp_o``dd` VALUES (9, 'later')",
    )
    const changed = await content()
    const restored = [...tables, 'triggers', 'keys'].map((name) => [name, backedUp[name]])
    for (const [what, expected] of [
      [
        { paths: [], tables },
        { ...changed, ...Object.fromEntries(restored) },
      ],
      ['database', backedUp],
    ] as const) {
      await restore(what)
      expect(await content()).toEqual(expected)
      expect(await php("file_get_contents('own.txt')")).toBe('changed')
      await fixture.engine.destroy(rehearsal)
      await undo()
      expect(await content()).toEqual(changed)
    }
  }, 600_000)

  test('restores a site that has lost wp-config.php, and leaves it so when that is taken back', async () => {
    const { engine } = fixture
    const before = await content()
    await engine.files.remove(site, ['wp-config.php'])
    await begin('all')
    expect(await engine.restores.undoRestore(site, 'op')).toBe('undone')
    expect(await has('wp-config.php')).toBe(false)
    await engine.destroy(rehearsal)
    await begin('files')
    await engine.restores.finishRestore(site)
    expect(await content()).toEqual(before)
    // It is put back even though it does not load.
    await runAll(engine.restores.bringBackSteps(site), 'undo')
    expect(await has('wp-config.php')).toBe(false)
    expect(await engine.restores.undoRestore(site, 'undo')).toBe('undone')
    expect(await content()).toEqual(before)
  }, 600_000)

  test('refuses what can’t be restored as it was, and changes nothing', async () => {
    const before = await content()
    const { engine } = fixture
    await engine.destroy(rehearsal)
    await runAll(engine.rehearsals.rehearseSteps(rehearsal, archive(), site))
    const notes = join(fixture.dataDir, 'local/sites', rehearsal.id, 'import.json')
    const known = JSON.parse(await readFile(notes, 'utf8')) as object
    const refused = { kind: 'refused_statement', what: 'CREATE VIEW wp_lost', detail: 'no such function' }
    for (const [what, defects, message] of [
      [{ paths: [], tables: ['wp_orders'] }, [], 'wp_items and wp_orders'],
      [{ paths: [], tables: ['wp_unknown'] }, [], 'wp_unknown'],
      ['database', [refused], 'CREATE VIEW wp_lost'],
    ] as const) {
      await writeFile(notes, JSON.stringify({ ...known, defects }))
      await expect(runAll(engine.restores.restoreSteps(site, source(), what))).rejects.toMatchObject({
        message: expect.stringContaining(message) as string,
      })
      expect(await engine.restores.undoRestore(site, 'op')).toBe('undone')
      expect(await content()).toEqual(before)
    }
  }, 600_000)
})
