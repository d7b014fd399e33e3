import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleOf } from '#tests/support/long-run.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { CoreTarget } from '../../wordpress-core.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { coreStages, type CoreStage } from '../../core-change.ts'
import { startTestReleases, type TestReleases } from './releases-fixture.ts'

let releases: TestReleases
let fixture: EngineFixture
let site: SiteSpec
let operations = 0
const www = (path = '') => join(fixture.dataDir, 'local', 'sites', site.id, 'www', path)
const core = () => fixture.engine.core
const home = async () => fixture.fetch(site, '/')
const version = async () => (await fixture.engine.wordpress.inspect(site)).version
const previous = async () => (await fixture.engine.wordpress.inspect(site)).previous
const databaseVersion = async () =>
  fixture.php(site, `require __DIR__ . '/wp-load.php'; echo get_option( 'db_version' );`)
const option = (name: string) => fixture.php(site, `require __DIR__ . '/wp-load.php'; echo get_option( '${name}' );`)
const setOption = (name: string, value: string) =>
  fixture.php(site, `require __DIR__ . '/wp-load.php'; update_option( '${name}', '${value}' );`)

async function run(steps: readonly EngineStep[], operationId: string, through?: CoreStage): Promise<string[]> {
  const lines: string[] = []
  const last = through === undefined ? steps.length - 1 : steps.findIndex(({ key }) => key === through)
  for (const step of steps.slice(0, last + 1))
    await step.run({
      operationId,
      log: (line) => void lines.push(line),
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
  return lines
}
/** Whatever goes on. */
const undo = () => core().undoChange(site, 'any')
const change = async (to: CoreTarget) => {
  operations += 1
  const lines = await run(core().changeSteps(site, to), `op${operations}`)
  await core().finishChange(site)
  return lines
}
/** The rows of a site's database, without what WordPress renews by itself as time passes. */
function rowsOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name`).all()
    const ofTable = (name: unknown) => {
      const own = name === 'wp_options' ? `WHERE option_name NOT GLOB '*_transient_*' AND option_name <> 'cron'` : ''
      return database.prepare(`SELECT * FROM "${String(name)}" ${own} ORDER BY 1`).all()
    }
    return JSON.stringify(tables.map(({ name, sql }) => [name, sql, ofTable(name)]))
  } finally {
    database.close()
  }
}
/** What the site consists of, without what is kept. */
async function snapshot(): Promise<Record<string, string>> {
  await fixture.engine.sleepAll()
  const found: Record<string, string> = {}
  for (const entry of await readdir(www(), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(www(), path)
    if (name.startsWith('wp-content/.easydash-previous') || name.startsWith('probe-')) continue
    const { mode } = await lstat(path)
    const content = entry.isFile()
      ? createHash('md5')
          .update(name.endsWith('.ht.sqlite') ? rowsOf(path) : await readFile(path))
          .digest('hex')
      : 'folder'
    found[name] = `${mode.toString(8)} ${content}`
  }
  return found
}

beforeAll(async () => {
  releases = await startTestReleases()
  const { stored } = releases
  // A newer structure of the database, a file more and a file less, inside and at the top.
  releases.add('6.5.9', (read) => ({
    'wp-includes/version.php': read('wp-includes/version.php')
      .replace(`'${stored}'`, `'6.5.9'`)
      .replace(/\$wp_db_version = \d+;/, '$wp_db_version = 58975;'),
    'wp-includes/new-in-this.php': '<?php // new',
    'wp-new.php': '<?php // new at the top',
    'wp-links-opml.php': null,
  }))
  releases.add('6.5.8', (read) => ({
    'wp-includes/version.php': read('wp-includes/version.php')
      .replace(`'${stored}'`, `'6.5.8'`)
      .replace(/\$required_php_version = '[\d.]+';/, `$required_php_version = '9.1.0';`),
  }))
  releases.add('6.5.7', () => ({ 'wp-includes/load.php': '<?php this_is_broken();' }))
  fixture = await startFixture({ wordpressOrgUrl: releases.url, cacheDir: releases.cacheDir })
  site = await fixture.create({ siteType: 'wp' })
  // Events that become due in the middle would change what is compared.
  await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
})
afterAll(async () => {
  await fixture?.end()
  await releases?.close()
})

test('lists what is stored and what wordpress.org has', async () => {
  const found = await core().versions(site)
  expect(found).toMatchObject({ installed: releases.stored, reached: true })
  expect(found.offers).toContainEqual({ version: releases.stored, stored: true, state: null })
  expect(found.offers[0]).toEqual({ version: '6.5.9', stored: false, state: 'latest' })
})

test('a new version exchanges files and database, keeps everything else, and rolls back and forward', async () => {
  await writeFile(www('own.php'), '<?php echo "own";')
  await mkdir(www('own'), { recursive: true })
  const config = await readFile(www('wp-config.php'))
  await setOption('before_update', 'yes')
  const before = await databaseVersion()
  const lines = await change({ version: '6.5.9' })
  expect(lines.join('\n')).toMatch(/match the published checksums[\s\S]*updated its database/)
  expect([await version(), await databaseVersion(), await option('before_update')]).toEqual(['6.5.9', '58975', 'yes'])
  expect((await home()).status).toBe(200)
  expect(await readFile(www('wp-includes/new-in-this.php'), 'utf8')).toContain('new')
  expect(await readFile(www('wp-new.php'), 'utf8')).toContain('top')
  await expect(lstat(www('wp-links-opml.php'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await readFile(www('wp-config.php'))).toEqual(config)
  expect((await fixture.fetch(site, '/own.php')).body).toBe('own')
  expect(await fixture.engine.wordpress.verifyChecksums(site)).toMatchObject({
    version: '6.5.9',
    changed: [],
    missing: [],
    added: [],
  })
  expect(await previous()).toMatchObject({ version: releases.stored, database: true })
  // What is kept is neither served nor run.
  expect((await fixture.fetch(site, '/wp-content/.easydash-previous/core/kept/wp-login.php')).status).toBe(404)

  await setOption('since_update', 'kept')
  await change({ previous: true, database: false })
  expect([await version(), await databaseVersion(), await option('since_update')]).toEqual([
    releases.stored,
    before,
    'kept',
  ])
  expect((await readdir(www())).filter((name) => /wp-(?:new|links-opml)/.test(name))).toEqual(['wp-links-opml.php'])
  expect(await previous()).toMatchObject({ version: '6.5.9', database: true })
  await change({ previous: true, database: false })
  expect([await version(), await option('since_update')]).toEqual(['6.5.9', 'kept'])
  await setOption('since_then', 'lost')
  await change({ previous: true, database: true })
  expect([await version(), await databaseVersion(), await option('since_then')]).toEqual([releases.stored, before, ''])
  expect((await home()).status).toBe(200)
})

test.each(sampleOf(['verify', 'unpack'] as const, 1))(
  'taken back after the stage %s, the site is as before to the byte',
  async (stage) => {
    // Asked before: WordPress runs for it, and may renew what it stores for a while.
    const kept = await previous()
    const before = await snapshot()
    operations += 1
    const steps = core().changeSteps(site, { version: '6.5.9' })
    await run(steps, `op${operations}`, stage)
    if (coreStages.indexOf(stage) >= coreStages.indexOf('pause')) expect((await home()).status).toBe(503)
    for (const _time of ['once', 'repeated']) expect(await undo()).toBe('undone')
    const after = await snapshot()
    expect(after).toEqual(before)
    expect(await previous()).toEqual(kept)
    expect((await home()).status).toBe(200)
  },
)

test('a roll back that is taken back keeps what was kept', async () => {
  const kept = await previous()
  const before = await snapshot()
  operations += 1
  await run(core().changeSteps(site, { previous: true, database: true }), `op${operations}`)
  expect(await undo()).toBe('undone')
  expect(await snapshot()).toEqual(before)
  expect(await previous()).toEqual(kept)
})

test('a change that was taken back is made again from the start when its last step is retried', async () => {
  operations += 1
  const steps = core().changeSteps(site, { version: '6.5.9' })
  await run(steps, `op${operations}`)
  await undo()
  await run(steps.slice(-1), `op${operations}`)
  await core().finishChange(site)
  expect(await version()).toBe('6.5.9')
  expect(await core().undoChange(site, `op${operations}`), 'it was let go').toBe('finished')
  expect(await core().undoChange(site, 'another'), 'nothing goes on any more').toBe('undone')
  expect(await version()).toBe('6.5.9')
})

test('a run that was cut off between two moves is completed, or taken back', async () => {
  const before = await snapshot()
  for (const ending of ['completed', 'taken back'] as const) {
    operations += 1
    const steps = core().changeSteps(site, { version: releases.stored })
    await run(steps, `op${operations}`, 'save')
    await fixture.engine.sleepAll()
    // As if the process had been killed after the first moves.
    const folder = www('wp-content/.easydash-previous/core')
    const names = (await readdir(join(folder, 'incoming'))).sort()
    const there = await readdir(www())
    const fresh = names.filter((name) => !there.includes(name))
    const journal = { operation: `op${operations}`, names, from_kept: false, new: fresh, gone: [] }
    await writeFile(join(folder, 'change.json'), JSON.stringify(journal))
    await mkdir(join(folder, 'outgoing'))
    const { uid, gid } = await lstat(folder)
    if (process.getuid?.() === 0) await chown(join(folder, 'outgoing'), uid, gid)
    await rename(www('index.php'), join(folder, 'outgoing', 'index.php'))
    await rename(join(folder, 'incoming', 'index.php'), www('index.php'))
    await rename(www('wp-admin'), join(folder, 'outgoing', 'wp-admin'))
    if (ending === 'completed') {
      await run(steps, `op${operations}`)
      await core().finishChange(site)
      expect(await version()).toBe(releases.stored)
      await change({ previous: true, database: false })
    } else await undo()
    const after = await snapshot()
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(after['wp-includes/version.php']).toEqual(before['wp-includes/version.php'])
  }
})

test('refuses what needs a newer PHP, what nobody has, and a second change at once', async () => {
  const attempt = (to: CoreTarget, operation: string) => run(core().changeSteps(site, to), operation, 'target')
  await expect(attempt({ version: '6.5.8' }, 'php')).rejects.toMatchObject({
    code: 'invalid',
    message: 'WordPress 6.5.8 needs PHP 9.1.0; this site runs 8.3.',
  })
  await undo()
  await expect(attempt({ version: '6.5.1' }, 'none')).rejects.toMatchObject({ code: 'unavailable' })
  await undo()
  await expect(attempt({ version: '6.5.9-beta1' }, 'beta')).rejects.toMatchObject({ code: 'invalid' })
  await undo()
  await run(core().changeSteps(site, { version: '6.5.9' }), 'first', 'target')
  await expect(attempt({ version: '6.5.9' }, 'second')).rejects.toMatchObject({ code: 'conflict' })
  await undo()
})

test('a version that does not run fails before visitors see it, and is taken back', async () => {
  const before = await snapshot()
  await expect(run(core().changeSteps(site, { version: '6.5.7' }), 'broken')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('this_is_broken'),
  })
  await undo()
  expect(await snapshot()).toEqual(before)
  expect((await home()).status).toBe(200)
})

test('links that a site puts in the way lead nowhere else', async () => {
  const outside = join(fixture.dataDir, 'outside')
  await mkdir(outside, { recursive: true })
  await writeFile(join(outside, 'precious'), 'x')
  await fixture.engine.sleepAll()
  await fixture.php(
    site,
    `rename( '/wordpress/wp-admin', '/wordpress/own/wp-admin' ); symlink( '${outside}', '/wordpress/wp-admin' );`,
  )
  await change({ version: '6.5.9' })
  expect(await readdir(outside)).toEqual(['precious'])
  expect((await lstat(www('wp-admin'))).isDirectory()).toBe(true)
  expect(await fixture.engine.wordpress.verifyChecksums(site)).toMatchObject({ changed: [], missing: [], added: [] })
  await rm(www('own'), { recursive: true })
})
