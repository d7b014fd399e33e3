import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { EngineError } from '../../engine.ts'
import { cachedCores, prepareCore } from './core-cache.ts'
import type { PrepareContext } from './cached-core.ts'
import { startFakeWordPressOrg } from './fake-wordpress-org.ts'
import { withFileLock } from './file-lock.ts'
import { verify } from './wordpress-org.ts'

const context = (lines: string[] = []): PrepareContext => ({
  log: (line) => {
    lines.push(line)
  },
  progress: () => undefined,
  signal: AbortSignal.timeout(300_000),
})

describe('the WordPress cache', () => {
  let cacheDir: string
  beforeEach(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'core-cache-'))
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(cacheDir, { recursive: true, force: true })
  })

  it('takes a release from wordpress.org, checks it file by file and adds the database drop-in', async () => {
    const org = await startFakeWordPressOrg(['9.1.2'])
    const [first, second] = await Promise.all([
      prepareCore(cacheDir, org.url, context(), silentLog),
      prepareCore(cacheDir, org.url, context(), silentLog),
    ])
    expect(first).toMatchObject({ version: '9.1.2', source: 'wordpress.org' })
    expect(second).toEqual(first)
    expect(org.requests.filter((path) => path.endsWith('.zip'))).toHaveLength(1)
    expect(await readFile(join(first.files, 'wp-includes', 'file-7.php'), 'utf8')).toBe('<?php // 7 of 9.1.2')
    expect(await readFile(join(first.files, 'wp-content', 'db.php'), 'utf8')).not.toContain('{SQLITE')
    expect(Object.keys(JSON.parse(await readFile(first.checksums, 'utf8')) as object)).toHaveLength(120)
    expect(await readdir(join(cacheDir, 'wordpress', 'v1'))).toEqual(['9.1.2'])
    await org.close()
    expect(await prepareCore(cacheDir, org.url, context(), silentLog)).toEqual(first)
  })

  it('never uses a release that differs from its checksums, and names the next action without any source', async () => {
    const org = await startFakeWordPressOrg(['9.1.2'])
    org.publishesWrongChecksums = true
    // The plugin comes from npm's cache or registry; the large package then gets a closed port.
    const lines: string[] = []
    const registry = 'http://127.0.0.1:9/'
    const firstTry = prepareCore(
      cacheDir,
      org.url,
      {
        ...context(lines),
        log: (line) => {
          lines.push(line)
          if (line.includes('Downloading')) {
            vi.stubEnv('npm_config_registry', registry)
            vi.stubEnv('npm_config_cache', join(cacheDir, 'npm'))
            vi.stubEnv('npm_config_fetch_retries', '0')
          }
        },
      },
      silentLog,
    )
    await expect(firstTry).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(lines.join('\n')).toContain('does not match its published checksums')
    const second = await prepareCore(cacheDir, registry, context(), silentLog).catch((error: unknown) => error)
    expect(second).toBeInstanceOf(EngineError)
    expect((second as EngineError).message).toContain('npm could not get')
    expect((second as EngineError).nextAction.text).toContain('npm ping')
    expect(JSON.stringify(second)).not.toContain('127.0.0.1')
    expect(await readdir(join(cacheDir, 'wordpress', 'v1'))).toEqual([])
    expect(await cachedCores(cacheDir)).toEqual([])
    await org.close()
  })

  it('finds missing, changed and added code', () => {
    const bytes = Buffer.from('x')
    const md5 = createHash('md5').update(bytes).digest('hex')
    const published = new Map([
      ['index.php', md5],
      ['wp-content/plugins/akismet/akismet.php', md5],
    ])
    expect(verify(new Map([['index.php', bytes]]), published)).toBeNull()
    expect(verify(new Map(), published)).toBe('index.php')
    expect(verify(new Map([['index.php', Buffer.from('y')]]), published)).toBe('index.php')
    expect(
      verify(
        new Map([
          ['index.php', bytes],
          ['evil.php', bytes],
        ]),
        published,
      ),
    ).toBe('evil.php')
  })

  it('waits for other holders of the lock and takes over from dead ones', async () => {
    const lock = join(cacheDir, 'lock')
    const order: string[] = []
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const first = withFileLock(lock, AbortSignal.timeout(300_000), async () => {
      order.push('first in')
      entered.resolve()
      await gate.promise
      order.push('first out')
    })
    await entered.promise
    const second = withFileLock(lock, AbortSignal.timeout(300_000), async () => {
      order.push('second')
    })
    gate.resolve()
    await Promise.all([first, second])
    expect(order).toEqual(['first in', 'first out', 'second'])
    await writeFile(lock, '999999999')
    await withFileLock(lock, AbortSignal.timeout(300_000), async () => {
      order.push('third')
    })
    expect(order).toContain('third')
  })
})
