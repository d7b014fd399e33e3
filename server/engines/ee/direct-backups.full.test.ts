import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { zstdDecompressSync } from 'node:zlib'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { openS3Bucket, type S3Bucket } from '#server/providers/aws/s3-bucket.ts'
import { simulatedBucket } from '#server/providers/simulator/simulated-bucket.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'
import { readTar } from '#server/platform/files/tar.ts'
import type { SiteSpec } from '../engine.ts'
import type { Sealing } from '../site-backups.ts'
import type { SiteManifest } from '../site-manifest.ts'

const keys = { accessKey: 'AKIASIMULATED0000000', secretKey: 'simulated-secret-key' }
const vendor = simulatedBucket({ name: 'backups', region: 'eu-central-1', keys: [keys], now: Date.now })
const faults: Fault[] = []
const key = 'easydash/acme/site/one.tar.zst.age'
let t: EeServer
let server: VendorServer
let bucket: S3Bucket
let identity: string
let sealing: Sealing
let counter = 0
/** When a part arrives. */
let onPart: () => void = () => undefined

beforeAll(async () => {
  const respond = withFaults(vendor, faults)
  server = await serveVendor((request) => {
    if (request.method === 'PUT') onPart()
    return respond(request)
  })
  bucket = openS3Bucket(
    { name: 'backups', region: 'eu-central-1', endpoint: server.url, ...keys },
    { profile: 'operator' },
  )
  identity = await generateX25519Identity()
  sealing = {
    recipient: await identityToRecipient(identity),
    attempt: (send, signal) => bucket.attempt(key, send, signal),
    compare: async () => null,
    keep: async () => undefined,
  }
  t = await startEeServer()
})
afterEach(async () => {
  faults.length = 0
  vendor.state.objects.clear()
  await t.setTraps()
})
afterAll(async () => {
  await t?.end()
  await server?.close()
})

const never = new AbortController().signal
const create = async (changes: Partial<SiteSpec> = {}): Promise<SiteSpec> => {
  counter += 1
  const id = `direct${String(counter).padStart(4, '0')}`
  const site = eeSpec(t.server, { id, domain: `direct-${counter}.example.com`, ...changes })
  await runSteps(t.engine.createSteps(site))
  return site
}
const inSite = (site: SiteSpec, path: string) => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs', path)
const onServer = () => readdir(join(t.root, 'var/lib/easydash/packed')).catch(() => [])
const direct = () => {
  const { direct: found } = t.engine.backups
  if (!found) throw new Error('Servers send nothing')
  return found
}
const pack = (site: SiteSpec) => runSteps(direct().packSteps(site, async () => sealing))
const sealedOf = async (site: SiteSpec) => {
  const sealed = await direct().packed(site)
  if (!sealed) throw new Error('Nothing is on the server')
  return sealed
}
const send = async (site: SiteSpec, signal = never) => {
  const { parts, sending } = await sealedOf(site)
  const upload = { begun: null, keep: () => undefined, found: () => undefined, staysFor: () => false }
  return bucket.receive(key, { parts, send: sending(signal), upload }, signal)
}

/** What the bucket has, as whoever has the key of the organization reads it. */
async function archive(): Promise<Buffer> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return Buffer.from(await decrypter.decrypt(await buffer(await bucket.get(key))))
}

test('the server makes the archive and sends it: the portable format, which nothing but the recovery key opens', async () => {
  const site = await create({ title: 'Kept' })
  await mkdir(inSite(site, 'wp-content/uploads/2026'), { recursive: true })
  await writeFile(inSite(site, 'wp-content/uploads/2026/bild é "1".bin'), randomBytes(20_000_000))
  await mkdir(inSite(site, 'wp-content/cache'))
  await writeFile(inSite(site, 'wp-content/cache/page.html'), 'cached')
  await writeFile(inSite(site, 'tool'), 'a program')
  await chmod(inSite(site, 'tool'), 0o4755)
  await symlink('/etc/passwd', inSite(site, 'wp-content/passwd'))
  await pack(site)
  const sealed = await sealedOf(site)
  expect(sealed.manifest.not_packed).toEqual(['1 links or special files'])
  expect(sealed.parts.length).toBe(2)
  const bytes = await send(site)
  expect(vendor.state.objects.get(key)?.content.length).toBe(bytes)
  expect(vendor.state.objects.get(key)?.checksum).toMatch(/-2$/)
  expect(vendor.state.objects.get(key)?.content.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  const zipped = await archive()
  expect([zipped.length, createHash('sha256').update(zipped).digest('hex')]).toEqual([sealed.size, sealed.clear.sha256])
  expect(sealed).toMatchObject({ needs: null, clear: { bytes: sealed.size } })

  const members = new Map<string, Buffer>()
  const modes = new Map<string, number>()
  await readTar(Readable.from([zstdDecompressSync(zipped)]), ({ name, type, mode }) => {
    modes.set(name, mode)
    if (type !== 'file') return null
    const chunks: Buffer[] = []
    return { write: (chunk) => void chunks.push(chunk), end: () => void members.set(name, Buffer.concat(chunks)) }
  })
  const manifest = JSON.parse(String(members.get('manifest.json'))) as SiteManifest
  expect(manifest).toMatchObject({
    ...{ engine: 'ee', site: site.domain, type: 'wp', title: 'Kept', table_prefix: 'wp_' },
    counts: { posts: 1, pages: 2, comments: 1, users: 1, plugins: 2 },
    pages: [{ path: '/', status: 200, title: 'Kept' }],
  })
  expect([...members.keys()].at(-1)).toBe('manifest.json')
  const paths = manifest.files.map(({ path }) => path)
  expect(paths).toContain('wp-content/uploads/2026/bild é "1".bin')
  expect(new Set(paths)).toEqual(
    new Set([...members.keys()].filter((name) => name.startsWith('files/')).map((name) => name.slice(6))),
  )
  for (const path of ['wp-content/cache/page.html', 'wp-content/passwd']) expect(paths).not.toContain(path)
  for (const { path, size, sha256 } of manifest.files) {
    const content = members.get(`files/${path}`) ?? Buffer.alloc(0)
    expect([path, content.length]).toEqual([path, size])
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
  }
  expect(modes.get('files/tool')).toBe(0o755)
  expect(members.get('files/wp-config.php')?.toString()).not.toContain(site.id)
  const dump = members.get('database.sql') ?? Buffer.alloc(0)
  const { through, rows } = createRowCounter()
  await pipeline(Readable.from([dump]), through, async (content) => {
    for await (const _chunk of content);
  })
  expect(manifest.tables).toEqual(Object.fromEntries(rows))
  expect(manifest.database).toMatchObject({
    bytes: dump.length,
    sha256: createHash('sha256').update(dump).digest('hex'),
  })
  await t.engine.backups.removePacked(site)
  expect(await onServer()).toEqual([])
  expect(await direct().packed(site)).toBeNull()
  expect(await t.violations()).toEqual([])

  // No key, no address with a signature is left on the server, or was an argument of a program there.
  const left = await Array.fromAsync(filesIn(join(t.root, 'var/lib/easydash')))
  expect(left.filter((text) => /X-Amz-Signature|simulated-secret-key/.test(text))).toEqual([])

  await writeFile(inSite(site, 'tool'), 'another one')
  const path = join(t.root, 'site.tar.zst')
  await writeFile(path, zipped)
  await runSteps(t.engine.restores.restoreSteps(site, { rehearsal: site, archive: path }, 'all'))
  await t.engine.restores.finishRestore(site)
  expect(await readFile(inSite(site, 'tool'), 'utf8')).toBe('a program')
})

async function* filesIn(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield await readFile(join(entry.parentPath, entry.name), 'latin1')
}

test('a dump’s rows are counted on the server as they are here', async () => {
  const site = await create()
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [state = ''] = (await readdir(folder)).filter((name) => name.includes(site.id))
  const dump = [
    '-- A dump',
    "CREATE TABLE `wp_a` (\n  `x` varchar(9) COMMENT 'it''s (one'\n);",
    `INSERT INTO \`wp_a\` VALUES (1,'a),(b'),(2,'it\\'s (\\\\'),`,
    `(3,'\\\\\\'),('),(4,NULL);`,
    "INSERT INTO `wp_a` (`x`, `y`) VALUES\n(0x28,_binary '('),\n('');",
    'CREATE TABLE `wp_``b` (\n  `x` int\n);',
    'CREATE TABLE `wp_empty` (\n  `x` int\n);',
    'INSERT INTO `wp_``b` VALUES (1),(2),(3);',
    '-- Dump completed\n',
  ].join('\n')
  await writeFile(join(folder, state.replace('.json', '.sql')), dump)
  await pack(site)
  const { tables } = (await sealedOf(site)).manifest
  expect(tables).toEqual({ wp_a: 6, 'wp_`b': 3, wp_empty: 0 })
  const { through, rows } = createRowCounter()
  await pipeline(Readable.from([Buffer.from(dump)]), through, async (content) => {
    for await (const _chunk of content);
  })
  expect(Object.fromEntries(rows)).toEqual(tables)
  await t.engine.backups.removePacked(site)
})

test('a server without the programs, or that cannot reach the store, has its backup fetched, and the job says why', async () => {
  const site = await create({ siteType: 'html' })
  const logged: string[] = []
  const run = async (to: Sealing) => {
    logged.length = 0
    for (const step of direct().packSteps(site, async () => to))
      await step.run({ operationId: 'op', log: (line) => logged.push(line), progress: () => undefined, signal: never })
    expect(await direct().packed(site)).toBeNull()
    const { file } = await t.engine.backups.packed(site)
    await pipeline(file.open(), createWriteStream(join(t.root, 'fetched')))
    expect((await stat(join(t.root, 'fetched'))).size).toBe(file.size)
    await t.engine.backups.removePacked(site)
  }
  const nobody = await serveVendor(() => null)
  await nobody.close()
  const [age, apt] = [join(t.root, 'bin/age'), join(t.root, 'bin/apt-get')]
  await rm(age, { force: true })
  const elsewhere: Sealing['attempt'] = (send, signal) =>
    sealing.attempt((part, to) => send(part, { ...to, url: to.url.replace(server.url, nobody.url) }), signal)
  await run({ ...sealing, attempt: elsewhere })
  expect(logged.join()).toContain('can’t connect to the store')
  // A store that takes from Easydash what it does not take from the server.
  faults.push({ kind: 'quota', on: 'PUT', times: 2 })
  await run(sealing)
  expect(logged.join()).toContain('The store answered 403')
  expect([vendor.state.objects.size, vendor.state.uploads.size, existsSync(age)]).toEqual([0, 0, false])
  // A machine that has it has it on simulated servers, too.
  if (['/usr/bin/age', '/bin/age'].some((path) => existsSync(path))) return
  await rm(apt)
  await writeFile(apt, '#!/bin/sh\necho "E: Unable to locate package age"\nexit 100\n', { mode: 0o755 })
  await run(sealing)
  expect(logged.join()).toContain('age and zstd can’t be installed')
  expect(logged.join()).toContain('E: Unable')
  await run(sealing)
  expect(logged.join()).toContain('age and zstd can’t be installed')
  expect(logged.join()).not.toContain('E: Unable')
  await rm(join(t.root, 'var/lib/easydash/tools.refused'))
  await rm(apt)
  await symlink('machine-tools.sh', apt)
})

test('connections that break while an archive is made and sent change nothing: each part arrives once', async () => {
  const site = await create({ siteType: 'html' })
  await writeFile(inSite(site, 'large.bin'), randomBytes(40_000_000))
  let [isPacked, drops] = [false, 0]
  const dropping = (async () => {
    while (!isPacked && drops < 25) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      t.cloud.dropConnections()
      drops += 1
    }
  })()
  try {
    while (!isPacked)
      try {
        await pack(site)
        isPacked = true
      } catch (error) {
        expect(error).toMatchObject({ retryable: true })
      }
  } finally {
    isPacked = true
    await dropping
  }
  expect(drops).toBeGreaterThan(0)
  server.seen.length = 0
  let breaks = 0
  onPart = () => {
    // Before the server is answered, and knows that the part has arrived.
    if ((breaks += 1) <= 3) t.cloud.dropConnections()
  }
  await send(site)
  onPart = () => undefined
  expect(server.seen.filter(({ method }) => method === 'PUT').length).toBe(3)
  const sealed = await sealedOf(site)
  expect(
    createHash('sha256')
      .update(await archive())
      .digest('hex'),
  ).toBe(sealed.clear.sha256)
  await t.engine.backups.removePacked(site)
  expect(await onServer()).toEqual([])
}, 180_000)

test('a part that fails goes again to a fresh address; a store that refuses or is gone leaves nothing there', async () => {
  const site = await create({ siteType: 'html' })
  await pack(site)
  faults.push({ kind: 'server_error', on: 'PUT' }, { kind: 'lose_answer', on: 'PUT' })
  server.seen.length = 0
  await send(site)
  const urls = server.seen.filter(({ method }) => method === 'PUT').map(({ path }) => path)
  expect(urls.length).toBe(3)
  vendor.state.objects.clear()
  faults.push({ kind: 'quota', on: 'PUT', times: 9 })
  await expect(send(site)).rejects.toMatchObject({ message: expect.stringContaining('no room') as string })
  expect([vendor.state.objects.size, vendor.state.uploads.size]).toEqual([0, 0])
  faults.length = 0
  // Somebody on the server changed what is sent.
  const packed = join(t.root, 'var/lib/easydash/packed', site.id, 'archive.age')
  await writeFile(packed, randomBytes((await stat(packed)).size))
  await expect(send(site)).rejects.toMatchObject({ message: expect.stringContaining('not what was sent') as string })
  await rm(packed)
  await expect(send(site)).rejects.toMatchObject({ message: expect.stringContaining('is gone') as string })
  expect([vendor.state.objects.size, vendor.state.uploads.size]).toEqual([0, 0])
  await t.engine.backups.removePacked(site)
}, 60_000)

test('a disk without room for what holes, second names and large files become has the backup fetched; what grows later is cut', async () => {
  const site = await create({ siteType: 'html' })
  const [disk, find] = [join(t.root, 'etc/disk'), join(t.root, 'bin/find')]
  const before = await readFile(disk, 'utf8')
  await writeFile(disk, `41943040 0 ${524_288 + 10_240} 50%`)
  const files = ['large.bin', 'two', 'three', 'four', 'five'].map((name) => inSite(site, name))
  const [large = '', ...names] = files
  const isFetched = async () => {
    expect((await pack(site)).join()).toContain('has no room for a copy of the files')
    expect(await direct().packed(site)).toBeNull()
    await t.engine.backups.removePacked(site)
    for (const path of files) await rm(path, { force: true })
  }
  try {
    await writeFile(large, '')
    await truncate(large, 15_000_000)
    await isFetched()
    await writeFile(large, Buffer.alloc(3_000_000, 'a'))
    for (const name of names) await link(large, name)
    await isFetched()
    await writeFile(large, randomBytes(6_000_000))
    await isFetched()
    await writeFile(find, '#!/bin/sh\ncase $PWD$* in */htdocs*%k*) echo 1 1 ;; *) exec /usr/bin/find "$@" ;; esac\n', {
      mode: 0o755,
    })
    await writeFile(large, Buffer.alloc(15_000_000))
    await expect(pack(site)).rejects.toMatchObject({
      message: expect.stringContaining('could not be copied') as string,
    })
    expect(await onServer()).toEqual([])
  } finally {
    await rm(find, { force: true })
    await writeFile(disk, before)
  }
}, 180_000)

test('a disk that fills up, nonsense, a cancel and a name that nobody could restore leave nothing, here and on the server', async () => {
  const site = await create({ siteType: 'html' })
  const age = join(t.root, 'bin/age')
  await rm(age, { force: true })
  await writeFile(age, '#!/bin/sh\nhead -c 100\necho "age: write error: No space left on device" >&2\nexit 1\n', {
    mode: 0o755,
  })
  await expect(pack(site)).rejects.toMatchObject({
    message: expect.stringContaining('disk of the server full') as string,
  })
  expect(await onServer()).toEqual([])
  await rm(age)
  const disk = join(t.root, 'etc/disk')
  const before = await readFile(disk, 'utf8')
  await writeFile(disk, '41943040 41418752 524288 99%')
  await expect(pack(site)).rejects.toMatchObject({ message: expect.stringContaining('no room') as string })
  await writeFile(disk, before)
  const split = join(t.root, 'bin/split')
  await writeFile(split, '#!/bin/sh\necho nonsense\n', { mode: 0o755 })
  await expect(pack(site)).rejects.toMatchObject({ message: expect.stringContaining('cannot be read') as string })
  await rm(split)
  expect(await onServer()).toEqual([])
  const canceled = new AbortController()
  const work = runSteps(
    direct().packSteps(site, async () => {
      setImmediate(() => canceled.abort(new Error('canceled')))
      return sealing
    }),
    canceled.signal,
  )
  await expect(work).rejects.toThrow('canceled')
  await t.engine.backups.removePacked(site)
  await writeFile(Buffer.concat([Buffer.from(`${inSite(site, '')}/na`), Buffer.from([0xff])]), 'x')
  await expect(pack(site)).rejects.toMatchObject({ code: 'invalid' })
  expect(await onServer()).toEqual([])
})
