import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import { isAlive } from '#server/platform/processes/processes.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import type { SiteEvent } from '../../site-host.ts'
import { thisMachine } from '../../site-ref.ts'

describe('awake sites', () => {
  let fixture: EngineFixture
  let ahead = 0
  const events: SiteEvent[] = []
  const sites: SiteSpec[] = []
  const stateOf = async (site: SiteSpec) => (await fixture.hosted(site))?.state
  const statesOf = (...all: readonly SiteSpec[]) => Promise.all(all.map(stateOf))
  const pidOf = async (site: SiteSpec): Promise<number> => (await fixture.hosted(site))?.pid ?? 0

  beforeAll(async () => {
    fixture = await startFixture({ awakeMax: 2, idleMinutes: 10, clock: () => Date.now() + ahead })
    fixture.engine.events.onProcess((event) => {
      events.push(event)
    })
    for (let index = 0; index < 3; index += 1) sites.push(await fixture.create())
  })
  afterAll(async () => {
    await fixture.end()
  })
  const [a, b, c] = [() => sites[0] as SiteSpec, () => sites[1] as SiteSpec, () => sites[2] as SiteSpec]

  it('keeps at most so many awake and puts the least recently used one to sleep', async () => {
    expect(await statesOf(a(), b(), c())).toEqual(['asleep', 'running', 'running'])
    expect(fixture.engine.processes()).toHaveLength(2)
    expect((await fixture.fetch(b(), '/')).status).toBe(200)
    expect((await fixture.fetch(a(), '/')).status).toBe(200)
    expect(await statesOf(a(), b(), c())).toEqual(['running', 'running', 'asleep'])
    expect(events.filter((event) => event.event === 'sleep').map((event) => event.id)).toEqual([a().id, c().id])
  })

  it('shares one start between simultaneous requests', async () => {
    const before = events.length
    const responses = await Promise.all(Array.from({ length: 6 }, () => fixture.fetch(c(), '/')))
    expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(events.slice(before).filter((event) => event.event === 'wake')).toEqual([
      { id: c().id, event: 'wake', reason: null },
    ])
  })

  it('puts idle sites to sleep, and no process of them is left', async () => {
    await fixture.fetch(a(), '/')
    const pids = fixture.engine.processes().map(({ pid }) => pid)
    expect(pids).toHaveLength(2)
    await fixture.engine.round()
    expect(fixture.engine.processes()).toHaveLength(2)
    ahead += 10 * 60_000 + 1_000
    await fixture.engine.round()
    expect(fixture.engine.processes()).toEqual([])
    expect(pids.map(isAlive)).toEqual([false, false])
    expect((await fixture.fetch(a(), '/')).status).toBe(200)
  })

  it('ends none before the visitors who wait already have their answers', async () => {
    await fixture.writeFile(
      a(),
      'slow.php',
      `<?php file_put_contents(__DIR__ . '/began', ''); $end = microtime(true) + 0.1; while (microtime(true) < $end); echo 'slow';`,
    )
    const visits = Array.from({ length: 6 }, () => fixture.fetch(a(), '/slow.php'))
    await until(() => existsSync(join(fixture.dataDir, 'local', 'sites', a().id, 'www', 'began')))
    const pid = await pidOf(a())
    await fixture.engine.quotas.set(a().id, { disk_mb: 77, files: 1_000, log_mb: 1, outbox_mb: 1 })
    expect(isAlive(pid)).toBe(false)
    expect((await Promise.all(visits)).map(({ body }) => body)).toEqual(visits.map(() => 'slow'))
  })

  it('restarts a site whose PHP broke and logs it, and counts it as a crash only if it happens too often', async () => {
    // Infinite recursion through C, where PHP itself can't detect the depth.
    await fixture.writeFile(a(), 'deep.php', '<?php function f($x) { return array_map("f", [$x]); } f(1);')
    await fixture.writeFile(a(), 'fine.php', '<?php echo "fine";')
    const before = events.length
    for (let round = 0; round < 6; round += 1) {
      expect((await fixture.fetch(a(), '/deep.php')).status).toBe(500)
      expect((await fixture.fetch(a(), '/fine.php')).body).toBe('fine')
    }
    const crashes = () => events.slice(before).filter(({ event }) => event === 'crash')
    expect(crashes()).toEqual([])
    expect((await fixture.errors(a())).join('\n')).toContain('GET /deep.php broke off: RangeError')
    for (let round = 6; round < 12 && crashes().length === 0; round += 1) {
      await fixture.fetch(a(), '/deep.php')
      await until(async () => (await pidOf(a())) === 0)
    }
    expect(crashes()[0]?.reason?.text).toContain('again and again')
    ahead += 11 * 60_000
  })

  it('kills a request that runs too long, logs it and restarts the site', async () => {
    await fixture.fetch(a(), '/')
    await fixture.writeFile(
      a(),
      'loop.php',
      `<?php set_time_limit(0); file_put_contents(__DIR__ . '/looping', ''); while (true) {}`,
    )
    const pid = await pidOf(a())
    const visit = fixture.fetch(a(), '/loop.php')
    await until(() => existsSync(join(fixture.dataDir, 'local', 'sites', a().id, 'www', 'looping')))
    const later = performance.now() + 61_000
    const clock = vi.spyOn(performance, 'now').mockReturnValue(later)
    const response = await visit
    clock.mockRestore()
    expect(response.status).toBe(504)
    expect(response.body).toContain('It was ended after 60 seconds')
    expect(isAlive(pid)).toBe(false)
    expect(events.findLast(({ event }) => event === 'crash')).toMatchObject({
      id: a().id,
      reason: { text: 'A request ran for more than 60 seconds, so the site was restarted.' },
    })
    await until(async () => (await stateOf(a())) === 'running')
    expect((await fixture.fetch(a(), '/')).status).toBe(200)
  })

  it('parks a site that keeps crashing', async () => {
    await fixture.writeFile(c(), 'die.php', '<?php while (true) {}')
    const crashes = (): number => events.filter((event) => event.id === c().id && event.event === 'crash').length
    for (let round = 1; round <= 5; round += 1) {
      await until(async () => {
        // Advances past the delay before the next start.
        ahead += 15_000
        return (await fixture.fetch(c(), '/')).status === 200
      })
      process.kill(await pidOf(c()), 'SIGKILL')
      await until(() => crashes() === round)
    }
    const response = await fixture.fetch(c(), '/')
    expect(response.status).toBe(503)
    expect(response.body).toContain('started again in')
    expect(response.headers['retry-after']).toBeDefined()
    expect(await stateOf(c())).toBe('crashed')
    ahead += 61_000
    expect((await fixture.fetch(c(), '/')).status).toBe(200)
  })

  it('leaves no process and no socket after stop', async () => {
    await fixture.fetch(a(), '/')
    const pids = fixture.engine.processes().map(({ pid }) => pid)
    expect(pids.length).toBeGreaterThan(0)
    await fixture.engine.stop()
    expect(pids.map(isAlive)).toEqual(pids.map(() => false))
    expect(existsSync(join(fixture.dataDir, 'local', 'run'))).toBe(false)
    expect((await fixture.fetch(a(), '/')).status).toBe(503)
  })
})

describe('memory', () => {
  it('over the limit ends a site, though the site lifted PHP’s own limit, and no other', async () => {
    const fixture = await startFixture({ memoryCapMb: 500 })
    const reasons: Array<string | null> = []
    fixture.engine.events.onProcess((event) => {
      if (event.event === 'crash') reasons.push(event.reason?.text ?? null)
    })
    const [greedy, modest] = [await fixture.create(), await fixture.create()]
    // Allocates 450 MB (PHP-WASM itself allows about 1 GB) and keeps it.
    await fixture.writeFile(
      greedy,
      'eat.php',
      `<?php ini_set('memory_limit', '-1'); $all = []; for ($i = 0; $i < 450; $i++) { $all[] = str_repeat('x', 1048576); } while (true) {}`,
    )
    const response = await fixture.fetch(greedy, '/eat.php')
    expect(response.status).toBe(503)
    expect(reasons).toEqual(['The site used more than 500 MB of memory, so it was restarted.'])
    expect((await fixture.fetch(modest, '/')).status).toBe(200)
    await until(async () => (await fixture.fetch(greedy, '/')).status === 200)
    await fixture.end()
  })
})

describe('a killed engine', () => {
  it('takes its sites’ processes with it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orphan-'))
    try {
      const program = `import { startFixture } from ${JSON.stringify(new URL('../engine-fixture.ts', import.meta.url).href)}
        const fixture = await startFixture({ dataDir: ${JSON.stringify(folder)} })
        await fixture.create()
        process.stdout.write(String(fixture.engine.processes()[0].pid))`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
      const pid = Number(chunk.toString())
      expect(isAlive(pid)).toBe(true)
      child.kill('SIGKILL')
      await until(() => !isAlive(pid))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('without a sandbox leaves a process whose PHP never ends to the next engine, which ends it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orphan-'))
    try {
      const program = `import { startFixture } from ${JSON.stringify(new URL('../engine-fixture.ts', import.meta.url).href)}
        const sandbox = { kind: 'none', noNewPrivileges: false, wrap: (command) => command }
        const fixture = await startFixture({ dataDir: ${JSON.stringify(folder)}, sandbox })
        const site = await fixture.create()
        await fixture.writeFile(site, 'loop.php', '<?php file_put_contents(__DIR__ . "/began", ""); while (true) {}')
        void fixture.fetch(site, '/loop.php')
        process.stdout.write(JSON.stringify({ pid: fixture.engine.processes()[0].pid, site: site.id }))`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
      const { pid, site } = JSON.parse(chunk.toString()) as { pid: number; site: string }
      await until(() => existsSync(join(folder, 'local', 'sites', site, 'www', 'began')))
      child.kill('SIGKILL')
      await once(child, 'exit')
      expect(isAlive(pid)).toBe(true)
      const next = await startFixture({ dataDir: folder })
      expect(isAlive(pid)).toBe(false)
      await next.end()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('databases', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(async () => {
    await fixture.end()
  })
  const database = (): string =>
    join(fixture.dataDir, 'local', 'sites', site.id, 'www', 'wp-content', 'database', '.ht.sqlite')

  it('use the DELETE journal, and OPcache is active', async () => {
    const output = await fixture.php(
      site,
      `require '/wordpress/wp-load.php'; echo json_encode([SQLITE_JOURNAL_MODE, opcache_get_status(false)['opcache_enabled'], opcache_get_status(false)['opcache_statistics']['num_cached_scripts'] > 50]);`,
    )
    expect(output).toBe('["DELETE",true,true]')
    const copy = new DatabaseSync(database(), { readOnly: true })
    expect(copy.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' })
    copy.close()
  })

  it('survive a killed process and simultaneous writers', async () => {
    await fixture.writeFile(
      site,
      'write.php',
      `<?php require '/wordpress/wp-load.php';
      // What is to be killed writes until it is: its journal comes and goes too quickly to be sure of seeing it once.
      for ($i = 0; $i < 20 || $_GET['w'] === 'kill'; $i++) { update_option('counter_' . $_GET['w'], $i, false); }
      if ($_GET['w'] === 'own') { echo wp_remote_retrieve_body(wp_remote_get(home_url('/write.php?w=inner'), ['timeout' => 20])); }
      echo 'done';`,
    )
    expect((await fixture.fetch(site, '/write.php?w=own')).body).toBe('donedone')
    const writing = fixture.fetch(site, '/write.php?w=kill')
    await until(() => existsSync(`${database()}-journal`))
    process.kill(fixture.engine.processes()[0]?.pid ?? 0, 'SIGKILL')
    await writing.catch(() => undefined)
    await until(async () => (await fixture.fetch(site, '/')).status === 200)
    const copy = new DatabaseSync(database(), { readOnly: true })
    expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    copy.close()
  })

  it('in another journal mode keep the site from starting', async () => {
    await fixture.engine.stop()
    const open = new DatabaseSync(database())
    open.exec('PRAGMA journal_mode = WAL')
    open.exec('CREATE TABLE IF NOT EXISTS x (y)')
    open.close()
    const again = await startFixture({ dataDir: fixture.dataDir })
    const reasons: string[] = []
    again.engine.events.onProcess(({ reason }) => reasons.push(reason?.text ?? ''))
    const response = await again.fetch(site, '/')
    await again.end()
    expect(response.status).toBe(503)
    expect(reasons.join()).toContain('journal mode wal')
  })

  it('tell the version of WordPress they came with', async () => {
    const record = JSON.parse(
      await readFile(join(fixture.dataDir, 'local', 'sites', site.id, 'site.json'), 'utf8'),
    ) as Record<string, unknown>
    expect(record['wordpressVersion']).toMatch(/^\d+\.\d+/)
    await writeFile(join(fixture.dataDir, 'local', 'sites', 'not-a-site'), 'x')
    const again = await startFixture({ dataDir: fixture.dataDir })
    expect(await again.engine.host.sites(thisMachine)).toHaveLength(1)
    await again.end()
  })
})
