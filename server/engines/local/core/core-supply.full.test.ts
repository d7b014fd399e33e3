import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StepContext } from '../../engine.ts'
import { thisMachine } from '../../site-ref.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'
import { seedCore, startFakeWordPressOrg, type FakeWordPressOrg } from './fake-wordpress-org.ts'

const logged = (lines: string[]): StepContext => ({
  operationId: 'test',
  log: (line) => {
    lines.push(line)
  },
  progress: () => undefined,
  signal: AbortSignal.timeout(300_000),
})

describe('the core of new sites', () => {
  let cacheDir: string
  let dataDir: string
  let org: FakeWordPressOrg
  let fixture: EngineFixture
  const spareFolder = (): string => join(dataDir, 'local', 'spare')
  const root = (): string => join(cacheDir, 'wordpress', 'v1')

  /** Log lines of the steps of new sites. */
  let lines: string[]
  /** Runs the first two steps of a new site; returns the version of its files. */
  const copyWordPress = async (id: string): Promise<string> => {
    const steps = fixture.engine.createSteps({
      id,
      domain: id,
      siteType: 'wp',
      phpVersion: '8.3',
      server: thisMachine,
      title: 'Title',
      adminUser: 'boss',
      adminEmail: 'boss@example.com',
      adminPassword: 'Abcdefghijklmnopqrstuvw1',
    })
    for (const step of steps.slice(0, 2)) await step.run(logged(lines))
    const www = join(dataDir, 'local', 'sites', id, 'www')
    const seeded = join(www, 'version.php')
    if (existsSync(seeded)) return readFile(seeded, 'utf8')
    return (await readFile(join(www, 'wp-includes', 'file-0.php'), 'utf8')).replace('<?php // 0 of ', '')
  }

  beforeEach(async () => {
    lines = []
    cacheDir = await mkdtemp(join(tmpdir(), 'core-supply-'))
    dataDir = await mkdtemp(join(tmpdir(), 'core-supply-data-'))
    await seedCore(cacheDir, '6.9', 'npm')
    org = await startFakeWordPressOrg(['6.10'])
  })
  afterEach(async () => {
    await fixture.end()
    await org.close()
    // After the engine stopped, no core is held and nothing is incomplete.
    expect((await readdir(root())).filter((name) => name.startsWith('.'))).toEqual([])
    for (const folder of [cacheDir, dataDir]) await rm(folder, { recursive: true, force: true })
  })

  it('uses the cached core immediately and the newer one once it is downloaded; the spare copy follows', async () => {
    org.stall = true
    fixture = await startFixture({ cacheDir, dataDir, wordpressOrgUrl: org.url, keepSpare: true })
    await until(() => org.requests.some((path) => path.endsWith('.zip')))
    // The download is stalled; no new site waits for it.
    expect(await copyWordPress('first00001')).toBe('6.9')
    await fixture.end()
    org.stall = false

    fixture = await startFixture({ cacheDir, dataDir, wordpressOrgUrl: org.url, keepSpare: true })
    await until(() => existsSync(join(spareFolder(), '6.10')))
    expect(await readdir(spareFolder())).toEqual(['6.10'])
    expect(await fixture.engine.coreVersions()).toEqual({
      versions: ['6.10', '6.9'],
      fallback: false,
      lastTry: expect.any(Number) as number,
      lastFailed: false,
    })
    lines = []
    expect(await copyWordPress('second0001')).toBe('6.10')
    expect(lines).toEqual(['WordPress 6.10 is ready', 'The files of WordPress 6.10 are in place'])
    expect(await readdir(spareFolder())).toEqual([])
    expect(await copyWordPress('third00001')).toBe('6.10')
  })

  it('without wordpress.org it uses the newest available core, and explains why one of the package registry is old', async () => {
    org.down = true
    const clock = () => Date.UTC(2026, 0, 2, 3, 4, 5)
    fixture = await startFixture({ cacheDir, dataDir, wordpressOrgUrl: org.url, clock })
    await until(() => org.requests.length > 0)
    expect(await copyWordPress('first00001')).toBe('6.9')
    expect(await fixture.engine.coreVersions()).toEqual({
      versions: ['6.9'],
      fallback: true,
      lastTry: clock(),
      lastFailed: true,
    })
    expect(lines[1]).toMatch(
      /^The files of WordPress 6\.9 are in place\. It is not the newest: .*wordpress\.org.* Update it/,
    )

    await seedCore(cacheDir, '6.9.1', 'wordpress.org')
    expect(await fixture.engine.coreVersions()).toMatchObject({ versions: ['6.9.1', '6.9'], fallback: false })
    lines = []
    expect(await copyWordPress('second0001')).toBe('6.9.1')
    expect(lines[1]).toBe('The files of WordPress 6.9.1 are in place')
  })
})
