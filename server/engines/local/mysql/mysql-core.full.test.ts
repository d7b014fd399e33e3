import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { runSql } from '#server/platform/mysql/mysql-client.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { CoreTarget } from '../../wordpress-core.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { CoreStage } from '../../core-change.ts'
import { startTestReleases, type TestReleases } from '../wordpress-core/releases-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { databaseOf } from './site-statements.ts'

const programs = await findMysql()
const isInstalled = mysqlCapability(programs, null).supported

describe.skipIf(!isInstalled)('WordPress on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let releases: TestReleases
  let fixture: EngineFixture
  let site: SiteSpec
  let operations = 0
  beforeAll(async () => {
    releases = await startTestReleases()
    // A newer structure of the database.
    releases.add('6.5.9', (read) => ({
      'wp-includes/version.php': read('wp-includes/version.php')
        .replace(`'${releases.stored}'`, `'6.5.9'`)
        .replace(/\$wp_db_version = \d+;/, '$wp_db_version = 58975;'),
    }))
    releases.add('6.5.7', () => ({ 'wp-includes/load.php': '<?php this_is_broken();' }))
    fixture = await startFixture({ wordpressOrgUrl: releases.url, cacheDir: releases.cacheDir, mysql: { url: null } })
    site = await fixture.create({ siteType: 'wp', database: 'mysql' })
    await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
    await releases?.close()
  })

  const core = () => fixture.engine.core
  const facts = () => fixture.engine.wordpress.inspect(site)
  const folder = () => join(fixture.dataDir, 'local', 'sites', site.id)
  const dumps = async () => (await readdir(folder())).filter((name) => name.endsWith('.sql'))
  const value = async (name: string) =>
    (await fixture.engine.database.query(site, `SELECT option_value FROM wp_options WHERE option_name = '${name}'`))
      ?.rows[0]?.[0]?.text ?? null
  const set = (name: string, to: string) =>
    fixture.php(site, `require '/wordpress/wp-load.php'; update_option('${name}', '${to}');`)
  /** What code of the site could still do while nobody is let in: its process is awake, so its user may log in. */
  async function deleteOwn(): Promise<void> {
    const config = await readFile(join((await fixture.engine.filesFolder(site)) ?? '', 'wp-config.php'), 'utf8')
    const password = /'DB_PASSWORD', '([^']+)'/.exec(config)?.[1] ?? ''
    if (programs === null) throw new Error('Nothing is installed.')
    const { socket, account } = await prepareMysqlHome(fixture.dataDir, silentLog)
    const user = databaseOf(site.id)
    const login = { programs, account, address: { path: socket }, user, password }
    await runSql(login, `DELETE FROM ${user}.wp_options WHERE option_name = 'own';`)
  }
  async function run(steps: readonly EngineStep[], through?: CoreStage): Promise<void> {
    operations += 1
    const last = through === undefined ? steps.length - 1 : steps.findIndex(({ key }) => key === through)
    for (const step of steps.slice(0, last + 1))
      await step.run({
        operationId: `op${operations}`,
        log: () => undefined,
        progress: () => undefined,
        signal: AbortSignal.timeout(300_000),
      })
  }
  const change = async (to: CoreTarget) => {
    await run(core().changeSteps(site, to))
    await core().finishChange(site)
  }

  test('a new version updates the database, and rolls back with and without it', async () => {
    const before = await value('db_version')
    await change({ version: '6.5.9' })
    expect([(await facts()).version, await value('db_version')]).toEqual(['6.5.9', '58975'])
    expect((await facts()).previous).toMatchObject({ version: releases.stored, database: true })
    expect(await dumps()).toEqual(['core-kept.sql'])
    await set('since', 'kept')
    await change({ previous: true, database: false })
    expect([(await facts()).version, await value('since')]).toEqual([releases.stored, 'kept'])
    expect((await facts()).previous).toMatchObject({ version: '6.5.9', database: true })
    await change({ previous: true, database: false })
    await set('since_then', 'lost')
    await change({ previous: true, database: true })
    expect([(await facts()).version, await value('db_version'), await value('since_then')]).toEqual([
      releases.stored,
      before,
      null,
    ])
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    expect(await fixture.errors(site)).toEqual([])
  })

  test.each(['save', 'upgrade'] as const)(
    'taken back after the stage %s, the site has its files and its database',
    async (stage) => {
      const before = [await value('db_version'), (await facts()).version, await dumps()]
      await set('own', stage)
      await run(core().changeSteps(site, { version: '6.5.9' }), stage)
      expect((await fixture.fetch(site, '/')).status).toBe(503)
      expect(await value('own')).toBe(stage)
      await deleteOwn()
      expect(await value('own')).toBeNull()
      for (const _time of ['once', 'repeated']) expect(await core().undoChange(site, `op${operations}`)).toBe('undone')
      expect([await value('own'), await value('db_version'), (await facts()).version]).toEqual([
        stage,
        before[0],
        before[1],
      ])
      expect((await dumps()).filter((name) => name.startsWith('core'))).toEqual(['core-kept.sql'])
      expect((await fixture.fetch(site, '/')).status).toBe(200)
    },
  )

  test('a roll back that is taken back keeps what was kept', async () => {
    const kept = (await facts()).previous
    const dump = await readFile(join(folder(), 'core-kept.sql'), 'utf8')
    await set('own', 'newest')
    await run(core().changeSteps(site, { previous: true, database: true }), 'upgrade')
    expect(await value('own')).not.toBe('newest')
    await core().undoChange(site, `op${operations}`)
    expect([await value('own'), (await facts()).previous]).toEqual(['newest', kept])
    expect(await readFile(join(folder(), 'core-kept.sql'), 'utf8')).toBe(dump)
  })

  test('a database that cannot be put back keeps visitors out until it is', async () => {
    await run(core().changeSteps(site, { version: '6.5.9' }), 'upgrade')
    const dump = join(folder(), 'core-before.sql')
    const whole = await readFile(dump, 'utf8')
    await writeFile(dump, whole.replace('INSERT INTO `wp_users`', 'INSERT INTO `nowhere`'))
    await expect(core().undoChange(site, `op${operations}`)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await fixture.fetch(site, '/')).status).toBe(503)
    await writeFile(dump, whole)
    expect(await core().undoChange(site, `op${operations}`)).toBe('undone')
    expect((await facts()).version).toBe(releases.stored)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
  })

  test('a version that does not run is taken back, and nothing is kept after a move to SQLite', async () => {
    await expect(run(core().changeSteps(site, { version: '6.5.7' }))).rejects.toMatchObject({ code: 'unavailable' })
    await core().undoChange(site, `op${operations}`)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await run(fixture.engine.databaseMoves.steps(site, 'sqlite'))
    await fixture.engine.databaseMoves.finish(site)
    expect(await dumps()).toEqual([])
    expect((await facts()).previous).toMatchObject({ version: '6.5.9', database: false })
  })
})
