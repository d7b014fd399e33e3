import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported
const mysql = { url: null }

async function run(steps: readonly EngineStep[]): Promise<void> {
  for (const step of steps)
    await step.run({
      operationId: 'op',
      log: () => undefined,
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
}

describe.skipIf(!isInstalled)('networks on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let dataDir = ''
  beforeAll(async () => {
    fixture = await startFixture({ mysql })
    dataDir = fixture.dataDir
    site = await fixture.create({ siteType: 'wp', database: 'mysql', multisite: 'subdir' })
    await fixture.engine.wordpress.change(site, { kind: 'add_network_site', path: 'second', title: 'Second' })
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  })
  const titleOf = async (one: SiteRef, path: string) =>
    /<title>([^<]*)<\/title>/.exec((await fixture.fetch(one, path)).body)?.[1]?.trim()
  const config = async (one: SiteRef) =>
    readFile(join((await fixture.engine.filesFolder(one)) ?? '', 'wp-config.php'), 'utf8')
  const urls = async (one: SiteRef) =>
    (await fixture.engine.wordpress.inspect(one)).sites?.rows.map(({ path, url }) => [path, url])
  const expectWhole = async (one: SiteRef) => {
    const address = fixture.engine.siteUrl(one)
    expect(await urls(one)).toEqual([
      ['/', address],
      ['/second/', `${address}/second`],
    ])
    expect([await titleOf(one, '/'), await titleOf(one, '/second/')]).toEqual([site.title, 'Second'])
  }
  /** Code that runs in WordPress and prints. */
  const php = (code: string) => fixture.php(site, `require '/wordpress/wp-load.php'; global $wpdb; ${code}`)

  test('are created, and their sites are added and deleted with their tables', async () => {
    const { wordpress } = fixture.engine
    await expectWhole(site)
    await wordpress.change(site, { kind: 'add_network_site', path: 'third', title: 'Third' })
    expect(await titleOf(site, '/third/')).toBe('Third')
    const third = (await wordpress.inspect(site)).sites?.rows.find(({ path }) => path === '/third/')?.id ?? 0
    const tables = `echo count($wpdb->get_col("SHOW TABLES LIKE 'wp\\\\_${third}\\\\_%'"));`
    expect(Number(await php(tables))).toBeGreaterThan(8)
    await wordpress.change(site, { kind: 'delete_network_site', id: third })
    expect(await php(tables)).toBe('0')
    await expectWhole(site)
    expect(await fixture.errors(site)).toEqual([])
  })

  test('change their domain for all of their sites, and take the change back', async () => {
    const { domains } = fixture.engine
    await run(domains.changeSteps(site, 'renamed', []).slice(0, -1))
    await domains.undoChange(site)
    await expectWhole(site)
    await run(domains.changeSteps(site, 'renamed', []))
    await domains.finishChange(site)
    await expectWhole({ ...site, domain: 'renamed' })
    expect((await fixture.fetch({ domain: 'renamed' }, '/second/')).body).not.toContain(`//${site.domain}.localhost`)
    await run(domains.changeSteps({ ...site, domain: 'renamed' }, site.domain, []))
    await domains.finishChange(site)
    await expectWhole(site)
  })

  test('get their new address when Easydash has another port', async () => {
    const before = fixture.port
    await fixture.engine.stop()
    fixture = await startFixture({ dataDir, mysql })
    expect(fixture.port).not.toBe(before)
    await expectWhole(site)
    expect(await config(site)).toContain(`'${site.domain}.localhost:${fixture.port}'`)
    expect(await php(`echo $wpdb->get_var("SELECT domain FROM $wpdb->blogs WHERE blog_id = 2");`)).toBe(
      `${site.domain}.localhost:${fixture.port}`,
    )
  })

  test('move to SQLite and back', async () => {
    const content = `$all = array(); foreach ($wpdb->get_col("SHOW TABLES") as $t) { $rows = array_map('serialize', $wpdb->get_results("SELECT * FROM \`$t\`", ARRAY_A)); sort($rows); $all[$t] = preg_grep('/_transient_|"cron"/', $rows, PREG_GREP_INVERT); } ksort($all); echo md5(serialize($all)), ' ', count($all), class_exists('WP_SQLite_DB') ? ' sqlite' : ' mysql';`
    const { databaseMoves } = fixture.engine
    const move = async (to: SiteDatabaseKind) => {
      await run(databaseMoves.steps(site, to))
      await databaseMoves.finish(site)
      await expectWhole(site)
    }
    await fixture.engine.wordpress.change(site, { kind: 'pause_events', paused: true })
    const before = await php(content)
    expect(before).toMatch(/ 2[2-9] mysql$/)
    await move('sqlite')
    expect(await php(content)).toBe(before.replace('mysql', 'sqlite'))
    await move('mysql')
    expect(await php(content)).toBe(before)
  })

  test('are made of a site, which comes back at any point', async () => {
    const { networks } = fixture.engine
    const single = await fixture.create({ siteType: 'wp', database: 'mysql' })
    const tables = () =>
      fixture.php(
        single,
        `require '/wordpress/wp-load.php'; echo is_multisite() ? 'network ' : 'single ', implode(' ', $wpdb->get_col("SHOW TABLES LIKE 'wp%s%'"));`,
      )
    const [before, configured] = [await tables(), await config(single)]
    const steps = networks.convertSteps(single)
    for (const count of [1, 2, steps.length]) {
      await run(steps.slice(0, count))
      expect(await networks.undoConversion(single)).toBe('undone')
      expect([count, await tables(), await config(single)]).toEqual([count, before, configured])
    }
    await run(networks.convertSteps(single))
    expect((await fixture.fetch(single, '/')).status).toBe(503)
    await networks.finishConversion(single)
    expect(await tables()).toMatch(/^network .*wp_blogs.* wp_site /)
    await fixture.engine.wordpress.change(single, { kind: 'add_network_site', path: 'more', title: 'More' })
    expect(await titleOf(single, '/more/')).toBe('More')
  })
})
