import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from './local-mysql.ts'

const isInstalled = mysqlCapability(await findMysql(), null).supported

const rows = `require '/wordpress/wp-load.php'; global $wpdb; echo md5(serialize($wpdb->get_results("SELECT option_name, option_value FROM $wpdb->options WHERE option_name NOT LIKE '%transient%' AND option_name NOT IN ('cron', 'easydash_before_settings', 'recently_activated') ORDER BY option_name", ARRAY_A)), serialize($wpdb->get_results("SELECT * FROM $wpdb->postmeta ORDER BY meta_id", ARRAY_A)));`

describe.skipIf(!isInstalled)('changes taken back on MySQL (skipped where MariaDB or MySQL is not installed)', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture({ mysql: { url: null } })
    site = await fixture.create({ siteType: 'wp', database: 'mysql', domain: 'back' })
  })
  afterAll(async () => {
    await fixture?.end()
    await removeOutsideFolders(fixture.dataDir)
  })

  test('a deletion: rows that its own routine removed come back', async () => {
    const www = (await fixture.engine.filesFolder(site)) ?? ''
    const folder = join(www, 'wp-content/plugins/needed')
    await mkdir(folder)
    await fixture.writeFile(site, 'wp-content/plugins/needed/needed.php', '<?php /* Plugin Name: Needed */')
    await fixture.writeFile(
      site,
      'wp-content/plugins/needed/uninstall.php',
      `<?php global $wpdb; $wpdb->query("DELETE FROM $wpdb->postmeta"); delete_option('blogdescription');`,
    )
    execFileSync('chown', ['-R', '--reference', www, folder])
    const before = await fixture.php(site, rows)
    const { wordpress } = fixture.engine
    await wordpress.change(site, { kind: 'delete_plugin', plugin: 'needed/needed.php' }, { operationId: 'op' })
    expect((await wordpress.plugins(site)).map(({ id }) => id)).not.toContain('needed/needed.php')
    await wordpress.undo(site, 'op')
    expect((await wordpress.plugins(site)).map(({ id }) => id)).toContain('needed/needed.php')
    expect(await fixture.php(site, rows)).toBe(before)
  })

  test('settings of WordPress come back as rows', async () => {
    const { settings } = fixture.engine
    const before = await fixture.php(site, rows)
    const { values } = await settings.readWordPress(site)
    const changes = { title: 'Ä "new" \\ one', permalinks: '', timezone: 'Europe/Berlin' }
    await settings.changeWordPress(site, changes, { expected: values, operationId: 'op' })
    expect(await fixture.php(site, rows)).not.toBe(before)
    await settings.undoWordPress(site, 'op')
    expect(await fixture.php(site, rows)).toBe(before)
  })
})
