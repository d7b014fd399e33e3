import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { until } from '../engine-fixture.ts'
import { cachedCores, prepareCore, renewCore } from './core-cache.ts'
import type { CachedCore } from './cached-core.ts'
import { createCoreRenewal, type CoreRenewal } from './core-renewal.ts'
import { pinCore, evictCore } from './core-use.ts'
import { seedCore, startFakeWordPressOrg, type FakeWordPressOrg } from './fake-wordpress-org.ts'
import { compareVersions, isStableVersion } from '#shared/rules/wordpress-versions.ts'

let cacheDir: string
let org: FakeWordPressOrg
const signal = (): AbortSignal => AbortSignal.timeout(300_000)
const root = (): string => join(cacheDir, 'wordpress', 'v1')
const versions = async (): Promise<string[]> => (await cachedCores(cacheDir)).map(({ version }) => version)
const archives = (): string[] => org.requests.filter((path) => path.endsWith('.zip'))
const newest = async (): Promise<CachedCore> => (await cachedCores(cacheDir))[0] as CachedCore

beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'core-renewal-'))
  org = await startFakeWordPressOrg(['6.10'])
})
afterEach(async () => {
  await org.close()
  await rm(cacheDir, { recursive: true, force: true })
})

describe('versions', () => {
  it('compares numbers, and knows final releases', () => {
    const sorted = ['6.9', '6.10', '6.9.10', '6.9.9', '10.0', '6.10.1'].sort(compareVersions)
    expect(sorted).toEqual(['6.9', '6.9.9', '6.9.10', '6.10', '6.10.1', '10.0'])
    expect(compareVersions('6.9', '6.9.0')).toBe(0)
    const names = ['6.9', '6.10.1', '6.9-RC1', '7.0-beta2-60000', '6', '6.9.1.1', '..', '6.9 ', '']
    expect(names.filter(isStableVersion)).toEqual(['6.9', '6.10.1'])
  })
})

describe('renewing the cache', () => {
  it('fetches the newest final release, with the plugin, and keeps the two newest', async () => {
    await seedCore(cacheDir, '6.8', 'npm')
    await seedCore(cacheDir, '6.9', 'npm')
    org.offers = ['7.0-beta1', '6.9.4', '6.10', 'nightly', '6.8.9']
    const { reached, newest: core } = await renewCore(cacheDir, org.url, signal())
    expect(reached).toBe(true)
    expect(core).toMatchObject({ version: '6.10', source: 'wordpress.org' })
    expect(await readFile(join(core?.files ?? '', 'wp-includes/file-7.php'), 'utf8')).toBe('<?php // 7 of 6.10')
    expect(await readFile(join(core?.files ?? '', 'wp-content/db.php'), 'utf8')).toBe('<?php // drop-in')
    const driver = 'wp-content/mu-plugins/sqlite-database-integration/inc/driver.php'
    expect(await readFile(join(core?.files ?? '', driver), 'utf8')).toBe('<?php // driver')
    expect(Object.keys(JSON.parse(await readFile(core?.checksums ?? '', 'utf8')) as object)).toHaveLength(120)
    expect((await readdir(root())).sort()).toEqual(['6.10', '6.9'])
    await renewCore(cacheDir, org.url, signal())
    expect(archives()).toHaveLength(1)
  })

  it('never replaces a core with an older one, from any source', async () => {
    await seedCore(cacheDir, '6.10', 'npm')
    org.offers = ['6.9.4', '6.10']
    await renewCore(cacheDir, org.url, signal())
    org.offers = ['6.11-RC2']
    expect(await renewCore(cacheDir, org.url, signal())).toMatchObject({ reached: false })
    org.down = true
    const context = { log: () => undefined, progress: () => undefined, signal: signal() }
    org.requests.length = 0
    expect(await prepareCore(cacheDir, org.url, context, silentLog)).toMatchObject({ version: '6.10' })
    // Immediate: no requests were sent.
    expect(org.requests).toEqual([])
    expect(archives()).toEqual([])
    expect(await versions()).toEqual(['6.10'])
  })

  it('fetches once for all who share the cache', async () => {
    await seedCore(cacheDir, '6.9', 'npm')
    const both = await Promise.all([1, 2, 3].map(() => renewCore(cacheDir, org.url, signal())))
    expect(both.map((one) => one.newest?.version)).toEqual(['6.10', '6.10', '6.10'])
    expect(archives()).toHaveLength(1)
  })

  it('leaves the cache as it was when the release is not what was published', async () => {
    await seedCore(cacheDir, '6.9', 'npm')
    org.publishesWrongChecksums = true
    await expect(renewCore(cacheDir, org.url, signal())).rejects.toThrow('does not match its published checksums')
    expect(await readdir(root())).toEqual(['6.9'])
  })

  it('removes no core that is held, here or by another process, and lets no dead one hold it', async () => {
    await seedCore(cacheDir, '6.8', 'npm')
    const core = await newest()
    const held = await pinCore(core)
    await seedCore(cacheDir, '6.9', 'npm')
    await renewCore(cacheDir, org.url, signal())
    expect(await versions()).toEqual(['6.10', '6.9', '6.8'])
    await held?.release()

    const use = JSON.stringify(new URL('core-use.ts', import.meta.url).href)
    const program = `const { pinCore } = await import(${use}); await pinCore(${JSON.stringify(core)});
      console.log('held'); setInterval(() => undefined, 1000)`
    const other = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: process.cwd(),
    })
    await once(other.stdout, 'data')
    expect(await evictCore(core)).toBeNull()
    other.kill('SIGKILL')
    await once(other, 'exit')
    await renewCore(cacheDir, org.url, signal())
    expect((await readdir(root())).sort()).toEqual(['6.10', '6.9'])
    expect(await pinCore(core)).toBeNull()
  })

  it('stops in the middle of a download without a trace, and cleans up what killed ones left', async () => {
    await seedCore(cacheDir, '6.9', 'npm')
    org.stall = true
    const stop = new AbortController()
    const running = renewCore(cacheDir, org.url, stop.signal)
    await until(() => archives().length === 1)
    stop.abort(new Error('stopping'))
    await expect(running).rejects.toThrow('stopping')
    expect(await readdir(root())).toEqual(['6.9'])

    org.stall = false
    await writeFile(join(root(), '.new-1-abcd'), '')
    await writeFile(join(root(), '.old-abcd'), '')
    await writeFile(join(root(), '.lock'), '999999999 1 x\n')
    await renewCore(cacheDir, org.url, signal())
    expect((await readdir(root())).sort()).toEqual(['6.10', '6.9'])
  })
})

describe('the schedule of the renewal', () => {
  const hours = 3_600_000
  const minutes = 60_000
  let now = 0
  let lines: string[] = []
  let changes = 0
  let renewal: CoreRenewal
  const asks = (): number => org.requests.filter((path) => path.startsWith('/core/version-check')).length
  const pass = async (ms: number): Promise<void> => {
    now += ms
    renewal.tick()
    await renewal.settled()
  }

  beforeEach(async () => {
    await seedCore(cacheDir, '6.9', 'npm')
    now = 1_000_000_000_000
    lines = []
    changes = 0
    const write = (level: string) => (message: string) => {
      lines.push(`${level} ${message}`)
    }
    renewal = createCoreRenewal({
      cacheDir,
      orgUrl: org.url,
      now: () => now,
      log: { info: write('info'), warn: write('warn'), error: write('error') },
      onNewest: () => {
        changes += 1
      },
    })
  })
  afterEach(() => renewal.stop())

  it('checks at startup, then every twelve hours, and logs each newer release', async () => {
    renewal.tick()
    await renewal.settled()
    expect([asks(), renewal.lastTry()]).toEqual([0, null])
    renewal.start('6.9')
    await renewal.settled()
    const started = now
    expect([asks(), changes]).toEqual([1, 1])
    expect(await versions()).toEqual(['6.10', '6.9'])
    await pass(12 * hours - 1)
    expect([asks(), renewal.lastTry(), renewal.lastFailed()]).toEqual([1, started, false])
    await pass(1)
    expect(renewal.lastTry()).toBe(now)
    expect([asks(), changes]).toEqual([2, 1])
    org.offers = ['6.11']
    await pass(12 * hours)
    expect(await versions()).toEqual(['6.11', '6.10'])
    expect(changes).toBe(2)
    expect(lines).toEqual(['info New sites get a newer WordPress', 'info New sites get a newer WordPress'])
    renewal.mayBeReachable()
    await pass(minutes)
    expect(asks()).toBe(3)
  })

  it('logs a missing network once, retries with growing pauses, and continues when it is back', async () => {
    org.down = true
    renewal.start('6.9')
    await renewal.settled()
    const pauses: number[] = []
    for (let before = asks(), waited = 0; pauses.length < 12;) {
      await pass(minutes)
      waited += 1
      if (asks() === before) continue
      pauses.push(waited)
      before = asks()
      waited = 0
    }
    expect(changes).toBe(0)
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720, 720])
    expect(lines).toEqual(['info wordpress.org does not answer; new sites get the newest WordPress in the cache'])
    // Not for each of many new sites.
    const before = asks()
    renewal.mayBeReachable()
    await renewal.settled()
    expect(asks()).toBe(before)
    org.down = false
    now += minutes
    renewal.mayBeReachable()
    await renewal.settled()
    expect(await versions()).toEqual(['6.10', '6.9'])
    org.down = true
    await pass(12 * hours)
    expect(lines.filter((line) => line.includes('does not answer'))).toHaveLength(2)
  })

  it('warns once of a release that is not what was published, and takes it when it is', async () => {
    org.publishesWrongChecksums = true
    renewal.start('6.9')
    await renewal.settled()
    await pass(minutes)
    await pass(2 * minutes)
    expect(archives()).toHaveLength(3)
    expect(lines).toEqual(['warn A newer WordPress could not be fetched; it is tried again'])
    // A working network is no reason to download the same again early.
    renewal.mayBeReachable()
    await pass(minutes)
    expect(archives()).toHaveLength(3)
    org.publishesWrongChecksums = false
    await pass(4 * minutes)
    expect(await versions()).toEqual(['6.10', '6.9'])
  })

  it('stops in the middle of a look and does not begin another', async () => {
    org.stall = true
    renewal.start('6.9')
    await until(() => archives().length === 1)
    await renewal.stop()
    expect(await readdir(root())).toEqual(['6.9'])
    expect(lines).toEqual([])
    org.requests.length = 0
    renewal.start('6.9')
    await pass(24 * hours)
    expect(org.requests).toEqual([])
  })
})
