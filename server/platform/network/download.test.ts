import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { download } from './download.ts'

const content = Buffer.alloc(300_000, 'wordpress ')
const sha256 = createHash('sha256').update(content).digest('hex')
let server: Server
let origin: string
let folder: string

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/file') return void response.writeHead(200, { 'content-length': content.length }).end(content)
    if (request.url === '/endless') return void response.end(content)
    if (request.url === '/broken') {
      response
        .writeHead(200, { 'content-length': content.length })
        .write(content.subarray(0, 1000), () => response.destroy())
      return
    }
    if (request.url === '/moved') return void response.writeHead(302, { location: '/file' }).end()
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = await mkdtemp(join(tmpdir(), 'download-'))
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => rm(join(folder, 'a.zip'), { force: true }))

const get = (path: string, options = {}) =>
  download(`${origin}${path}`, {
    toFile: join(folder, 'a.zip'),
    maxBytes: 1_000_000,
    operatorOrigins: [origin],
    ...options,
  })

test('a whole file with the right checksum arrives, with progress', async () => {
  const steps: [number, number | null][] = []
  const md5 = createHash('md5').update(content).digest('hex').toUpperCase()
  expect(
    await get('/file', {
      checksum: { algorithm: 'md5', hex: md5 },
      progress: (bytes: number, total: number | null) => void steps.push([bytes, total]),
    }),
  ).toEqual({ bytes: 300_000, sha256 })
  expect((await readFile(join(folder, 'a.zip'))).equals(content)).toBe(true)
  expect(steps.at(-1)).toEqual([300_000, 300_000])
})

test.each([
  ['/file', { checksum: { algorithm: 'sha256', hex: '0'.repeat(64) } }, 'unavailable'],
  ['/file', { maxBytes: 1000 }, 'too_large'],
  ['/endless', { maxBytes: 1000 }, 'too_large'],
  ['/broken', {}, 'unavailable'],
  ['/moved', {}, 'unavailable'],
  ['/missing', {}, 'unavailable'],
  ['/file', { operatorOrigins: [] }, 'invalid'],
])('%s with %j fails and leaves nothing behind', async (path, options, code) => {
  await expect(get(path, options)).rejects.toMatchObject({ code })
  expect(await readdir(folder)).toEqual([])
})

test.each([
  'https://example.com/x.zip',
  'http://downloads.wordpress.org/x.zip',
  'https://downloads.wordpress.org.evil.test/x',
  'https://downloads.wordpress.org:8443/x',
  'file:///etc/passwd',
])('%s is not an allowed download host', async (url) => {
  await expect(download(url, { toFile: join(folder, 'a.zip'), maxBytes: 10 })).rejects.toMatchObject({
    code: 'invalid',
  })
})

test('a fixed host that leads into the own network is refused', async () => {
  await expect(
    download('https://downloads.wordpress.org/x.zip', {
      toFile: join(folder, 'a.zip'),
      maxBytes: 10,
      resolve: () => Promise.resolve(['10.0.0.1']),
    }),
  ).rejects.toMatchObject({ code: 'unavailable' })
})

test('a canceled download stops and leaves nothing behind', async () => {
  const controller = new AbortController()
  const reason = new Error('canceled')
  const loading = get('/file', { signal: controller.signal, progress: () => controller.abort(reason) })
  await expect(loading).rejects.toBe(reason)
  expect(await readdir(folder)).toEqual([])
})
