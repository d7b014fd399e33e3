import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseTables } from '#shared/responses/site-database.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { makeZip } from '../local/core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../local/engine-fixture.ts'
import type { SiteSpec } from '../engine.ts'
import { filesVersion, verifyCore } from '../wordpress-checksums.ts'
import type { RunWordPressScript } from '../wordpress-scripts.ts'
import { phpProgram, resultMark } from './php-program.ts'

/** Runs programs as they are sent to a site of this domain. */
const programsIn =
  (fixture: EngineFixture, site: SiteSpec, domain: string) =>
  async (script: string, input: Record<string, unknown> = {}) => {
    const call = { script, input: { safe: false, ...input }, domain, isSecure: false }
    const program = phpProgram({ ...call, workdir: '/wordpress' })
    const output = await fixture.php(site, program.replace(/^<\?php/, ''))
    const line = output.split('\n').findLast((one) => one.startsWith(resultMark))
    if (line === undefined) throw new Error(output.slice(-2_000))
    return JSON.parse(Buffer.from(line.slice(resultMark.length), 'base64').toString()) as Record<string, unknown>
  }

describe('programs for servers, in a real WordPress', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(() => fixture.end())

  const run = (script: string, input: Record<string, unknown> = {}) =>
    programsIn(fixture, site, 'site.example')(script, input)
  const change = (value: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    run('change', { change: value, ...more })
  const themes = async () => ((await run('inspect'))['themes'] as { id: string; in_use: boolean }[]) ?? []

  it('reads', async () => {
    const facts = await run('inspect')
    expect(facts).toMatchObject({ multisite: false, roles: { administrator: expect.any(String) } })
    expect((await run('plugins'))['plugins']).toEqual(facts['plugins'])
    expect(await run('inspect', { safe: true })).toMatchObject({ version: facts['version'] })
    expect(await run('people', { search: '', page: 0 })).toMatchObject({ total: 1, rows: [{ login: 'boss' }] })
    expect(await run('health', { late_seconds: 900 })).toMatchObject({ file_editing: expect.any(Boolean) })
    const person = { key: 'a'.repeat(24), role: 'editor', as: 'boss', check: true }
    expect(await run('login', person)).toMatchObject({ found: false, refused: 'above' })
  })

  it('counts what was added or changed since a time: also orders, which have two places, and no spam', async () => {
    const changed = async (since: string) => (await run('inspect', { safe: true, since }))['changed']
    expect(await changed('2038-01-01 00:00:00')).toEqual({ posts: 0, orders: 0, comments: 0, users: 0 })
    await fixture.php(
      site,
      `require '/wordpress/wp-load.php';
      foreach (array('post', 'page', 'revision', 'attachment', 'shop_order') as $type)
        $wpdb->insert($wpdb->posts, array('post_type' => $type, 'post_status' => 'publish', 'post_title' => $type,
          'post_modified_gmt' => '2038-01-01 00:00:00', 'post_content' => '', 'post_excerpt' => '', 'to_ping' => '', 'pinged' => '', 'post_content_filtered' => ''));
      foreach (array('1', '0', 'spam') as $approved)
        $wpdb->insert($wpdb->comments, array('comment_approved' => $approved, 'comment_content' => '', 'comment_author' => '', 'comment_date_gmt' => '2038-01-01 00:00:00'));`,
    )
    expect(await changed('2038-01-01 00:00:00')).toEqual({ posts: 2, orders: 1, comments: 2, users: 0 })
    expect(await changed('2038-01-01 00:00:01')).toEqual({ posts: 0, orders: 0, comments: 0, users: 0 })
    await fixture.php(
      site,
      `require '/wordpress/wp-load.php';
      $wpdb->query("CREATE TABLE {$wpdb->prefix}wc_orders (id bigint unsigned, status varchar(20), type varchar(20), date_updated_gmt datetime)");
      foreach (array('wc-processing', 'wc-completed', 'checkout-draft') as $id => $status)
        $wpdb->insert($wpdb->prefix . 'wc_orders', array('id' => $id, 'status' => $status, 'type' => 'shop_order', 'date_updated_gmt' => '2038-01-01 00:00:00'));`,
    )
    expect(await changed('2038-01-01 00:00:00')).toMatchObject({ orders: 2 })
    await fixture.php(
      site,
      `require '/wordpress/wp-load.php'; $wpdb->query("DROP TABLE {$wpdb->prefix}wc_orders");
      foreach (array($wpdb->posts => 'post_modified_gmt', $wpdb->comments => 'comment_date_gmt') as $table => $column)
        $wpdb->query("DELETE FROM $table WHERE $column = '2038-01-01 00:00:00'");`,
    )
  })

  it('changes, and says why it refuses', async () => {
    const user = { kind: 'add_user', login: 'nora', email: 'nora@example.com', role: 'editor' }
    expect(await change(user)).toEqual({ ran: null })
    expect(await change(user)).toMatchObject({ refused: 'invalid', why: expect.stringContaining('username') })
    expect(await change({ kind: 'activate_plugin', plugin: 'none/none.php' })).toMatchObject({ refused: 'missing' })
    expect(await change({ kind: 'flush_cache' })).toEqual({ ran: null })
  })

  it('keeps what it deletes, and puts it back, while visitors are kept out', async () => {
    await fixture.writeFile(site, '.maintenance', '<?php $upgrading = time();')
    const before = await themes()
    const theme = before.find((one) => !one.in_use)?.id ?? ''
    expect(await change({ kind: 'delete_theme', theme }, { keep: true })).toEqual({ ran: null })
    expect((await themes()).map(({ id }) => id)).not.toContain(theme)
    expect(await run('deleted', { act: 'restore' })).toEqual({ done: true })
    expect(await themes()).toEqual(before)
    await fixture.php(site, `unlink('/wordpress/.maintenance');`)
  })

  it('unpacks and installs an uploaded package, and refuses a file that is none', async () => {
    const folder = 'wp-content/.easydash-previous/staged'
    const put = async (name: string, content: Buffer) =>
      fixture.php(
        site,
        `@mkdir('/wordpress/${folder}', 0755, true); file_put_contents('/wordpress/${folder}/${name}', base64_decode('${content.toString('base64')}'));`,
      )
    const plugin = Buffer.from('<?php\n/* Plugin Name: tool\nVersion: 1.0 */')
    await put('one.zip', makeZip([{ name: 'tool/tool.php', content: plugin }]))
    expect(await run('bring', { staged: 'one', archive: 'one.zip', safe: true })).toEqual({ done: true })
    expect(await run('package', { act: 'stage', staged: 'one', safe: true })).toMatchObject({ name: 'tool' })
    const install = { act: 'install', staged: 'one', operation: 'op', type: 'plugin', replace: false }
    expect(await run('package', install)).toMatchObject({ id: 'tool/tool.php', version: '1.0', replaced: null })
    await put('two.zip', Buffer.from('No package at all, but long enough.'))
    expect(await run('bring', { staged: 'two', archive: 'two.zip', safe: true })).toEqual({ refused: 'no_zip' })
    const many = Array.from({ length: 20_001 }, (_, at) => ({ name: `tool/${at}`, content: Buffer.alloc(0) }))
    await put('many.zip', makeZip(many))
    expect(await run('bring', { staged: 'many', archive: 'many.zip', safe: true })).toEqual({ refused: 'no_zip' })
    const out = [
      { name: 'tool/tool.php', content: plugin },
      { name: '../../../../out.php', content: plugin },
    ]
    await put('out.zip', makeZip(out))
    await run('bring', { staged: 'out', archive: 'out.zip', safe: true })
    expect(await fixture.php(site, `echo json_encode(file_exists('/wordpress/out.php'));`)).toContain('false')
  })

  it('reads and changes settings, and puts them back without the site’s own code', async () => {
    const settings = async () => ((await run('options'))['settings'] as { values: Record<string, unknown> }).values
    const before = await settings()
    const changes = {
      title: 'A & "B"',
      timezone: 'Europe/Berlin',
      search_engines: 0,
      permalinks: '/archives/%post_id%',
    }
    const saved = await run('options', { changes, expected: before, operation: 'op' })
    expect(saved).toMatchObject({ settings: { values: changes }, conflicts: [], refused: [] })
    expect(await run('options-undo', { operation: 'op', safe: true })).toEqual({ done: true })
    expect(await settings()).toEqual(before)
  })

  it('puts a translation in place, and nothing else that came with it', async () => {
    const staged = 'wp-content/.easydash-previous/staged/language'
    await fixture.php(site, `mkdir('/wordpress/${staged}', 0755, true);`)
    for (const name of ['de_DE.mo', 'admin-de_DE.po', 'evil.php', 'de_DE.l10n.php'])
      await fixture.writeFile(site, `${staged}/${name}`, 'text')
    expect(await run('languages', { staged: 'language', locale: 'de_DE', safe: true })).toEqual({ installed: true })
    const names = await fixture.php(site, `echo json_encode(scandir('/wordpress/wp-content/languages'));`)
    expect(names).toContain('"admin-de_DE.po","de_DE.mo"]')
    expect(await run('languages', { staged: 'none', locale: 'fr_FR', safe: true })).toEqual({ installed: false })
  })

  it('compares files with their checksums, and reads one, without following links', async () => {
    const runs: RunWordPressScript = (script, input) => run(script, input)
    const version = await filesVersion(runs)
    expect(await run('checksum')).toEqual({ version, locale: '' })
    const about = '/wordpress/wp-includes/version.php'
    await fixture.php(
      site,
      `copy('${about}', '/tmp/about.php'); file_put_contents('${about}', "\\$wp_local_package = 'de_DE_formal';\n", FILE_APPEND);`,
    )
    expect(await run('checksum')).toEqual({ version, locale: 'de_DE_formal' })
    await fixture.php(site, `copy('/tmp/about.php', '${about}');`)
    const hello = await run('content', { path: 'wp-content/index.php', most: 1_000 })
    const content = Buffer.from(String(hello['content']), 'base64')
    expect(content.toString()).toContain('Silence is golden')
    const sums = [
      ['index.php', createHash('md5').update('other').digest('hex')],
      ['wp-admin/none.php', ''],
    ] as const
    const found = await verifyCore(runs, async () => ({ source: 'wordpress.org', sums }), AbortSignal.timeout(60_000))
    expect(found).toMatchObject({ version, checked: 1, changed: ['index.php'], missing: ['wp-admin/none.php'] })
    expect(found.added).toHaveLength(500)
    expect(found.truncated).toBe(true)
    await fixture.php(site, `symlink('/wordpress/wp-config.php', '/wordpress/wp-content/link.php');`)
    expect(await run('content', { path: 'wp-content/link.php', most: 1_000 })).toEqual({ missing: true })
    expect(await run('content', { path: 'wp-content/index.php', most: 3 })).toEqual({ bytes: 28, content: null })
  })

  it('exchanges WordPress itself, takes that back, and rolls back to what it kept', async () => {
    const core = (act: string, more: Record<string, unknown> = {}) => run('core', { act, mysql: true, ...more })
    const version = async () => (await core('about'))['version']
    const before = await version()
    const replace = (operation: string, fromKept: boolean) =>
      core('replace', { operation, from_kept: fromKept, database: false, gone: [] })
    const incoming = '/wordpress/wp-content/.easydash-previous/core/incoming/wp-includes'
    const bring = () =>
      fixture.php(
        site,
        `mkdir('${incoming}', 0755, true); file_put_contents('${incoming}/version.php', '<?php $wp_version = \\'9.9\\';');`,
      )
    await bring()
    expect(await replace('one', false)).toEqual({ done: true })
    expect(await version()).toBe('9.9')
    for (const _time of ['once', 'repeated']) expect(await core('undo')).toEqual({ done: true })
    expect(await version()).toBe(before)
    await bring()
    await replace('two', false)
    expect(await core('finish')).toEqual({ done: true })
    expect(await core('about')).toMatchObject({ version: '9.9', kept: { version: before } })
    await replace('three', true)
    await core('finish')
    expect(await run('inspect')).toMatchObject({ version: before, previous: { version: '9.9' } })
    expect(await run('upgrade', { safe: true })).toMatchObject({ version: before, changed: false })
  })

  it('browses a database with what the configuration names, and says what is wrong with that', async () => {
    const query = { do: 'tables', limits: databaseLimits }
    const found = (await run('browse', query))['found']
    expect(databaseTables.parse(found).tables.map(({ name }) => name)).toContain('wp_options')
    // This site has SQLite.
    expect(await run('browse', { ...query, mysql: 'own' })).toMatchObject({
      problem: 'failed',
      why: expect.any(String),
    })
  })

  it('runs code of an admin, whatever that prints', async () => {
    const php = (code: string) => run('console', { code, limits: { output: 20 } })
    expect(await php("echo get_option('blogname') === false ? 'no' : 'yes'; return 7;")).toMatchObject({
      ...{ output: 'yes', value: '7', error: null, cut: false },
    })
    expect(await php("echo str_repeat('x', 1000000);")).toMatchObject({ output: 'x'.repeat(20), cut: true })
    expect(await php("echo 'before';\nthrow new Exception('no');")).toMatchObject({
      ...{ output: 'before', error: { message: 'Exception: no', file: '', line: 2 } },
    })
  })

  it('says what failed in the site’s own code', async () => {
    await fixture.writeFile(site, 'wp-content/mu-plugins/broken.php', '<?php broken_function();')
    expect(await run('inspect')).toMatchObject({ fatal: expect.stringContaining('broken_function') })
    expect(await run('inspect', { safe: true })).toHaveProperty('plugins')
  })
})

describe('programs for servers, in a real network', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp', multisite: 'subdir' })
  })
  afterAll(() => fixture.end())

  it('manage its plugins, themes and users for all of its sites', async () => {
    const { host } = new URL(fixture.engine.siteUrl(site))
    const run = programsIn(fixture, site, host)
    const change = (value: Record<string, unknown>) => run('change', { change: value })
    expect(await change({ kind: 'add_network_site', path: 'shop', title: 'The shop' })).toMatchObject({ ran: null })
    expect(await run('inspect')).toMatchObject({ multisite: true, sites: { total: 2, subdomains: false } })
    await fixture.writeFile(site, 'wp-content/plugins/tool.php', '<?php\n/* Plugin Name: tool */')
    expect(await change({ kind: 'activate_plugin', plugin: 'tool.php', network: true })).toEqual({ ran: null })
    const plugins = (await run('plugins'))['plugins'] as { id: string }[]
    expect(plugins.find(({ id }) => id === 'tool.php')).toMatchObject({ active: true, network: true })
    expect(await change({ kind: 'deactivate_plugin', plugin: 'tool.php', network: true })).toEqual({ ran: null })
    expect(await change({ kind: 'add_user', login: 'nora', email: 'nora@example.com', role: 'editor' })).toEqual({
      ran: null,
    })
    expect(await run('people', { search: 'nora', page: 0 })).toMatchObject({ total: 1, rows: [{ login: 'nora' }] })
    expect(await run('health', { late_seconds: 900 })).toMatchObject({ file_editing: expect.any(Boolean) })
  })
})
