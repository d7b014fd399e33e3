import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { SshError } from '#server/platform/ssh/ssh-error.ts'
import type { EngineError, SiteSpec } from '../engine.ts'

let t: EeServer
const spec = (changes?: Partial<SiteSpec>) => t.newSpec(changes)
const create = (site: SiteSpec) => runSteps(t.engine.createSteps(site))
const effects = async (start: string) => (await t.effects()).filter((line) => line.startsWith(start))
const failureOf = (work: Promise<unknown>): Promise<EngineError> =>
  work.then(
    () => {
      throw new Error('It did not fail.')
    },
    (error: EngineError) => error,
  )

beforeAll(async () => {
  t = await startEeServer()
})
afterEach(() => t.setTraps())
afterAll(() => t?.end())

test('what ends with exit code 0 without its effect has failed', async () => {
  await t.setTraps('create_fails', 'exit_zero')
  const site = spec()
  expect(await failureOf(create(site))).toMatchObject({ code: 'unavailable', message: /site/i })
  expect(await t.engine.observe(site)).toMatchObject({ state: 'partial' })
  await t.setTraps()
  await create(site)
  expect(await t.engine.observe(site)).toMatchObject({ state: 'running' })
  await t.engine.destroy(site)
})

test('a server whose Docker is down changes nothing, and says so', async () => {
  await t.setTraps('docker_down')
  const error = await failureOf(create(spec()))
  expect([error.code, error.message]).toEqual(['unavailable', expect.stringMatching(/docker/i)])
})

test.each(['nonsense_json', 'endless_output'])('answers that are none are refused: %s', async (trap) => {
  await t.setTraps(trap)
  await expect(t.engine.observe(spec())).rejects.toMatchObject({ code: 'unavailable' })
})

test('a full disk leaves nothing half done, and the next attempt goes through', async () => {
  await t.setTraps('disk_full')
  const site = spec({ siteType: 'wp' })
  expect((await failureOf(create(site))).message).toMatch(/No space left|clean-up/i)
  await t.setTraps()
  await create(site)
  expect((await t.engine.request(site, '/')).status).toBe(200)
  await t.engine.destroy(site)
})

test('volumes that a killed creation left are removed by their label: before the next attempt, and with the site', async () => {
  const site = spec()
  const folder = join(t.root, 'var/lib/docker/volumes')
  const leave = async (domain: string) => {
    const volume = join(folder, `${domain.replaceAll(/[.-]/g, '')}_htdocs`)
    await mkdir(join(volume, '_data'), { recursive: true })
    await writeFile(join(volume, 'site'), domain)
  }
  await leave('other.example.com')
  await runSteps(t.engine.createSteps(site).slice(0, 1))
  await leave(site.domain)
  await create(site)
  expect((await t.engine.request(site, '/')).status).toBe(200)
  await t.engine.destroy(site)
  await runSteps(t.engine.createSteps(site).slice(0, 1))
  await leave(site.domain)
  await t.engine.destroy(site)
  expect(await readdir(folder)).toEqual(['otherexamplecom_htdocs'])
  await rm(folder, { recursive: true })
})

test('databases and users that killed creations left are dropped: before the next attempt, and with the site', async () => {
  // MariaDB runs once a site has a database.
  await t.ee('site', 'create', 'other.example.com', '--type=php', '--with-db')
  const [site, gone] = [spec({ siteType: 'php', withDatabase: true }), spec({ siteType: 'php', withDatabase: true })]
  const stateOf = (name: string) => join(t.root, 'var/lib/simulated', name)
  const all = async () =>
    (await Promise.all(['databases', 'database-users'].map((name) => readdir(stateOf(name))))).flat()
  const left = async ({ id }: SiteSpec) => (await all()).filter((name) => name.startsWith(`ed_${id}_`))
  await t.setTraps('slow_create=600')
  for (const one of [site, gone]) {
    const failed = failureOf(runSteps(t.engine.createSteps(one).slice(0, 2)))
    await expect.poll(() => left(one)).toHaveLength(2)
    process.kill(Number(await readFile(stateOf('changing'), 'utf8')), 'SIGKILL')
    expect(await failed).toMatchObject({ code: 'unavailable' })
    expect(await left(one)).toHaveLength(2)
  }
  await t.setTraps()
  const begun = await left(site)
  await runSteps(t.engine.createSteps(site).slice(0, 2))
  const made = await left(site)
  expect(made.filter((name) => begun.includes(name))).toEqual([])
  expect(made).toHaveLength(2)
  await t.engine.destroy(gone)
  expect(await left(gone)).toEqual([])
  expect(await left(site), 'those of others stay').toEqual(made)
  await t.engine.destroy(site)
  expect(await all()).toEqual(['other_example_com.json', 'other_example_com'])
  await t.ee('site', 'delete', 'other.example.com', '--yes')
  expect(await t.violations()).toEqual([])
})

test('a site that somebody renamed on the server is no longer ours to change, and nothing of it is removed', async () => {
  const site = await t.create({ siteType: 'wp' })
  const renamed = 'renamed.example.com'
  const rename = (from: string, to: string) => {
    const database = openDatabase({ path: (path) => join(t.root, path) })
    database.run('UPDATE sites SET site_url = ? WHERE site_url = ?', to, from)
    database.close()
  }
  rename(site.domain, renamed)
  const before = await t.effects()
  expect((await t.engine.host.sites(t.server)).filter(({ id }) => id === site.id)).toMatchObject([
    { domain: renamed, isRenamed: true },
  ])
  expect(await t.engine.observe(site, { measure: false })).toMatchObject({ state: 'partial', phpVersion: null })
  for (const work of [
    () => t.engine.setPhpVersion(site, '8.4'),
    () => t.engine.settings.suspend(site),
    () => t.engine.wordpress.inspect(site),
  ])
    expect(await failureOf(work())).toMatchObject({ code: 'not_found' })
  await t.engine.destroy(site)
  expect(await t.effects()).toEqual(before)
  // Nothing but its name is another one.
  rename(renamed, site.domain)
  expect((await t.engine.request(site, '/')).status).toBe(200)
  await t.engine.destroy(site)
  expect(await t.engine.observe(site)).toMatchObject({ state: 'absent' })
})

test('domains that are equal without dots and hyphens are refused before anything runs', async () => {
  const first = spec({ domain: 'a.b.example.com' })
  await create(first)
  const before = await t.effects()
  for (const domain of ['a-b.example.com', 'ab.example.com'])
    expect(await failureOf(create(spec({ domain })))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('a.b.example.com'),
    })
  expect(await t.effects()).toEqual(before)
  await t.engine.destroy(first)
})

test('a site that was there before is never taken over or removed', async () => {
  const own = spec()
  await create(own)
  const other = spec({ domain: own.domain })
  expect(await failureOf(create(other))).toMatchObject({ code: 'conflict' })
  await t.engine.destroy(other)
  expect(await t.engine.observe(other)).toMatchObject({ state: 'absent' })
  expect(await t.engine.observe(own)).toMatchObject({ state: 'running' })
  await t.engine.destroy(own)
})

test('what somebody made on the server meanwhile is neither removed by a creation nor with a site', async () => {
  const folderOf = ({ domain }: SiteSpec) => join(t.root, 'opt/easyengine/sites', domain)
  // Files without a row: nothing of it is ours.
  const byHand = spec()
  await mkdir(folderOf(byHand), { recursive: true })
  expect(await failureOf(create(byHand))).toMatchObject({ code: 'conflict' })
  await t.engine.destroy(byHand)
  expect(await readdir(folderOf(byHand))).toEqual([])
  // A whole site, made after its domain was reserved, or after ours was deleted there.
  const [reserved, live] = [spec({ siteType: 'php' }), spec({ siteType: 'php' })]
  await runSteps(t.engine.createSteps(reserved).slice(0, 1))
  await create(live)
  await t.ee('site', 'delete', live.domain, '--yes')
  for (const site of [reserved, live]) {
    await t.ee('site', 'create', site.domain, '--type=php')
    if (site === reserved) expect(await failureOf(create(site))).toMatchObject({ code: 'conflict' })
    await t.engine.destroy(site)
    expect((await t.engine.request(site, '/')).status).toBe(200)
    await t.engine.destroy({ ...site, isFound: true })
    expect(await t.engine.observe(site)).toMatchObject({ state: 'absent' })
  }
  // Ours was deleted there: what is in its folder now is somebody else's.
  const gone = spec()
  await create(gone)
  await t.ee('site', 'delete', gone.domain, '--yes')
  await mkdir(folderOf(gone), { recursive: true })
  await t.engine.destroy(gone)
  expect(await t.engine.observe(gone)).toMatchObject({ state: 'absent' })
  for (const site of [byHand, gone]) await rm(folderOf(site), { recursive: true })
})

test('connections that break while a site is made, and hang up what runs on them, change nothing: it is made once', async () => {
  await t.setTraps('slow_create=4')
  const site = spec()
  /** Whether EasyEngine is at it: before, there is nothing to break. */
  const isMaking = async () => {
    const pid = Number(await readFile(join(t.root, 'var/lib/simulated/changing'), 'utf8').catch(() => ''))
    return pid > 0 && existsSync(`/proc/${pid}`)
  }
  let drops = 0
  let hasEnded = false
  const breaking = (async () => {
    while (!hasEnded && drops < 20) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      if (!(await isMaking())) continue
      t.cloud.dropConnections({ hangUp: true })
      drops += 1
    }
  })()
  // As a job does: what a broken connection ended begins again, by looking.
  const attempt = (): Promise<unknown> =>
    create(site).catch((error: unknown) => {
      if (!(error instanceof SshError)) throw error
      return attempt()
    })
  await attempt().finally(() => {
    hasEnded = true
  })
  await breaking
  expect(drops).toBeGreaterThan(3)
  expect(await effects(`create ${site.domain}`)).toHaveLength(1)
  await t.engine.destroy(site)
})

test('two changes of a server wait for one another', async () => {
  const [one, other] = [spec(), spec()]
  await t.setTraps('slow_create=1')
  await Promise.all([create(one), create(other)])
  await Promise.all([t.engine.destroy(one), t.engine.destroy(other)])
  for (const site of [one, other]) expect(await t.engine.observe(site)).toMatchObject({ state: 'absent' })
  // The simulated EasyEngine, which has no lock either, would have noted a second change.
  expect(await t.violations()).toEqual([])
})

test('a site is never taken for another one whose data came under its domain', async () => {
  const [one, other] = [await t.create({ siteType: 'php' }), await t.create({ siteType: 'php' })]
  const before = await t.effects()
  await t.setTraps('other_site')
  for (const site of [one, other]) {
    expect(await t.engine.observe(site, { measure: false })).toMatchObject({ state: 'partial', phpVersion: null })
    expect(await failureOf(t.engine.setPhpVersion(site, '8.4'))).toMatchObject({ code: 'not_found' })
    expect(await failureOf(t.engine.settings.suspend(site))).toMatchObject({ code: 'not_found' })
    await t.engine.destroy(site)
  }
  await t.setTraps()
  expect(await t.effects()).toEqual(before)
  for (const site of [one, other]) {
    expect((await t.engine.request(site, '/')).status).toBe(200)
    await t.engine.destroy({ ...site, isFound: true })
  }
})

test('a WordPress whose PHP was killed says so, is not changed, and is no backup', async () => {
  const site = await t.create({ siteType: 'wp' })
  const isActive = async () => (await t.engine.wordpress.plugins(site)).find(({ id }) => id === 'hello.php')?.active
  await t.setTraps(`container_killed=${site.domain.replaceAll('.', '')}-php-1`)
  for (const work of [
    () => t.engine.wordpress.inspect(site),
    () => t.engine.wordpress.change(site, { kind: 'activate_plugin', plugin: 'hello.php' }),
    () => runSteps(t.engine.backups.packSteps(site)),
  ])
    expect((await failureOf(work())).message).toMatch(/does not run/)
  await t.setTraps()
  expect(await isActive()).toBe(false)
  await t.engine.destroy(site)
})

test('a WordPress that does not load is read without its own code, and says why; one that is stopped is left alone', async () => {
  const site = spec({ siteType: 'wp' })
  await create(site)
  await t.setTraps('php_fatal')
  const { broken, plugins } = await t.engine.wordpress.inspect(site)
  expect(broken).toContain('simulated_failure')
  expect(plugins.map(({ id }) => id)).toContain('hello.php')
  const change = { kind: 'activate_plugin', plugin: 'hello.php' } as const
  expect(await failureOf(t.engine.wordpress.change(site, change))).toMatchObject({ code: 'unavailable' })
  await t.engine.wordpress.change(site, change, { safe: true })
  await t.setTraps()
  expect((await t.engine.wordpress.plugins(site)).find(({ id }) => id === 'hello.php')).toMatchObject({ active: true })
  await t.engine.settings.suspend(site)
  expect(await failureOf(t.engine.wordpress.inspect(site))).toMatchObject({ code: 'conflict' })
  await t.engine.destroy(site)
})

test('a deletion that was begun by one operation is not mixed with another, and taken back whatever it had done', async () => {
  const site = spec({ siteType: 'wp' })
  await create(site)
  const gone = { kind: 'delete_theme', theme: 'twentytwentyfour' } as const
  await t.engine.wordpress.change(site, gone, { operationId: 'one' })
  expect((await t.engine.request(site, '/')).status, 'visitors wait').toBe(503)
  const other = { kind: 'delete_plugin', plugin: 'hello.php' } as const
  expect(await failureOf(t.engine.wordpress.change(site, other, { operationId: 'two' }))).toMatchObject({
    code: 'conflict',
  })
  await t.engine.wordpress.undo(site, 'one')
  expect((await t.engine.request(site, '/')).status).toBe(200)
  expect((await t.engine.wordpress.inspect(site)).themes.map(({ id }) => id)).toContain('twentytwentyfour')
  expect(await readdir(join(t.root, 'var/lib/easydash/deletions'))).toEqual([])
  await t.engine.destroy(site)
})

test('nothing that Easydash kept of a site is left with it, and nothing goes of one whose name begins likewise', async () => {
  const site = spec()
  await create(site)
  const left = [
    'cores/.kept.sql',
    'cores/.before.sql',
    'deletions/',
    'deletions/.sql',
    'aliases/',
    'certificates/.crt',
    'cron/',
  ]
  const pathsOf = (domain: string) => left.map((one) => one.replace('/', `/${domain}`))
  const own = (path: string) => join(t.root, 'var/lib/easydash', path)
  const [mine, others] = [pathsOf(site.domain), pathsOf(`${site.domain}.au`)]
  for (const path of [...mine, ...others]) {
    await mkdir(join(own(path), '..'), { recursive: true })
    await writeFile(own(path), 'x')
  }
  await t.engine.destroy(site)
  const found = await readdir(own(''), { recursive: true })
  expect(found.filter((path) => path.includes(site.domain)).toSorted()).toEqual(others.toSorted())
  for (const path of others) await rm(own(path))
})

test('logs that are links are not followed', async () => {
  const site = spec({ siteType: 'php' })
  await create(site)
  const secret = join(t.root, 'etc/shadow')
  await mkdir(join(t.root, 'etc'), { recursive: true })
  await writeFile(secret, 'root:secret\n')
  const log = join(t.root, 'opt/easyengine/sites', site.domain, 'logs/php/error.log')
  await rm(log)
  await symlink(secret, log)
  expect((await t.engine.logs.read(site, 'php', { from: 'start' })).lines).toEqual([])
  await t.engine.logs.clear(site, 'php')
  expect(await readFile(secret, 'utf8')).toBe('root:secret\n')
  await t.engine.destroy(site)
})
