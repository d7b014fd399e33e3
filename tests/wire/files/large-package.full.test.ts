/** A plugin of 300 MB by a line that breaks, into a real site; and one that never comes back. */
import { randomFillSync } from 'node:crypto'
import { readdir, stat, utimes } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '#server/engines/local/engine-fixture.ts'
import type { SiteSpec } from '#server/engines/engine.ts'
import { packageUploads } from '#server/features/sites/wordpress/package-uploads.ts'
import { createUploads } from '#server/features/uploads/uploads.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'

const MiB = 2 ** 20
/** As the browser sends it (`web/lib/upload/send-upload.ts`). */
const partBytes = 8 * MiB
let booted: Booted
let owner: Browser
let fixture: EngineFixture
let site: SiteSpec

beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'wp' })
  const { packages } = fixture.engine
  const kind: UploadKind = {
    ...packageUploads(() => booted.documents, {
      place: (_session, _upload, _path, action) => action(),
      pathOf: () => '',
    }),
    check: () => Promise.resolve(),
    finish: async (_session, { id }, path) => ({ ...(await packages.stage(site, path, { id })), package: id }),
  }
  booted = await boot({ uploads: [kind], freeBytes: () => Promise.resolve(100 * 2 ** 30) })
  await booted.organization('acme')
  owner = await booted.signedIn('owner@acme.example')
})
afterAll(async () => {
  expect(booted.logged).toEqual([])
  await booted.close()
  await fixture.end()
})

const folder = () => join(booted.filesDir, '..', 'uploads')
const contents = () => readdir(folder()).catch(() => [] as string[])
const headers = () => ({
  cookie: owner.cookieHeader(),
  'x-frappe-csrf-token': owner.csrfToken ?? '',
  origin: booted.url,
  'tus-resumable': '1.0.0',
})
const base64 = (text: string) => Buffer.from(text).toString('base64')
const started = async (size: number): Promise<string> => {
  const metadata = `kind ${base64('wordpress_package')},filename ${base64('large.zip')}`
  const response = await owner.fetch('/api/uploads', {
    method: 'POST',
    headers: { ...headers(), 'upload-length': String(size), 'upload-metadata': metadata },
  })
  expect(response.status).toBe(201)
  return response.headers.get('location') ?? ''
}
/** A part whose bytes the caller writes. */
const begin = (path: string, offset: number, size: number) =>
  httpRequest({
    port: booted.port,
    path,
    method: 'PATCH',
    headers: {
      ...headers(),
      host: new URL(booted.url).host,
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      'content-length': size,
    },
  })
const offsetOf = async (path: string) => {
  const response = await owner.fetch(path, { method: 'HEAD', headers: headers() })
  return [response.status, Number(response.headers.get('upload-offset'))]
}
const arrived = async () => Promise.all((await contents()).map(async (name) => (await stat(join(folder(), name))).size))
const send = (path: string, offset: number, bytes: Buffer) =>
  owner.fetch(path, {
    method: 'PATCH',
    headers: {
      ...headers(),
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
    },
    body: new Uint8Array(bytes),
  })

it('a plugin of 300 MB that trickles in and breaks off twice is installed as it is', async () => {
  const media = Array.from({ length: 3 }, (_, at) => ({
    name: `large/media-${at}.bin`,
    content: randomFillSync(Buffer.alloc(100 * MiB)),
    stored: true,
  }))
  const zip = makeZip([
    { name: 'large/large.php', content: Buffer.from('<?php\n/* Plugin Name: Large\nVersion: 1.0 */') },
    ...media,
  ])
  expect(zip.length).toBeGreaterThan(300 * MiB)
  const path = await started(zip.length)

  // A line so slow that each piece has arrived before the next one begins, and that ends in the middle of a part.
  const trickle = begin(path, 0, partBytes)
  const broken = new Promise((resolve) => trickle.on('error', resolve))
  for (let sent = 0; sent < 40_000; sent += 8_000) {
    trickle.write(zip.subarray(sent, sent + 8_000))
    await expect.poll(arrived).toEqual([sent + 8_000])
  }
  trickle.destroy(new Error('cable'))
  await broken
  expect(await offsetOf(path)).toEqual([200, 40_000])

  const half = 40_000 + 18 * partBytes
  for (let offset = 40_000; offset < half; offset += partBytes)
    expect((await send(path, offset, zip.subarray(offset, offset + partBytes))).status).toBe(204)
  // The line is gone without a word: the connection stays, and the client asks from another one.
  const hanging = begin(path, half, partBytes)
  const ended = new Promise((resolve) => {
    hanging.on('error', resolve)
    hanging.on('response', (response) => resolve(response.resume()))
  })
  hanging.write(zip.subarray(half, half + 100_000))
  await expect.poll(arrived).toEqual([half + 100_000])
  expect(await offsetOf(path)).toEqual([200, half + 100_000])
  await ended
  // What was refused at a wrong place changes nothing.
  expect((await send(path, half, zip.subarray(half, half + 10))).status).toBe(409)

  let last: Response | null = null
  for (let offset = half + 100_000; offset < zip.length; offset += partBytes)
    last = await send(path, offset, zip.subarray(offset, offset + partBytes))
  const about = { message: { package: expect.any(String), type: 'plugin', name: 'Large', version: '1.0' } }
  const response = (await last?.json()) as { message: { package: string } }
  expect([last?.status, response]).toEqual([
    200,
    expect.objectContaining({ message: expect.objectContaining(about.message) }),
  ])
  // The response is lost: the client sees that all is there, and asks for it again.
  expect(await offsetOf(path)).toEqual([200, zip.length])
  expect(await (await send(path, zip.length, Buffer.alloc(0))).json()).toEqual(response)
  expect(await contents()).toEqual([])

  const { engine } = fixture
  await engine.packages.install(site, 'plugin', { staged: response.message.package }, { operationId: 'op1' })
  const { plugins } = await engine.wordpress.inspect(site)
  expect(plugins.find(({ id }) => id === 'large/large.php')).toMatchObject({ version: '1.0' })
  for (const { name, content } of media)
    expect((await fixture.fetch(site, `/wp-content/plugins/${name}`)).bytes.equals(content)).toBe(true)
})

it('one that never comes back leaves nothing after three days', async () => {
  const path = await started(300 * MiB)
  expect((await send(path, 0, Buffer.alloc(partBytes))).status).toBe(204)
  const [sweep] =
    createUploads({
      database: booted.database,
      kinds: () => [],
      folder: folder(),
      machine: 'test',
    }).sweeps ?? []
  const daysPass = async (days: number) => {
    await sql`update easydash_upload set creation = now() - make_interval(days => ${days})`.execute(booted.database.db)
    const then = Date.now() / 1000 - days * 86_400
    for (const name of await contents()) await utimes(join(folder(), name), then, then)
    await sweep?.run()
  }
  await daysPass(2)
  expect(await offsetOf(path)).toEqual([200, partBytes])
  await daysPass(3)
  expect((await offsetOf(path))[0]).toBe(404)
  expect(await contents()).toEqual([])
})
