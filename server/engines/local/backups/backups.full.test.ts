import { mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

let fixture: EngineFixture
let folder: string

beforeAll(async () => {
  fixture = await startFixture()
  folder = await mkdtemp(join(tmpdir(), 'backups-'))
})
afterAll(async () => {
  await fixture.end()
  await rm(folder, { recursive: true })
})

/** What a visitor and the database say. */
async function stateOf(site: SiteSpec): Promise<unknown> {
  const { status, body } = await fixture.fetch(site, '/')
  const { tables } = await fixture.engine.database.tables(site)
  const { entries } = await fixture.engine.files.list(site, 'wp-content')
  return {
    page: [status, /<title>(.*)<\/title>/.exec(body)?.[1]],
    tables: tables.map(({ name }) => name),
    // WordPress makes its own when somebody logs in.
    content: entries.map(({ name }) => name).filter((name) => !['upgrade', 'uploads'].includes(name)),
  }
}

it('proves a backup of a real WordPress, restores a damaged site from it, and takes that back', async () => {
  const { engine } = fixture
  const site = await fixture.create({ siteType: 'wp' })
  await fixture.writeFile(site, 'wp-content/own.txt', 'mine')
  const whole = await stateOf(site)
  await runAll(engine.backups.packSteps(site))
  const archive = join(folder, 'site.tar.zst')
  await pipeline((await engine.backups.packed(site)).file.open(), createWriteStream(archive))

  const code = `require __DIR__ . '/wp-load.php';
    foreach (array('comments', 'links', 'postmeta') as $t) { $wpdb->query("DROP TABLE {$wpdb->prefix}$t"); }
    require ABSPATH . 'wp-admin/includes/file.php'; WP_Filesystem();
    foreach (array('themes', 'own.txt') as $n) { $GLOBALS['wp_filesystem']->delete(WP_CONTENT_DIR . "/$n", true); } echo 'done';`
  expect(await fixture.php(site, code)).toBe('done')
  const damaged = await stateOf(site)
  expect(damaged).not.toEqual(whole)

  const rehearsal: SiteRef = { ...site, id: 'rehearsal1', domain: 'rehearsal-1' }
  await runAll(engine.rehearsals.rehearseSteps(rehearsal, archive))
  expect((await fixture.fetch(rehearsal, '/')).status).toBe(404)
  const { defects, seen, inconclusive } = await engine.rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
  expect([defects, inconclusive]).toEqual([[], null])
  for (const { what, expected, found } of seen) expect([what, found]).toEqual([what, expected])

  await runAll(engine.restores.restoreSteps(site, { rehearsal, archive }, 'all'))
  expect((await fixture.fetch(site, '/')).status).toBe(503)
  await engine.restores.finishRestore(site)
  expect(await stateOf(site)).toEqual(whole)
  await runAll(engine.restores.bringBackSteps(site))
  await engine.restores.finishRestore(site)
  expect(await stateOf(site)).toEqual(damaged)
})
