/** Large files in parts: the tus protocol, with its own client, and what others try. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Upload as TusUpload, type UploadOptions } from 'tus-js-client'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'

const MiB = 2 ** 20
let taken: { id: string; fileName: string; hash: string; metadata: Record<string, string> }[] = []
let fails = 0
let free = 100 * 2 ** 30

/** Takes packages of sites that the caller's organization has. */
const packages: { -readonly [K in keyof UploadKind]: UploadKind[K] } = {
  name: 'package',
  tokens: 'sites:write',
  maxSize: 20 * MiB,
  check(session, { metadata }) {
    if (metadata['organization'] !== session.organization)
      throw new AppError('forbidden', msg`This is another organization.`)
    return Promise.resolve()
  },
  async finish(_session, { id, fileName, metadata }, path) {
    if (fails > 0) {
      fails -= 1
      throw new AppError('invalid', msg`This is no package.`, { field: 'file' })
    }
    const hash = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    taken.push({ id, fileName, hash, metadata: { ...metadata } })
    return { package: id }
  },
}

let booted: Booted
let owner: Browser
let stranger: Browser
beforeAll(async () => {
  booted = await boot({ uploads: [packages], freeBytes: () => Promise.resolve(free) })
  await booted.organization('acme', { 'leaver@acme.example': 'Organization User' })
  await booted.organization('globex')
  owner = await booted.signedIn('owner@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
})
beforeEach(() => {
  taken = []
  fails = 0
  free = 100 * 2 ** 30
})
afterAll(async () => {
  expect(booted.logged).toEqual([])
  await booted.close()
})

const contents = () => readdir(join(booted.filesDir, '..', 'uploads')).catch(() => [] as string[])
const authority = (browser: Browser) => ({
  cookie: browser.cookieHeader(),
  'x-frappe-csrf-token': browser.csrfToken ?? '',
  origin: booted.url,
})
const base64 = (text: string) => Buffer.from(text).toString('base64')
const metadataOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${base64(value)}`)
    .join(',')
const metadata = { kind: 'package', filename: 'Größe 株.tar', organization: 'acme' }

/** Sends a content with the protocol's own client; resolves with its address. */
const sendWithClient = (browser: Browser, content: Buffer, options: Partial<UploadOptions> = {}) =>
  new Promise<{ url: string; body: string }>((resolve, reject) => {
    const upload: TusUpload = new TusUpload(content, {
      endpoint: `${booted.url}/api/uploads`,
      headers: authority(browser),
      metadata: metadata,
      chunkSize: 3 * MiB,
      retryDelays: null,
      onError: reject,
      onSuccess: ({ lastResponse }) => resolve({ url: upload.url ?? '', body: lastResponse.getBody() }),
      ...options,
    })
    upload.start()
  })

/** One request of the protocol, by hand. */
const tus = (browser: Browser, method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) =>
  browser.fetch(path, {
    method,
    headers: { ...authority(browser), 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  })
const start = (browser: Browser, size: number, values: Record<string, string> = metadata) =>
  tus(browser, 'POST', '/api/uploads', { 'upload-length': String(size), 'upload-metadata': metadataOf(values) })
const started = async (browser: Browser, size: number) => {
  const response = await start(browser, size)
  expect(response.status).toBe(201)
  return response.headers.get('location') as string
}
const part = (browser: Browser, path: string, offset: number, body: Buffer) =>
  tus(
    browser,
    'PATCH',
    path,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body,
  )
/** The first part of a file, whose bytes the caller writes. */
const beginPart = (browser: Browser, path: string, size: number) =>
  httpRequest({
    port: booted.port,
    path,
    method: 'PATCH',
    headers: {
      ...authority(browser),
      host: new URL(booted.url).host,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': size,
    },
  })
const offsetOf = async (browser: Browser, path: string) =>
  Number((await tus(browser, 'HEAD', path)).headers.get('upload-offset'))

it('the client of the protocol sends a large file in parts', async () => {
  const content = randomBytes(10 * MiB)
  const { body } = await sendWithClient(owner, content)
  const hash = createHash('sha256').update(content).digest('hex')
  expect(taken).toEqual([
    { id: expect.any(String), fileName: 'Größe 株.tar', hash, metadata: { organization: 'acme' } },
  ])
  expect(JSON.parse(body)).toEqual({ message: { package: taken[0]?.id } })
  expect(await contents()).toEqual([])
})

it('an upload that broke off goes on where it ended, and ends once', async () => {
  const content = randomBytes(5 * MiB)
  const path = await started(owner, content.length)
  // The connection ends in the middle of a part.
  await new Promise<void>((resolve) => {
    const broken = beginPart(owner, path, content.length)
    broken.on('error', () => resolve())
    broken.write(content.subarray(0, 2 * MiB), () => broken.destroy(new Error('cable')))
  })
  const offset = await offsetOf(owner, path)
  expect(offset).toBeLessThan(content.length)
  const last = await part(owner, path, offset, content.subarray(offset))
  expect(last.status).toBe(200)
  expect(taken[0]?.hash).toBe(createHash('sha256').update(content).digest('hex'))
  // The response was lost: the client asks again and gets the same.
  expect(await offsetOf(owner, path)).toBe(content.length)
  const again = await part(owner, path, content.length, Buffer.alloc(0))
  expect(await again.json()).toEqual(await last.json())
  expect(taken).toHaveLength(1)
})

it('a content that its kind refuses can be sent to its end again', async () => {
  fails = 1
  const path = await started(owner, 5)
  const rejected = await part(owner, path, 0, Buffer.from('12345'))
  expect(rejected.status).toBe(417)
  expect(await rejected.json()).toMatchObject({ exception: expect.stringContaining('This is no package.') })
  expect((await part(owner, path, 5, Buffer.alloc(0))).status).toBe(200)
  expect(taken).toHaveLength(1)
})

it('a content that its kind refuses can be deleted by its sender, one that was taken can’t', async () => {
  fails = 1
  const path = await started(owner, 5)
  expect((await part(owner, path, 0, Buffer.from('abcde'))).status).toBe(417)
  expect((await tus(stranger, 'DELETE', path)).status).toBe(404)
  expect(await contents()).toHaveLength(1)
  expect((await tus(owner, 'DELETE', path)).status).toBe(204)
  expect((await tus(owner, 'HEAD', path)).status).toBe(404)
  expect(await contents()).toEqual([])
  const other = await started(owner, 5)
  expect((await part(owner, other, 0, Buffer.from('abcde'))).status).toBe(200)
  const refused = await tus(owner, 'DELETE', other)
  expect(refused.status).toBe(417)
  expect(await refused.text()).toContain('The file was taken over already.')
})

it('a content that its kind refuses for good is deleted, and counts no more', async () => {
  packages.invalidIsFinal = true
  fails = 1
  const path = await started(owner, 5)
  expect((await part(owner, path, 0, Buffer.from('12345'))).status).toBe(417)
  delete packages.invalidIsFinal
  expect((await tus(owner, 'HEAD', path)).status).toBe(404)
})

it('for everybody but its sender an upload does not exist', async () => {
  const path = await started(owner, 10)
  for (const method of ['HEAD', 'DELETE']) expect((await tus(stranger, method, path)).status).toBe(404)
  expect((await part(stranger, path, 0, Buffer.from('x'))).status).toBe(404)
  expect((await tus(owner, 'HEAD', '/api/uploads/..%2f..%2fsecrets')).status).toBe(404)
  expect(await offsetOf(owner, path)).toBe(0)
  expect((await tus(owner, 'DELETE', path)).status).toBe(204)
  expect((await tus(owner, 'HEAD', path)).status).toBe(404)
  expect(await contents()).toEqual([])
})

it('guests, forged requests and foreign pages send nothing', async () => {
  const guest = await fetch(`${booted.url}/api/uploads`, { method: 'POST', headers: { 'tus-resumable': '1.0.0' } })
  expect(guest.status).toBe(401)
  const forged = { 'upload-length': '5', 'upload-metadata': metadataOf(metadata) }
  expect((await tus(owner, 'POST', '/api/uploads', { ...forged, 'x-frappe-csrf-token': 'wrong' })).status).toBe(400)
  expect((await tus(owner, 'POST', '/api/uploads', { ...forged, origin: 'https://evil.example' })).status).toBe(400)
  expect(await contents()).toEqual([])
})

it('an API token needs the scope of the kind, and works in its organization only', async () => {
  const token = async (scopes: string[]) => {
    const made = (await owner.app
      .call()
      .post('easydash.api.tokens.create', { title: 'Uploads', organization: 'acme', scopes })) as {
      message: { token: string }
    }
    return `token ${made.message.token}`
  }
  const send = async (authorization: string, values = metadata) =>
    fetch(`${booted.url}/api/uploads`, {
      method: 'POST',
      headers: {
        authorization,
        'tus-resumable': '1.0.0',
        'upload-length': '5',
        'upload-metadata': metadataOf(values),
      },
    })
  const reading = await send(await token(['sites:read']))
  expect([reading.status, await reading.text()]).toEqual([403, expect.stringContaining('lacks the scope sites:write')])
  const writer = await token(['sites:read', 'sites:write'])
  const begun = await send(writer)
  expect(begun.status).toBe(201)
  expect((await tus(owner, 'DELETE', begun.headers.get('location') as string)).status).toBe(204)
  expect((await send(writer, { ...metadata, organization: 'globex' })).status).toBe(403)
})

it('says what is wrong before anything is stored', async () => {
  const rejected: [Promise<Response>, number, string][] = [
    [start(owner, 5, { ...metadata, kind: 'nonsense' }), 417, 'There is no such kind of upload.'],
    [start(owner, 5, { kind: 'package', organization: 'acme' }), 417, 'The upload has no name.'],
    [start(owner, 0), 417, 'The file is empty.'],
    [start(owner, 21 * MiB), 413, 'The file is larger than 20 MB.'],
    [start(owner, 5, { ...metadata, organization: 'globex' }), 403, 'This is another organization.'],
    [start(owner, 5, { ...metadata, note: 'a\u0000b' }), 417, ''],
  ]
  for (const [response, status, words] of rejected) {
    const { status: got, ...answer } = await response.then(async (one) => ({
      status: one.status,
      text: await one.text(),
    }))
    expect([got, answer.text]).toEqual([status, expect.stringContaining(words)])
  }
  free = 2 ** 30 + 4
  expect((await start(owner, 5)).status).toBe(503)
  expect(await contents()).toEqual([])
})

it('takes no more than was announced, and each part at its place', async () => {
  const path = await started(owner, 10)
  expect((await part(owner, path, 0, Buffer.alloc(11))).status).toBe(413)
  expect((await part(owner, path, 3, Buffer.alloc(2))).status).toBe(409)
  const chunked = await owner.fetch(path, {
    method: 'PATCH',
    headers: {
      ...authority(owner),
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(8))
        controller.enqueue(new Uint8Array(8))
        controller.close()
      },
    }),
    duplex: 'half',
  } as RequestInit)
  expect(chunked.status).toBe(413)
  expect(await offsetOf(owner, path)).toBeLessThanOrEqual(10)
  expect(taken).toEqual([])
  await tus(owner, 'DELETE', path)
})

it('an account has ten unfinished uploads at most', async () => {
  const paths: string[] = []
  for (let n = 0; n < 10; n += 1) paths.push(await started(owner, 5))
  const rejected = await start(owner, 5)
  expect(await rejected.text()).toContain('There are 10 unfinished uploads of this account.')
  for (const path of paths) expect((await tus(owner, 'DELETE', path)).status).toBe(204)
})

it('many uploads started at once hold up nobody', async () => {
  // More than the database has connections.
  const starts = Promise.all(Array.from({ length: 40 }, () => start(owner, 5)))
  expect((await stranger.fetch('/api/resource/Server')).status).toBe(200)
  const responses = await starts
  const made = responses.filter(({ status }) => status === 201)
  expect(made).toHaveLength(10)
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 417, 429]))
  for (const { headers } of made)
    expect((await tus(owner, 'DELETE', headers.get('location') as string)).status).toBe(204)
})

it('a part that is arriving ends with the rights of its sender', async () => {
  const leaver = await booted.signedIn('leaver@acme.example')
  const path = await started(leaver, MiB)
  const ended = Promise.withResolvers<void>()
  const arriving = beginPart(leaver, path, MiB)
  arriving.on('error', () => ended.resolve())
  arriving.on('response', () => ended.resolve())
  arriving.write(Buffer.alloc(1000))
  // Its first bytes have arrived, so it is under way.
  const bytesOf = async (name: string) => (await readFile(join(booted.filesDir, '..', 'uploads', name))).length
  await expect.poll(async () => Promise.all((await contents()).map(bytesOf))).toEqual([1000])
  await booted.documents.transaction(booted.system, (tx) =>
    tx.update(UserDoctype, 'leaver@acme.example', { enabled: 0 }),
  )
  await ended.promise
  expect((await tus(leaver, 'HEAD', path)).status).toBe(401)
})
