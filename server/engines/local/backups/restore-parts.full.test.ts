import { mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BackupParts } from '#shared/rules/backups.ts'
import type { SiteSpec } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

let fixture: EngineFixture
let folder: string
let site: SiteSpec
let rehearsal: SiteRef

const load = "require __DIR__ . '/wp-load.php';"
const uploads = 'wp-content/uploads/2024'

beforeAll(async () => {
  fixture = await startFixture()
  folder = await mkdtemp(join(tmpdir(), 'backups-'))
  site = await fixture.create({ siteType: 'wp' })
  const { engine } = fixture
  for (const path of ['wp-content/uploads', uploads]) await engine.files.makeFolder(site, path).catch(() => undefined)
  await fixture.writeFile(site, `${uploads}/a.txt`, 'kept')
  await fixture.writeFile(site, 'own.txt', 'kept')
  const made = await fixture.php(
    site,
    `${load} $wpdb->query("CREATE TABLE {$wpdb->prefix}orders (id bigint unsigned NOT NULL AUTO_INCREMENT, what varchar(50) NOT NULL, changed timestamp NULL ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (id), KEY what (what))");
    foreach (array('one', home_url('/two')) as $what) { $wpdb->insert("{$wpdb->prefix}orders", array('what' => $what)); } echo $wpdb->last_error;`,
  )
  expect(made).toBe('')
  await runAll(engine.backups.packSteps(site))
  const archive = join(folder, 'site.tar.zst')
  await pipeline((await engine.backups.packed(site)).file.open(), createWriteStream(archive))
  rehearsal = { ...site, id: 'rehearsal1', domain: 'rehearsal-1' }
  await runAll(engine.rehearsals.rehearseSteps(rehearsal, archive))
}, 300_000)
afterAll(async () => {
  await fixture?.end()
  await rm(folder, { recursive: true })
})

const files = async (path: string) => (await fixture.engine.files.list(site, path)).entries.map(({ name }) => name)
const content = async (path: string) => (await fixture.engine.files.read(site, path)).content
const php = async (code: string) => JSON.parse(await fixture.php(site, `${load} echo json_encode(${code});`)) as unknown
const orders = () => php('$wpdb->get_col("SELECT what FROM {$wpdb->prefix}orders ORDER BY id")')
const name = () => php("get_option('blogname')")
const restore = (what: BackupParts) => fixture.engine.restores.restoreSteps(site, { rehearsal, archive: '' }, what)

async function change(): Promise<void> {
  await fixture.writeFile(site, `${uploads}/a.txt`, 'changed')
  await fixture.writeFile(site, `${uploads}/new.txt`, 'new')
  await fixture.writeFile(site, 'own.txt', 'changed')
  await php(
    `array(update_option('blogname', 'Changed'), $wpdb->query("DELETE FROM {$wpdb->prefix}orders"), $wpdb->query("DROP TABLE IF EXISTS {$wpdb->prefix}comments"))`,
  )
}

it('gives a folder and tables their state of the backup, leaves everything else, and takes that back', async () => {
  const { engine } = fixture
  await change()
  await runAll(restore({ paths: [uploads], tables: ['wp_orders', 'wp_comments'] }))
  expect((await fixture.fetch(site, '/')).status).toBe(503)
  await engine.restores.finishRestore(site)
  expect([await files(uploads), await content(`${uploads}/a.txt`), await content('own.txt')]).toEqual([
    ['a.txt'],
    'kept',
    'changed',
  ])
  // With the address of the site, not that of the one it was unpacked in.
  expect(await orders()).toEqual(['one', await php("home_url('/two')")])
  expect(await name()).toBe('Changed')
  expect(await php('(int) wp_count_comments()->total_comments')).toBe(1)
  // What the driver knows of the table came along: numbers go on, and the time follows changes.
  expect(
    await php(
      `array($wpdb->insert("{$wpdb->prefix}orders", array('what' => 'x', 'changed' => '2001-01-01 00:00:00')), $wpdb->insert_id, $wpdb->query("UPDATE {$wpdb->prefix}orders SET what = 'y' WHERE id = 3"), $wpdb->get_var("SELECT changed > '2020-01-01' FROM {$wpdb->prefix}orders WHERE id = 3"), count($wpdb->get_results("SHOW INDEX FROM {$wpdb->prefix}orders")))`,
    ),
  ).toEqual([1, 3, 1, '1', 2])
  await runAll(engine.restores.bringBackSteps(site))
  await engine.restores.finishRestore(site)
  expect([await orders(), await files(uploads), await content(`${uploads}/a.txt`)]).toEqual([
    [],
    ['a.txt', 'new.txt'],
    'changed',
  ])
}, 300_000)

it('keeps the database of the site when the folder is restored that it is in', async () => {
  const { engine } = fixture
  await change()
  await runAll(restore({ paths: ['wp-admin', 'wp-content', 'own.txt'], tables: [] }))
  await engine.restores.finishRestore(site)
  expect([await content('own.txt'), await files(uploads), await name(), await orders()]).toEqual([
    'kept',
    ['a.txt'],
    'Changed',
    [],
  ])
}, 300_000)

it('changes nothing if a part is not in the backup', async () => {
  await change()
  const { engine } = fixture
  for (const what of [
    { paths: [uploads, 'not/there'], tables: [] },
    { paths: [uploads], tables: ['wp_unknown'] },
  ]) {
    await expect(runAll(restore(what))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/not\/there|wp_unknown/) as string,
    })
    expect(await engine.restores.undoRestore(site, 'op')).toBe('undone')
    expect(await content(`${uploads}/a.txt`)).toBe('changed')
  }
}, 300_000)
