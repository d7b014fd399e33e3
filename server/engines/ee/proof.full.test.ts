import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { serverIncrements } from '#tests/support/server-increments.ts'
import { readTar } from '#server/platform/files/tar.ts'
import type { SiteSpec } from '../engine.ts'
import { cachedCores } from '../local/core/core-cache.ts'
import { startFixture, testCacheDir, type EngineFixture } from '../local/engine-fixture.ts'
import type { RehearsalVerdict } from '../site-backups.ts'
import { thisMachine } from '../site-ref.ts'

let fixture: EngineFixture
let t: EeServer
let site: SiteSpec
let dump: string
let number = 0

/** A simulated server that has a real WordPress: files and dump are those of one that this machine made. */
beforeAll(async () => {
  fixture = await startFixture()
  t = await startEeServer()
  const real = await fixture.create({ siteType: 'wp', title: 'Kept' })
  await runSteps(fixture.engine.backups.packSteps(real))
  const { file, manifest } = await fixture.engine.backups.packed(real)
  site = eeSpec(t.server, { id: 'proof00001', domain: 'proof.example.com', title: 'Kept' })
  await runSteps(t.engine.createSteps(site))
  const root = join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs')
  for (const name of await readdir(root)) await rm(join(root, name), { recursive: true })
  await readTar(Readable.from([zstdDecompressSync(await buffer(file.open()))]), ({ name, type }) => {
    if (type !== 'file') return null
    const chunks: Buffer[] = []
    const end = async () => {
      if (name === 'database.sql') dump = Buffer.concat(chunks).toString()
      if (!name.startsWith('files/') || name === 'files/wp-config.php') return
      await mkdir(dirname(join(root, name.slice(6))), { recursive: true })
      await writeFile(join(root, name.slice(6)), Buffer.concat(chunks))
    }
    return { write: (chunk) => void chunks.push(chunk), end }
  })
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [state = ''] = (await readdir(folder)).filter((name) => name.includes(site.id))
  const known = JSON.parse(await readFile(join(folder, state), 'utf8')) as object
  const { posts, pages, comments } = manifest.counts
  await writeFile(join(folder, state), JSON.stringify({ ...known, posts, pages, comments }))
}, 300_000)
afterAll(async () => {
  await fixture?.end()
  await t?.end()
})

/** What the machine of this installation makes of a backup of the site whose database has this dump. */
async function verdictOn(text: string): Promise<RehearsalVerdict> {
  const folder = join(t.root, 'var/lib/simulated/databases')
  const [state = ''] = (await readdir(folder)).filter((name) => name.endsWith('.json') && name.includes(site.id))
  await writeFile(join(folder, state.replace('.json', '.sql')), `${text}\n-- Dump completed\n`)
  return verdictOf(site)
}

async function verdictOf(site: SiteSpec, pack = fetched): Promise<RehearsalVerdict> {
  number += 1
  const archive = join(t.root, `${number}.tar.zst`)
  await pipeline(await pack(site), createWriteStream(archive))
  const { id: _id, ...ref } = site
  const rehearsal = { ...ref, id: `rehearsal${number}`, domain: `rehearsal-${number}`, server: thisMachine }
  try {
    await runSteps(fixture.engine.rehearsals.rehearseSteps(rehearsal, archive))
    return await fixture.engine.rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
  } finally {
    await fixture.engine.destroy(rehearsal)
  }
}

/** An archive that is written here. */
async function fetched(site: SiteSpec): Promise<Readable> {
  await runSteps(t.engine.backups.packSteps(site))
  return Readable.from((await t.engine.backups.packed(site)).file.open())
}

/** One that the server makes itself. */
async function sealed(site: SiteSpec): Promise<Readable> {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  const sealing = { recipient, attempt: async () => null, compare: async () => null, keep: async () => undefined }
  await runSteps(t.engine.backups.direct?.packSteps(site, async () => sealing) ?? [])
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const stored = await readFile(join(t.root, 'var/lib/easydash/packed', site.id, 'archive.age'))
  return Readable.from([Buffer.from(await decrypter.decrypt(stored))])
}

test('a backup of a WordPress on a server is proven by a real WordPress on this machine', async () => {
  const { defects, seen, inconclusive } = await verdictOn(dump)
  expect(seen.filter(({ expected, found }) => expected !== found)).toEqual([])
  expect([defects, inconclusive]).toEqual([[], null])
  expect(seen.map(({ what }) => what)).toEqual(expect.arrayContaining(['files', 'tables', 'rows', 'login', 'visited']))
}, 300_000)

test('so is one whose archive the server made itself', async () => {
  const { defects, seen, inconclusive } = await verdictOf(site, sealed)
  expect(seen.filter(({ expected, found }) => expected !== found)).toEqual([])
  expect([defects, inconclusive]).toEqual([[], null])
  expect(seen.map(({ what }) => what)).toEqual(expect.arrayContaining(['files', 'tables', 'rows', 'login', 'visited']))
}, 300_000)

test('and one of which the server made only what changed', async () => {
  const backups = await serverIncrements(t, site)
  await backups.backedUp()
  const path = 'wp-content/uploads/after.txt'
  const root = join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs')
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), 'after the full one')
  const made = await backups.backedUp()
  expect(made.sealed.needs).toHaveLength(1)
  expect(made.sealed.size).toBeGreaterThan(10_000_000)
  expect(made.sealed.clear.bytes).toBeLessThan(50_000)
  const whole = zstdCompressSync(await backups.wholeOf(made))
  const { defects, seen, inconclusive } = await verdictOf(site, async () => Readable.from([whole]))
  expect(seen.filter(({ expected, found }) => expected !== found)).toEqual([])
  expect([defects, inconclusive]).toEqual([[], null])
  expect(seen.map(({ what }) => what)).toEqual(expect.arrayContaining(['files', 'tables', 'rows', 'login', 'visited']))
}, 300_000)

test('one whose database lacks what WordPress counted is never proven', async () => {
  const less = dump.replaceAll(/^INSERT INTO `wp_posts`[^]*?\);$/gm, '')
  expect(less.length).toBeLessThan(dump.length)
  const { defects, inconclusive } = await verdictOn(less)
  expect(defects.length > 0 || inconclusive !== null).toBe(true)
}, 300_000)

/** Sites that are made from then on have the files of a real WordPress. */
async function useRealCore(): Promise<void> {
  const [core] = await cachedCores(testCacheDir)
  const path = join(t.root, '../wordpress')
  await rm(path, { force: true })
  await symlink(core?.files ?? '', path)
}

test('so is one of the simulation itself, whose dump is what a real one starts with', async () => {
  await useRealCore()
  const own = eeSpec(t.server, { id: 'proof00002', domain: 'own.example.com', title: 'Our own' })
  await runSteps(t.engine.createSteps(own))
  const person = { key: 'p1', login: 'ann2', name: 'Ann', email: 'a@example.com', reserved: 'ann' }
  await t.engine.loginLink(own, { ...person, role: 'editor' }, 30)
  const { defects, seen, inconclusive } = await verdictOf(own)
  expect(seen.filter(({ expected, found }) => expected !== found)).toEqual([])
  expect([defects, inconclusive]).toEqual([[], null])
  expect(seen.find(({ what }) => what === 'tables')).toMatchObject({ expected: 12 })
}, 300_000)

test.each([
  ['subdir', null],
  ['subdom', 'Of a network with subdomains, only the main site can be tried out on the machine of Easydash.'],
] as const)(
  'and that of a network (%s)',
  async (multisite, reason) => {
    await useRealCore()
    const own = eeSpec(t.server, {
      id: multisite.padEnd(10, '0'),
      domain: `${multisite}.example.com`,
      title: 'Our own',
      multisite,
    })
    await runSteps(t.engine.createSteps(own))
    const { defects, seen, inconclusive } = await verdictOf(own)
    expect(seen.filter(({ expected, found }) => expected !== found)).toEqual([])
    expect([defects, inconclusive]).toEqual([[], reason])
    expect(seen.find(({ what }) => what === 'tables')).toMatchObject({ expected: 18 })
  },
  300_000,
)
