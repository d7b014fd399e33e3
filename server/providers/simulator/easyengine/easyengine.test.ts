import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addEasyEngine, makeMachine } from '../machine-files.ts'
import { databasePath } from './database.ts'
import { createTestMachine } from './easyengine-fixture.ts'
import { put } from './machine.ts'

let t: ReturnType<typeof createTestMachine>
beforeEach(() => {
  t = createTestMachine()
})
afterEach(() => t.remove())

const info = async (domain: string) =>
  JSON.parse((await t.ee(`site info ${domain} --format=json`)).out) as Readonly<Record<string, string | null>>
const sslInfo = async (domain: string) =>
  (JSON.parse((await t.ee(`site ssl-info ${domain}`)).out) as Readonly<Record<string, unknown>>[])[0]

test('a WordPress site from its creation to its end', async () => {
  expect(await t.ee('site list')).toEqual({ code: 1, out: '', err: 'Error: No sites found!\n' })
  const { code, out } = await t.site('shop.example', '--title=Shop', '--admin-user=ann', '--cache')
  expect(code).toBe(0)
  const steps = ['Starting site creation.', 'Configuring project.', 'Downloading and configuring WordPress.']
  steps.push(
    'Checking and verifying site-up status',
    'Installing WordPress site.',
    'Site entry created.',
    'Creating cron entry',
  )
  expect(steps.toSorted((a, b) => out.indexOf(a) - out.indexOf(b))).toEqual(steps)
  expect(out).toMatch(/^\| WordPress Password +\| \w{18}/m)
  // Two fields, and every value of a site as text; SQLite itself has flags as numbers.
  expect((await t.ee('site list --format=json')).out).toBe('[{"site":"shop.example","status":"enabled"}]')
  expect(await info('shop.example')).toMatchObject({
    ...{ id: '1', site_enabled: '1', site_type: 'wp', app_sub_type: 'wp', php_version: '8.3', db_name: 'shopexample' },
    ...{ app_admin_url: 'Shop', app_admin_username: 'ann', cache_host: 'global-redis', cache_app_object: '1' },
  })
  const query = await t.run('sqlite3', ['-readonly', '-json', databasePath, 'select site_url, site_enabled from sites'])
  expect(query.out).toBe('[{"site_url":"shop.example","site_enabled":1}]\n')

  expect((await t.ee('site update shop.example --php=8.4')).code).toBe(0)
  expect(await t.ee('site update shop.example --php=8.4')).toMatchObject({ code: 1 })
  t.write('opt/easyengine/sites/shop.example/config/nginx/custom/user.conf', 'server {\n')
  expect(await t.ee('site restart shop.example --nginx')).toMatchObject({ code: 1, err: 'Error: Nginx test failed\n' })
  const reload = await t.ee('site reload shop.example --nginx')
  expect(reload).toMatchObject({ code: 0, err: expect.stringContaining('test failed') })

  expect((await t.ee('site disable shop.example')).code).toBe(0)
  expect((await t.run('docker', ['ps', '-q', '--filter', 'label=io.easyengine.site=shop.example'])).out).toBe('')
  expect((await t.ee('site update shop.example --php=8.3')).err).toMatch(/is not enabled/)
  expect((await t.ee('site enable shop.example')).code).toBe(0)
  expect((await t.ee('site delete shop.example --yes')).code).toBe(0)
  expect(existsSync(join(t.root, 'opt/easyengine/sites/shop.example'))).toBe(false)
  expect(t.violations()).toEqual([])
  expect(t.effects()).toEqual(
    ['create', 'php', 'disable', 'enable', 'delete'].map((one) => `${one} shop.example${one === 'php' ? ' 8.4' : ''}`),
  )
})

test('WP-CLI in the PHP container', async () => {
  await t.site('blog.example', '--title=Blog', '--admin-user=ann')
  const { out } = await t.wp('blog.example', ['plugin', 'list', '--format=json', '--fields=name,status,update'])
  expect(JSON.parse(out)).toContainEqual({ name: 'akismet', status: 'inactive', update: 'available' })
  for (const argv of [
    ['plugin', 'update', '--all'],
    ['plugin', 'activate', 'akismet'],
    ['core', 'update'],
    ['core', 'verify-checksums'],
  ])
    expect([argv, await t.wp('blog.example', argv)]).toEqual([argv, expect.objectContaining({ code: 0 })])
  expect((await t.wp('blog.example', ['core', 'version'])).out).toBe('6.8.3\n')
  // What somebody entered comes by standard input.
  await t.wp('blog.example', ['option', 'update', 'blogname'], { input: "It's $(mine)" })
  expect((await t.wp('blog.example', ['option', 'get', 'blogname'])).out).toBe("It's $(mine)\n")
  expect(
    (await t.wp('blog.example', ['search-replace', 'blog.example', 'new.example', '--dry-run', '--format=count'])).out,
  ).toBe('3\n')
  const dump = await t.wp('blog.example', ['db', 'export', '-'])
  await t.wp('blog.example', ['user', 'create', 'bob', 'bob@a.example', '--role=editor', '--porcelain'])
  expect(JSON.parse((await t.wp('blog.example', ['user', 'list', '--format=json'])).out)).toHaveLength(2)
  await t.wp('blog.example', ['db', 'import', '-'], { input: dump.out })
  expect(JSON.parse((await t.wp('blog.example', ['user', 'list', '--format=json'])).out)).toHaveLength(1)
  expect(t.violations()).toEqual([])
  expect((await t.wp('blog.example', ['eval', 'phpinfo();'])).code).toBe(1)
  expect((await t.wp('blog.example', ['user', 'list', '--bogus=1'])).code).toBe(1)
  expect(t.violations()).toHaveLength(2)
})

test('names without dots and dashes collide', async () => {
  await t.ee('site create a.b.example --type=wp --php=8.3')
  expect(await t.wp('a.b.example', ['core', 'is-installed'])).toMatchObject({ code: 0 })
  // The database has the same name, and the clean-up of the second creation drops it.
  const second = await t.ee('site create a-b.example --type=wp --php=8.3')
  expect(second).toMatchObject({ code: 1, out: expect.stringContaining('Success: Site a-b.example deleted.') })
  expect((await t.wp('a.b.example', ['core', 'is-installed'])).err).toMatch(/Error establishing a database connection/)
  // A database of its own is not enough: the volumes have the same names.
  await t.ee('site delete a.b.example --yes')
  await t.site('ab.example')
  expect(await t.run('ee', ['site', 'create', 'a-b.example', '--type=wp', '--dbname=other'])).toMatchObject({ code: 1 })
  expect(await t.wp('ab.example', ['core', 'is-installed'])).toMatchObject({ code: 0 })
})

test('the template of WordPress VIP needs git, which EasyEngine does not bring', async () => {
  expect(await t.site('vip.example', '--vip')).toMatchObject({
    code: 1,
    err: expect.stringContaining('git command not found'),
  })
  expect(t.effects()).toEqual([])
})

test('exit code 0 is no success', async () => {
  await t.site('shop.example', '--cache', '--le-mail=ops@a.example')
  // A question that nobody answers.
  expect(await t.ee('site delete shop.example')).toMatchObject({ code: 0, out: expect.stringContaining('[y/n]') })
  expect(await info('shop.example')).toMatchObject({ site_url: 'shop.example' })
  // A certificate that is said and not there.
  t.setTraps('ssl_fails')
  const update = await t.ee('site update shop.example --ssl=le --le-mail=ops@a.example')
  expect(update).toMatchObject({ code: 0, out: expect.stringContaining('Success: Enabled SSL for shop.example') })
  expect(await info('shop.example')).toMatchObject({ site_ssl: 'le' })
  expect(await sslInfo('shop.example')).not.toHaveProperty('cert_file')
  const create = await t.site('new.example', '--ssl=le', '--le-mail=ops@a.example')
  expect([create.code, (await info('new.example'))['site_ssl']]).toEqual([0, ''])
  t.setTraps()
  await t.ee('site ssl-verify shop.example --le-mail=ops@a.example')
  expect(await sslInfo('shop.example')).toMatchObject({ SANs: 'shop.example', issued_by_CN: "Let's Encrypt" })
  // Without a terminal nothing is purged.
  const before = t.effects().length
  expect(await t.ee('site clean shop.example --page')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Success: Page cache cleared'),
  })
  expect(t.effects()).toHaveLength(before)
  await t.ee('site clean shop.example --page', { isTerminal: true })
  expect(t.effects().at(-1)).toBe('clean shop.example page')
  t.setTraps('exit_zero')
  expect(await t.ee('site info missing.example')).toMatchObject({
    code: 0,
    err: 'Error: Site missing.example does not exist.\n',
  })
  t.setTraps('docker_down')
  expect(await t.ee('site list')).toMatchObject({
    code: 0,
    err: expect.stringContaining('Docker not installed or not running'),
  })
})

test('what goes wrong where a trap says so', async () => {
  await t.site('one.example')
  await t.site('two.example')
  t.setTraps('other_site')
  expect(await info('one.example')).toMatchObject({ site_url: 'two.example' })
  const domains = ['-readonly', '-json', databasePath, 'select id, site_url from sites order by id']
  expect(JSON.parse((await t.run('sqlite3', domains)).out)).toMatchObject([
    { id: 1, site_url: 'two.example' },
    { id: 2 },
  ])
  t.setTraps('nonsense_json')
  for (const { out } of [await t.ee('site list --format=json'), await t.run('sqlite3', domains)])
    expect(() => JSON.parse(out) as unknown).toThrow(SyntaxError)
  for (const trap of ['disk_full', 'create_fails'] as const) {
    t.setTraps(trap)
    expect(await t.site('three.example')).toMatchObject({
      code: 1,
      out: expect.stringContaining('Success: Site three.example deleted.'),
    })
    expect(existsSync(join(t.root, 'opt/easyengine/sites/three.example'))).toBe(false)
  }
  t.setTraps('wp_fails=plugin')
  expect([
    (await t.wp('one.example', ['plugin', 'list'])).code,
    (await t.wp('one.example', ['theme', 'list'])).code,
  ]).toEqual([1, 0])
  t.write('var/lib/simulated/traps', 'unknown_trap\n')
  await expect(t.ee('site list --format=json')).rejects.toThrow('There is no trap unknown_trap.')
  // One change at a time.
  t.setTraps()
  expect(t.violations()).toEqual([])
  t.write('var/lib/simulated/changing', String(process.ppid))
  await t.ee('site disable one.example')
  await t.ee('site list', { isTerminal: true, looksForUpdates: true })
  expect(t.violations()).toEqual([
    'ee site disable: while another command changes the server',
    'ee site list: without EE_DISABLE_AUTO_CHECK_UPDATE on a terminal',
  ])
})

test('a hang-up takes a half-made site away, and output that should end does not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'easydash-machine-'))
  const keys = { hostKey: '', nextHostKey: { private: '', public: '' }, keys: [] }
  await makeMachine(root, { hostname: 'web-1', vcpu: 2, ramBytes: 2 ** 32, diskBytes: 2 ** 35, ...keys })
  await addEasyEngine(root)
  const options = { env: { EASYDASH_ROOT: root, PATH: `${join(root, 'bin')}:/usr/bin:/bin` } }
  put(join(root, 'var/lib/simulated/traps'), 'endless_output\nslow_create=600\n')
  const child = spawn('ee', ['site', 'create', 'late.example', '--type=wp', '--dbname=late'], {
    ...options,
    stdio: 'pipe',
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    if (text.includes('Checking and verifying')) child.kill('SIGHUP')
  })
  expect(await once(child, 'close')).toEqual([1, null])
  expect(out).toMatch(/Success: Site late\.example deleted\.\nSuccess: Rollback complete/)
  expect(existsSync(join(root, 'opt/easyengine/sites/late.example'))).toBe(false)
  const endless = spawnSync('sh', ['-c', 'ee cli info --format=json | head -c 5000000 | wc -c'], {
    ...options,
    encoding: 'utf8',
  })
  expect(endless.stdout.trim()).toBe('5000000')
})
