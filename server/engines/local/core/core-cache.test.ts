import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '#server/platform/log.ts'
import { EngineError } from '../../engine.ts'
import { cachedCores, prepareCore, type PrepareContext } from './core-cache.ts'
import { withFileLock } from './file-lock.ts'
import { verify } from './wordpress-org.ts'

const context = (lines: string[] = []): PrepareContext => ({
  log: (line) => {
    lines.push(line)
  },
  progress: () => undefined,
  signal: AbortSignal.timeout(50_000),
})

/** A stand-in for wordpress.org with one tiny release; `harm` changes what it serves. */
async function fakeOrg(
  harm: (md5: string) => string = (md5) => md5,
): Promise<{ url: string; server: Server; asked: string[] }> {
  const asked: string[] = []
  const files = new Map(
    Array.from({ length: 120 }, (_, index) => [`wp-includes/file-${index}.php`, Buffer.from(`<?php // ${index}`)]),
  )
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/core/version-check/1.7/') response.end(JSON.stringify({ offers: [{ version: '9.1.2' }] }))
    else if (request.url?.startsWith('/core/checksums/1.0/?version=9.1.2')) {
      response.end(
        JSON.stringify({
          checksums: Object.fromEntries(
            [...files].map(([path, bytes]) => [path, harm(createHash('md5').update(bytes).digest('hex'))]),
          ),
        }),
      )
    } else if (request.url === '/release/wordpress-9.1.2.zip')
      response.end(storedZip([...files].map(([path, bytes]) => [`wordpress/${path}`, bytes])))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, asked }
}

function storedZip(files: Array<[string, Buffer]>): Buffer {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const head = Buffer.alloc(26)
    head.writeUInt32LE(crc32(content), 10)
    head.writeUInt32LE(content.length, 14)
    head.writeUInt32LE(content.length, 18)
    head.writeUInt16LE(Buffer.byteLength(name), 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), head, Buffer.from(name), content])
    parts.push(local)
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\0\0', 'latin1'), head, tail, Buffer.from(name)]))
    offset += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...central, end])
}

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
    const org = await fakeOrg()
    const [first, second] = await Promise.all([
      prepareCore(cacheDir, org.url, context(), silentLog),
      prepareCore(cacheDir, org.url, context(), silentLog),
    ])
    expect(first).toMatchObject({ version: '9.1.2', source: 'wordpress.org' })
    expect(second).toEqual(first)
    expect(org.asked.filter((path) => path.endsWith('.zip'))).toHaveLength(1)
    expect(await readFile(join(first.files, 'wp-includes', 'file-7.php'), 'utf8')).toBe('<?php // 7')
    expect(await readFile(join(first.files, 'wp-content', 'db.php'), 'utf8')).not.toContain('{SQLITE')
    expect(Object.keys(JSON.parse(await readFile(first.checksums, 'utf8')) as object)).toHaveLength(120)
    expect(await readdir(join(cacheDir, 'wordpress', 'v1'))).toEqual(['9.1.2'])
    org.server.close()
    expect(await prepareCore(cacheDir, org.url, context(), silentLog)).toEqual(first)
  }, 60_000)

  it('never uses a release that differs from its checksums, and names the way out without any source', async () => {
    const org = await fakeOrg((md5) => md5.replace(/./, (digit) => (digit === '0' ? '1' : '0')))
    // The plugin comes from npm's cache or registry; the large package then meets a closed port.
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
    expect((second as EngineError).nextAction).toContain('npm ping')
    expect(JSON.stringify(second)).not.toContain('127.0.0.1')
    expect(await readdir(join(cacheDir, 'wordpress', 'v1'))).toEqual([])
    expect(await cachedCores(cacheDir)).toEqual([])
    org.server.close()
  }, 60_000)

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
    const first = withFileLock(lock, AbortSignal.timeout(20_000), async () => {
      order.push('first in')
      entered.resolve()
      await gate.promise
      order.push('first out')
    })
    await entered.promise
    const second = withFileLock(lock, AbortSignal.timeout(20_000), async () => {
      order.push('second')
    })
    gate.resolve()
    await Promise.all([first, second])
    expect(order).toEqual(['first in', 'first out', 'second'])
    await writeFile(lock, '999999999')
    await withFileLock(lock, AbortSignal.timeout(20_000), async () => {
      order.push('third')
    })
    expect(order).toContain('third')
  })
})
