import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { readTar } from '#server/platform/files/tar.ts'
import type { SiteSpec } from '../engine.ts'
import type { SiteManifest } from '../site-manifest.ts'

let t: EeServer
let counter = 0

const create = async (changes: Partial<SiteSpec> = {}): Promise<SiteSpec> => {
  counter += 1
  const site = eeSpec(t.server, {
    id: `pack${String(counter).padStart(6, '0')}`,
    domain: `pack-${counter}.example.com`,
    ...changes,
  })
  await runSteps(t.engine.createSteps(site))
  return site
}
const inSite = (site: SiteSpec, path: string) => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs', path)
const onServer = () => readdir(join(t.root, 'var/lib/easydash/packed')).catch(() => [])

/** Packs a site, and reads its archive. */
async function packed(site: SiteSpec): Promise<{ manifest: SiteManifest; members: Map<string, Buffer> }> {
  await runSteps(t.engine.backups.packSteps(site))
  const { file, manifest: said, files } = await t.engine.backups.packed(site)
  const manifest = { ...said, files: await Array.fromAsync(files()) }
  const members = new Map<string, Buffer>()
  await readTar(Readable.from([zstdDecompressSync(await buffer(file.open()))]), ({ name, type }) => {
    if (type !== 'file') return null
    const chunks: Buffer[] = []
    return { write: (chunk) => void chunks.push(chunk), end: () => void members.set(name, Buffer.concat(chunks)) }
  })
  return { manifest, members }
}

beforeAll(async () => {
  t = await startEeServer()
})
afterEach(() => t.setTraps())
afterAll(() => t?.end())

test('a WordPress is packed with its dump, what it counts and shows, and checksums of every file', async () => {
  const site = await create({ title: 'Kept' })
  await mkdir(inSite(site, 'wp-content/uploads/2026'), { recursive: true })
  await writeFile(inSite(site, 'wp-content/uploads/2026/bild é.txt'), 'x'.repeat(5_000_000))
  await mkdir(inSite(site, 'wp-content/cache'))
  await writeFile(inSite(site, 'wp-content/cache/page.html'), 'cached')
  await symlink('/etc/passwd', inSite(site, 'wp-content/passwd'))
  const { manifest, members } = await packed(site)
  expect(manifest).toMatchObject({
    ...{ engine: 'ee', site: site.domain, type: 'wp', title: 'Kept', url: `http://${site.domain}` },
    ...{ table_prefix: 'wp_', php_version: '8.3', counts: { posts: 1, pages: 2, comments: 1, users: 1, plugins: 2 } },
    pages: [{ path: '/', status: 200, title: 'Kept' }],
  })
  const paths = manifest.files.map(({ path }) => path)
  expect(paths).toContain('wp-content/uploads/2026/bild é.txt')
  for (const path of ['wp-content/cache/page.html', 'wp-content/passwd']) expect(paths).not.toContain(path)
  for (const { path, size, sha256 } of manifest.files) {
    const content = members.get(`files/${path}`)
    expect([path, content?.length]).toEqual([path, size])
    expect(
      createHash('sha256')
        .update(content ?? '')
        .digest('hex'),
    ).toBe(sha256)
  }
  const dump = members.get('database.sql')
  expect(dump?.toString()).toContain('Dump completed')
  expect(manifest.database?.sha256).toBe(
    createHash('sha256')
      .update(dump ?? '')
      .digest('hex'),
  )
  expect([...members.keys()].at(-1)).toBe('manifest.json')
  expect(members.get('files/wp-config.php')?.toString()).not.toContain(site.id)
  expect(await onServer()).toEqual([])
  await t.engine.backups.removePacked(site)
  await expect(t.engine.backups.packed(site)).rejects.toMatchObject({ code: 'not_found' })
  expect(await t.violations()).toEqual([])
})

test('a site without a database is packed as it is', async () => {
  const { manifest } = await packed(await create({ siteType: 'html' }))
  expect(manifest).toMatchObject({ type: 'html', database: null, tables: {}, php_version: null })
})

test('a link in place of the site’s folder is not followed', async () => {
  const site = await create({ siteType: 'html' })
  await rename(inSite(site, ''), inSite(site, '../moved'))
  await symlink(join(t.root, 'opt/easyengine'), inSite(site, '').replace(/\/$/, ''))
  await expect(runSteps(t.engine.backups.packSteps(site))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('a link') as string,
  })
  expect(await onServer()).toEqual([])
})

test('a canceled one leaves nothing, here and on the server', async () => {
  const site = await create({ siteType: 'html' })
  const canceled = new AbortController()
  const work = runSteps(t.engine.backups.packSteps(site), canceled.signal)
  setImmediate(() => canceled.abort(new Error('canceled')))
  await expect(work).rejects.toThrow('canceled')
  await t.engine.backups.removePacked(site)
  expect(await onServer()).toEqual([])
  await expect(t.engine.backups.packed(site)).rejects.toMatchObject({ code: 'not_found' })
})

test('connections that break while a site is packed and fetched change nothing: it is packed whole, or begun again', async () => {
  const site = await create({ siteType: 'html' })
  await writeFile(inSite(site, 'large.bin'), randomBytes(10_000_000))
  let [isMade, drops] = [false, 0]
  const dropping = (async () => {
    while (!isMade && drops < 25) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      t.cloud.dropConnections()
      drops += 1
    }
  })()
  try {
    // As a job does: what a broken connection ended begins again.
    while (!isMade)
      try {
        await runSteps(t.engine.backups.packSteps(site))
        isMade = true
      } catch (error) {
        expect(error).toMatchObject({ retryable: true })
      }
  } finally {
    isMade = true
    await dropping
  }
  expect(drops).toBeGreaterThan(0)
  const files = await Array.fromAsync((await t.engine.backups.packed(site)).files())
  expect(files.find(({ path }) => path === 'large.bin')?.size).toBe(10_000_000)
  await t.engine.backups.removePacked(site)
  expect(await onServer()).toEqual([])
}, 180_000)

test('a dump that fails, and a name that nobody could restore, are errors that say so', async () => {
  const site = await create()
  await t.setTraps('wp_fails=db export')
  await expect(runSteps(t.engine.backups.packSteps(site))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('critical error') as string,
  })
  await t.setTraps()
  // It is the site that says how long its dump is.
  const disk = join(t.root, 'etc/disk')
  const before = await readFile(disk, 'utf8')
  await writeFile(disk, '41943040 41418752 524288 99%')
  await expect(runSteps(t.engine.backups.packSteps(site))).rejects.toMatchObject({
    message: expect.stringContaining('no room for the database') as string,
  })
  await writeFile(disk, before)
  expect(await onServer()).toEqual([])
  await writeFile(Buffer.concat([Buffer.from(`${inSite(site, '')}/na`), Buffer.from([0xff])]), 'x')
  await expect(runSteps(t.engine.backups.packSteps(site))).rejects.toMatchObject({ code: 'invalid' })
  expect(await onServer()).toEqual([])
})
