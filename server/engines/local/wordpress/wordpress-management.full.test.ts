import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { SiteSpec } from '../../engine.ts'

let fixture: EngineFixture
let site: SiteSpec
const wordpress = () => fixture.engine.wordpress
const www = (path: string) => join(fixture.dataDir, 'local', 'sites', site.id, 'www', path)
const write = async (path: string, content: string) => {
  await mkdir(join(www(path), '..'), { recursive: true })
  await fixture.writeFile(site, path, content)
}
const plugin = (name: string, code: string) =>
  write(`wp-content/plugins/${name}/${name}.php`, `<?php\n/* Plugin Name: ${name} */\n${code}`)
const find = async (id: string) => (await wordpress().inspect(site)).plugins.find((one) => one.id === id)

beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'wp' })
})
afterAll(() => fixture?.end())

test('a plugin that fails while it is activated stays inactive, and the reason names it', async () => {
  await plugin('fails', 'this_function_does_not_exist();')
  await expect(wordpress().change(site, { kind: 'activate_plugin', plugin: 'fails/fails.php' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/this_function_does_not_exist.*plugins\/fails\/fails\.php, line 3/),
  })
  expect(await find('fails/fails.php')).toMatchObject({ active: false })
  expect((await fixture.fetch(site, '/')).status).toBe(200)
})

test('clearing the cache removes kept pages, and has the cache plugin of the site clear its own', async () => {
  await plugin(
    'pages',
    "function wp_cache_clear_cache() { file_put_contents( WP_CONTENT_DIR . '/cleared.txt', 'by the plugin' ); }",
  )
  await wordpress().change(site, { kind: 'activate_plugin', plugin: 'pages/pages.php' })
  await fixture.php(
    site,
    `mkdir('wp-content/cache/pages', 0755, true); foreach (array('index.php', 'pages/home.html') as $name) file_put_contents("wp-content/cache/$name", 'kept');`,
  )
  await wordpress().change(site, { kind: 'flush_cache' })
  expect(await readdir(www('wp-content/cache'))).toEqual(['index.php'])
  expect(await readFile(www('wp-content/cleared.txt'), 'utf8')).toBe('by the plugin')
  await wordpress().change(site, { kind: 'deactivate_plugin', plugin: 'pages/pages.php' })
})

test.each([
  [
    'a plugin',
    'wp-content/plugins/trap/trap.php',
    '<?php\n/* Plugin Name: Trap */\nif ( is_file( __DIR__ . "/bomb.php" ) ) { require __DIR__ . "/bomb.php"; }',
  ],
  [
    'the theme',
    'wp-content/themes/trap/functions.php',
    '<?php\nif ( is_file( __DIR__ . "/bomb.php" ) ) { require __DIR__ . "/bomb.php"; }',
  ],
])('a site that %s keeps from loading is read and repaired without its code', async (what, path, code) => {
  await write(path, code)
  if (what === 'the theme') {
    await write('wp-content/themes/trap/style.css', '/* Theme Name: Trap */')
    await write('wp-content/themes/trap/index.php', '<?php wp_head();')
  }
  const before = (await wordpress().inspect(site)).themes.find(({ active }) => active)?.id ?? ''
  await wordpress().change(
    site,
    what === 'the theme'
      ? { kind: 'activate_theme', theme: 'trap' }
      : { kind: 'activate_plugin', plugin: 'trap/trap.php' },
  )
  await write(join(path, '..', 'bomb.php'), '<?php nothing_of_that_name();')
  expect((await fixture.fetch(site, '/')).status).toBe(500)
  const facts = await wordpress().inspect(site)
  expect(facts.broken).toMatch(/nothing_of_that_name.*bomb\.php, line 1/)
  await wordpress().change(
    site,
    what === 'the theme'
      ? { kind: 'activate_theme', theme: before }
      : { kind: 'deactivate_plugin', plugin: 'trap/trap.php' },
    { safe: true },
  )
  expect((await fixture.fetch(site, '/')).status).toBe(200)
  expect(await wordpress().inspect(site)).toMatchObject({ broken: null })
})

test('a site with hundreds of plugins and long texts can be read', async () => {
  for (let n = 0; n < 250; n += 1)
    await write(
      `wp-content/plugins/many-${n}/many-${n}.php`,
      `<?php\n/*\nPlugin Name: Plugin ${n} ${'ü'.repeat(60)}\nDescription: ${'long '.repeat(80)}\nAuthor: ${'ä'.repeat(90)}\n*/`,
    )
  const facts = await wordpress().inspect(site)
  expect(facts.plugins.filter(({ id }) => id.startsWith('many-'))).toHaveLength(250)
  expect(facts.broken).toBeNull()
  for (let n = 0; n < 250; n += 1) await rm(www(`wp-content/plugins/many-${n}`), { recursive: true })
})

test('must-use plugins are listed, and a failing one does not keep the site from being read', async () => {
  await write('wp-content/mu-plugins/must.php', '<?php\n/* Plugin Name: Must <b>use</b> */\nno_such_thing();')
  const facts = await wordpress().inspect(site)
  expect(facts.broken).toMatch(/no_such_thing.*mu-plugins\/must\.php, line 3/)
  expect(facts.plugins).toContainEqual(expect.objectContaining({ id: 'must.php', kind: 'must_use', name: 'Must use' }))
  expect(facts.plugins).toContainEqual(expect.objectContaining({ id: 'db.php', kind: 'drop_in', managed: true }))
  await rm(www('wp-content/mu-plugins/must.php'))
})

test('a site that answers scripts with something else is told apart from one that works', async () => {
  await write(
    'wp-content/mu-plugins/liar.php',
    '<?php if ( isset( $_SERVER["EASYDASH_RESULT"] ) ) { file_put_contents( $_SERVER["EASYDASH_RESULT"], json_encode( array( "version" => array( "x" ), "plugins" => str_repeat( "x", 9999 ) ) ) ); exit; }',
  )
  const facts = await wordpress().inspect(site)
  expect(facts.broken).toMatch(/can’t read/)
  await rm(www('wp-content/mu-plugins/liar.php'))
})

test('changed, added and missing files of WordPress are named; those of the site are not', async () => {
  await write('wp-includes/version-helper.php', '<?php // not of WordPress')
  await write('wp-admin/about.php', '<?php // changed')
  await write('my-own-page.php', '<?php // of the site')
  await rm(www('wp-admin/credits.php'))
  await rm(www('readme.html'), { force: true })
  expect(await wordpress().verifyChecksums(site)).toMatchObject({
    changed: ['wp-admin/about.php'],
    added: ['wp-includes/version-helper.php'],
    missing: ['wp-admin/credits.php'],
    truncated: false,
  })
})

test('a renamed user is signed out, keeps password, content and the address of their page, and takes no address of another', async () => {
  const wp = (code: string) => fixture.php(site, `require 'wp-load.php'; ${code}`)
  const rename = (login: string, to: string) => wordpress().change(site, { kind: 'rename_user', login, to })
  const signIn = async (log: string) => {
    const body = new URLSearchParams({ log, pwd: 'a password of 24 letters' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fixture.fetch(site, '/wp-login.php', { method: 'POST', headers, body })
    return (response.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')
  }
  const adminWith = async (cookie: string) => (await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status

  await wordpress().change(site, { kind: 'add_user', login: 'admin', email: 'a@example.com', role: 'administrator' })
  await wordpress().setPassword(site, 'admin', 'a password of 24 letters')
  await wp(
    `wp_insert_post(array('post_title' => 'Theirs', 'post_status' => 'publish', 'post_author' => get_user_by('login', 'admin')->ID));`,
  )
  const before = await signIn('admin')
  expect(await adminWith(before)).toBe(200)

  await rename('admin', 'ann')
  expect(await adminWith(before)).toBe(302)
  expect(await adminWith(await signIn('admin'))).toBe(302)
  expect(await adminWith(await signIn('ann'))).toBe(200)
  expect((await fixture.fetch(site, '/?author_name=admin')).body).toContain('Theirs')
  expect(await wp(`echo count(WP_Session_Tokens::get_instance(get_user_by('login', 'ann')->ID)->get_all());`)).toBe('1')
  for (const taken of ['boss', 'boss@example.com', 'a%b'])
    await expect(rename('ann', taken)).rejects.toMatchObject({ code: 'invalid' })
  await wordpress().change(site, { kind: 'delete_user', login: 'ann', reassign_to: 'boss' })
})

test('plugins are listed without their code, and past a drop-in that breaks WordPress', async () => {
  await plugin('named', '')
  await write('wp-content/mu-plugins/always.php', '<?php\n/* Plugin Name: Always <b>there</b> */\n')
  await write(
    'wp-content/.easydash-previous/plugins/named/named.php',
    '<?php\n/* Plugin Name: named\n * Version: 0.9 */',
  )
  await wordpress().change(site, { kind: 'activate_plugin', plugin: 'named/named.php' })
  const all = (await wordpress().inspect(site)).plugins
  expect(all.find(({ id }) => id === 'named/named.php')).toMatchObject({ active: true, previous: '0.9' })
  expect(all.find(({ id }) => id === 'always.php')).toMatchObject({ kind: 'must_use', name: 'Always there' })
  expect(all.find(({ id }) => id === 'db.php')).toMatchObject({ kind: 'drop_in', managed: true })
  expect(await wordpress().plugins(site)).toEqual(all)
  await plugin('named', `nothing_of_that_name();`)
  await fixture.engine.sleepAll()
  expect(await wordpress().plugins(site)).toEqual(all)
  await write('wp-content/object-cache.php', '<?php nothing_of_that_name();')
  await fixture.engine.sleepAll()
  const past = await wordpress().plugins(site)
  expect(past.find(({ id }) => id === 'named/named.php')).toMatchObject({ active: true })
  expect(past.find(({ id }) => id === 'object-cache.php')).toMatchObject({ kind: 'drop_in' })
})
