import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isAlive } from '#server/platform/processes/processes.ts'
import type { EngineStep, SiteSpec, StepContext } from '../../engine.ts'
import { thisMachine } from '../../site-ref.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'

const quiet = (signal: AbortSignal = AbortSignal.timeout(300_000)): StepContext => ({
  operationId: 'test',
  log: () => undefined,
  progress: () => undefined,
  signal,
})
async function runAll(steps: readonly EngineStep[]): Promise<void> {
  for (const step of steps) await step.run(quiet())
}

/** Path → hash of every file below a folder. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const result = new Map<string, string>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const stats = await stat(path)
    result.set(
      path.slice(folder.length),
      `${createHash('sha1')
        .update(await readFile(path))
        .digest('hex')} ${stats.mode & 0o777} ${Math.floor(stats.mtimeMs / 1000)}`,
    )
  }
  return result
}

describe('the life of a WordPress site', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  let ahead = 0
  let cookie = ''
  const folder = (): string => join(fixture.dataDir, 'local', 'sites', site.id)
  const login = async (): Promise<void> => {
    const link = new URL(await fixture.engine.loginLink(site, wordpressPerson(), 30))
    const response = await fixture.fetch(site, link.pathname + link.search)
    cookie = (response.headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
  }
  beforeAll(async () => {
    fixture = await startFixture({ clock: () => Date.now() + ahead })
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(async () => {
    await fixture.end()
  })

  it('signs in to wp-admin with one link, and publishing works', async () => {
    await login()
    const admin = await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })
    expect(admin.status).toBe(200)
    expect(admin.body).toMatch(/Howdy, <span class="display-name">Ada Berg</)
    expect((await fixture.fetch(site, '/wp-admin/')).headers.location).toContain('wp-login.php')
    const nonce = /createNonceMiddleware\( "(\w+)" \)/.exec(
      (await fixture.fetch(site, '/wp-admin/post-new.php', { headers: { cookie } })).body,
    )
    const posted = await fixture.fetch(site, '/wp-json/wp/v2/posts', {
      method: 'POST',
      headers: { cookie, 'x-wp-nonce': nonce?.[1] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Ünïcode post', content: 'Text', status: 'publish' }),
    })
    expect(posted.status).toBe(201)
    expect((await fixture.fetch(site, '/unicode-post/')).body).toContain('Ünïcode post')
  })

  it('stores login tokens only as hashes, out of reach of PHP', async () => {
    const link = new URL(await fixture.engine.loginLink(site, wordpressPerson(), 30))
    const token = link.searchParams.get('token') ?? ''
    const files = await readdir(join(folder(), 'tokens'))
    const texts = await Promise.all(files.map((name) => readFile(join(folder(), 'tokens', name), 'utf8')))
    expect(files.join(' ') + texts.join(' ')).not.toContain(token)
    expect((await stat(join(folder(), 'tokens'))).mode & 0o077).toBe(0)
    // A link preview must not consume the link.
    expect(
      (await fixture.fetch(site, link.pathname + link.search, { method: 'HEAD' })).headers['set-cookie'],
    ).toBeUndefined()
    expect((await fixture.fetch(site, link.pathname + link.search)).headers['set-cookie']).toBeDefined()
  })

  it('keeps mail in the outbox', async () => {
    const before = (await readdir(join(folder(), 'outbox'))).length
    expect(
      await fixture.php(
        site,
        `require '/wordpress/wp-load.php'; var_export(wp_mail('to@example.com', 'Hello', 'Body'));`,
      ),
    ).toBe('true')
    const names = await readdir(join(folder(), 'outbox'))
    expect(names).toHaveLength(before + 1)
    expect(names.join()).not.toContain('..')
  })

  it('runs scheduled events, and wakes a sleeping site for the next one', async () => {
    await fixture.php(
      site,
      `require '/wordpress/wp-load.php'; wp_schedule_single_event(time() - 5, 'probe_event'); wp_schedule_single_event(time() + 3600, 'later_event');`,
    )
    await mkdir(join(folder(), 'www/wp-content/mu-plugins'), { recursive: true })
    await writeFile(
      join(folder(), 'www/wp-content/mu-plugins/probe.php'),
      `<?php add_action('probe_event', function () { update_option('probe', 'ran'); }); add_action('later_event', function () { update_option('later', 'ran'); exit; });`,
    )
    expect(await fixture.engine.runCron(site)).toBeGreaterThanOrEqual(1)
    expect(
      await fixture.php(site, `require '/wordpress/wp-load.php'; echo get_option('probe'), get_option('later', '-');`),
    ).toBe('ran-')
    ahead += 11 * 60_000
    await fixture.engine.round()
    expect(fixture.engine.processes()).toEqual([])
    // PHP's own clock is real: the event must be due there as well.
    await until(
      async () =>
        (await fixture.php(
          site,
          `require '/wordpress/wp-load.php'; $t = wp_next_scheduled('later_event'); wp_unschedule_event($t, 'later_event'); wp_schedule_single_event(time() - 1, 'later_event'); echo 'ok';`,
        )) === 'ok',
    )
    await fixture.engine.runCron(site)
    expect(await fixture.php(site, `require '/wordpress/wp-load.php'; echo get_option('later', '-');`)).toBe('ran')
    const wakes: string[] = []
    const off = fixture.engine.events.onProcess((event) => {
      if (event.event === 'wake') wakes.push(event.id)
    })
    ahead += 11 * 60_000
    await fixture.engine.round()
    expect(fixture.engine.processes()).toEqual([])
    ahead += 24 * 3_600_000
    await fixture.engine.round()
    expect(wakes).toEqual([site.id])
    off()
  })

  it('caps the error log and hands out its last lines', async () => {
    await fixture.php(site, `for ($i = 0; $i < 50; $i++) error_log("line $i");`)
    const lines = (await fixture.errors(site)).slice(-3)
    expect(lines.map((line) => line.replace(/^\[.*\] /, ''))).toEqual(['line 47', 'line 48', 'line 49'])
    await appendFile(join(folder(), 'logs', 'php-errors.log'), 'x'.repeat(11 * 1024 * 1024))
    ahead += 61_000
    await fixture.engine.round()
    expect((await stat(join(folder(), 'logs', 'php-errors.log'))).size).toBe(0)
    await fixture.php(site, `error_log('after');`)
    expect((await fixture.errors(site)).at(-1)).toContain('after')
  })

  it('without a network, rejects WordPress’ requests to the internet immediately, but not those to itself', async () => {
    await fixture.engine.round()
    const output = await fixture.php(
      site,
      `require '/wordpress/wp-load.php'; $a = wp_remote_get('https://example.org/'); $b = wp_remote_get(home_url('/wp-json/'), ['timeout' => 60]);
        echo is_wp_error($a) ? $a->get_error_code() : 'sent', ' ', wp_remote_retrieve_response_code($b);`,
    )
    expect(output).toBe('http_request_not_executed 200')
  })

  it.each(['8.2', '8.5'])('runs on PHP %s', async (version) => {
    await fixture.engine.setPhpVersion(site, version)
    expect(await fixture.php(site, `echo PHP_VERSION;`)).toMatch(new RegExp(`^${version.replace('.', '\\.')}\\.`))
    expect((await fixture.fetch(site, '/')).body).toContain('</html>')
  })

  it('is restored from the archive byte by byte', async () => {
    await writeFile(join(folder(), 'www', `${'long-name-'.repeat(12)}ü.txt`), 'long')
    await writeFile(join(folder(), 'www', 'empty.txt'), '')
    await symlink('/etc/passwd', join(folder(), 'www', 'link'))
    expect((await fixture.engine.observe(site)).diskUsed).toBeGreaterThan(40_000_000)
    await fixture.engine.archiveSteps(site)[0]?.run(quiet())
    const before = await contentOf(join(folder(), 'www'))
    const pids = fixture.engine.processes()
    expect(pids).toEqual([])
    expect((await fixture.fetch(site, '/')).status).toBe(410)
    await runAll(fixture.engine.archiveSteps(site))
    expect((await readdir(folder())).sort()).toEqual(['access', 'archive.tar.zst', 'site.json', 'tokens'])
    expect((await fixture.engine.observe(site)).diskUsed).toBeLessThan(40_000_000)
    await fixture.engine.restoreArchiveSteps(site)[0]?.run(quiet())
    expect(await contentOf(join(folder(), 'www'))).toEqual(before)
    await runAll(fixture.engine.restoreArchiveSteps(site))
    expect((await readdir(folder())).sort()).toEqual([
      'access',
      'logs',
      'outbox',
      'site.json',
      'temporary',
      'tokens',
      'www',
    ])
    expect(existsSync(join(folder(), 'www', 'link'))).toBe(false)
    expect((await fixture.fetch(site, '/unicode-post/')).body).toContain('Ünïcode post')
    expect((await fixture.engine.observe(site)).diskUsed).toBeGreaterThan(40_000_000)
  })

  it('packs a site again that was used after a failed packing', async () => {
    const { engine } = fixture
    const plain = await fixture.create()
    const [stop, pack] = engine.archiveSteps(plain)
    await stop?.run(quiet())
    // Nothing starts it while it is being packed, not even code that saw it ready a moment ago.
    await expect(engine.setPhpVersion(plain, '8.4')).rejects.toMatchObject({ code: 'conflict' })
    expect(engine.processes()).not.toContainEqual(expect.objectContaining({ id: plain.id }))
    await pack?.run(quiet())
    await runAll(engine.restoreArchiveSteps(plain))
    await fixture.writeFile(plain, 'later.txt', 'since then')
    // A retried job starts with the step that failed.
    await runAll(engine.archiveSteps(plain).slice(1))
    expect((await engine.observe(plain)).state).toBe('archived')
    await runAll(engine.restoreArchiveSteps(plain))
    expect((await fixture.fetch(plain, '/later.txt')).body).toBe('since then')
    await engine.destroy(plain)
  })

  it('gives up archiving and restoring at any step without loss', async () => {
    const { engine } = fixture
    const plain = await fixture.create()
    const www = join(fixture.dataDir, 'local', 'sites', plain.id)
    const [stop, pack] = engine.archiveSteps(plain)
    await stop?.run(quiet())
    await pack?.run(quiet())
    await runAll(engine.restoreArchiveSteps(plain))
    await fixture.writeFile(plain, 'newest.txt', 'kept')
    // An archive left by a crash is outdated and must not be used as the site's content.
    await writeFile(join(www, 'archive.tar.zst'), 'stale')
    await runAll(engine.archiveSteps(plain))
    await engine.restoreArchiveSteps(plain)[0]?.run(quiet())
    await runAll(engine.archiveSteps(plain))
    expect((await engine.observe(plain)).state).toBe('archived')
    await engine.restoreArchiveSteps(plain)[0]?.run(quiet())
    await engine.restoreArchiveSteps(plain)[0]?.run(quiet())
    await runAll(engine.restoreArchiveSteps(plain))
    expect((await fixture.fetch(plain, '/newest.txt')).body).toBe('kept')
    await engine.destroy(plain)
  })

  it('is removed by destroy: process, folder, route', async () => {
    await fixture.fetch(site, '/')
    const pid = fixture.engine.processes()[0]?.pid ?? 0
    await fixture.engine.destroy(site)
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(folder())).toBe(false)
    expect(await readdir(join(fixture.dataDir, 'local', 'sites'))).toEqual([])
    expect((await fixture.fetch(site, '/')).status).toBe(404)
  })
})

describe('a creation that was cut off', () => {
  const spec: SiteSpec = {
    id: 'cutoff0001',
    domain: 'cut',
    siteType: 'wp',
    phpVersion: '8.3',
    server: thisMachine,
    title: 'Cut <off>',
    adminUser: 'boss',
    adminEmail: 'boss@example.com',
    adminPassword: 'Abcdefghijklmnopqrstuvw1',
  }

  it('continues after a stop at every step, also during the installation', async () => {
    let fixture = await startFixture()
    const { dataDir } = fixture
    const count = fixture.engine.createSteps(spec).length
    for (let done = 1; done <= count; done += 1) {
      const steps = fixture.engine.createSteps(spec)
      if (steps[done - 1]?.key === 'install') {
        const aborted = new AbortController()
        const running = steps[done - 1]?.run(quiet(aborted.signal))
        await until(() => existsSync(join(dataDir, 'local/sites', spec.id, 'www/wp-content/database/.ht.sqlite')))
        aborted.abort(new Error('cut off'))
        await expect(running).rejects.toThrow('cut off')
        await until(() => fixture.engine.processes().length === 0)
      }
      expect((await fixture.fetch(spec, '/')).status).toBe(done === 1 ? 404 : 503)
      for (const step of steps.slice(0, done)) await step.run(quiet())
      await fixture.engine.stop()
      await mkdir(join(dataDir, 'local/sites', spec.id, 'www.new'), { recursive: true })
      fixture = await startFixture({ dataDir })
    }
    expect((await fixture.fetch(spec, '/')).status).toBe(200)
    const link = new URL(await fixture.engine.loginLink(spec, wordpressPerson(), 30))
    expect((await fixture.fetch(spec, link.pathname + link.search)).headers.location).toMatch(/\/wp-admin\/$/)
    await fixture.end()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('has no process after a failed step, and can be retried immediately any number of times', async () => {
    const fixture = await startFixture()
    const steps = fixture.engine.createSteps({ ...spec, siteType: 'php' })
    await steps[0]?.run(quiet())
    for (let crash = 0; crash < 5; crash += 1) {
      await steps[1]?.run(quiet())
      const checking = steps[2]?.run(quiet())
      for (const { pid } of fixture.engine.processes()) process.kill(pid, 'SIGKILL')
      await expect(checking).rejects.toThrow()
      expect(fixture.engine.processes()).toEqual([])
    }
    await runAll(steps)
    expect((await fixture.fetch(spec, '/')).status).toBe(200)
    await fixture.end()
  })

  it('is not put to sleep while it is installed, however soon idle sites sleep', async () => {
    const fixture = await startFixture({ idleMinutes: 1e-6 })
    const idle = setInterval(() => void fixture.engine.round(), 50)
    await runAll(fixture.engine.createSteps({ ...spec, siteType: 'wp' }))
    clearInterval(idle)
    expect((await fixture.fetch(spec, '/')).status).toBe(200)
    await fixture.end()
  })

  it('stops immediately when canceled, and destroy leaves nothing behind', async () => {
    const fixture = await startFixture()
    for (const at of ['copy_files', 'start_php', 'install', 'check']) {
      // WordPress only where it matters, because copying it takes time.
      const siteType = at === 'copy_files' || at === 'install' ? 'wp' : 'php'
      for (const step of fixture.engine.createSteps({ ...spec, siteType })) {
        if (step.key !== at) {
          await step.run(quiet())
          continue
        }
        const cancel = new AbortController()
        const running = step.run(quiet(cancel.signal))
        setImmediate(() => cancel.abort(new Error('canceled')))
        await expect(running).rejects.toThrow('canceled')
        break
      }
      await fixture.engine.destroy(spec)
      expect(fixture.engine.processes()).toEqual([])
      expect(await readdir(join(fixture.dataDir, 'local', 'sites'))).toEqual([])
    }
    await fixture.end()
  })
})
