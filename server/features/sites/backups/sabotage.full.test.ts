import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { generateX25519Identity } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import type { MethodContext } from '#server/contracts/method.ts'
import { newObject } from '#server/providers/simulator/bucket-objects.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { backupsOf } from '#tests/support/backups.ts'
import { connectBucket } from '#tests/support/buckets.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { decrypted, encrypted } from './archive-cipher.ts'
import { downloadBackupMethod } from './download-backup.ts'
import { createAssemblies } from './increments/assemblies.ts'

/*
 * What can become of archives where they lie, and of what the database says about them: each is found, none is proven, and no site is
 * restored from it. What can be wrong inside of an archive is in `server/engines/local/backups/sabotage.full.test.ts`.
 */

let t: TestSites
let bucket: BucketUnderTest
let inBucket: string
let identity: string
let foreign: string

beforeAll(async () => {
  bucket = await openBucketUnderTest()
  t = await openTestSites([], { awsS3: bucket.server.url })
  inBucket = (await transaction<{ name: string }>((tx) => connectBucket(tx, 'acme'))).name
  foreign = await generateX25519Identity()
})
afterAll(async () => {
  await t?.close()
  await bucket?.close()
})

const { transaction, read, act, storedAt, wwwOf, put, backedUp } = backupsOf(() => t)

/** An archive where it lies; null: it is not there. */
const keyOf = (backup: SiteBackup) => `easydash/acme/${backup.site_domain}/${backup.name}.tar.zst.age`
const stored = async (backup: SiteBackup): Promise<Buffer> =>
  backup.store === 'local'
    ? readFile(storedAt(backup))
    : (bucket.state.objects.get(keyOf(backup))?.content ?? Buffer.alloc(0))
async function replace(backup: SiteBackup, content: Buffer | null): Promise<void> {
  if (backup.store !== 'local') {
    bucket.state.objects.delete(keyOf(backup))
    if (content !== null) bucket.state.objects.set(keyOf(backup), newObject(content, Date.now()))
    return
  }
  await rm(storedAt(backup), { recursive: true, force: true })
  if (content !== null) await writeFile(storedAt(backup), content)
}
const clearOf = async (content: Buffer): Promise<Buffer> => buffer(await decrypted(identity, Readable.from([content])))
const sealed = async (content: Buffer, key = identity): Promise<Buffer> =>
  buffer(await encrypted(key, Readable.from([content])))
const record = (backup: SiteBackup, values: Partial<SiteBackup>) =>
  transaction((tx) => tx.updateColumns(SiteBackupDoctype, backup.name, values))

/** All files of a site. */
async function filesOf(site: Site): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(wwwOf(site, '.'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile()) files[path] = (await readFile(path)).toString('base64')
  }
  return files
}

/** What becomes of a damaged backup: its proof fails, and whatever is made of it leaves the site as it is. */
async function expectFound(backup: SiteBackup, site: Site): Promise<void> {
  const before = await filesOf(site)
  expect(await t.end(await act(backup.name, 'prove'))).toMatchObject({ status: 'Done' })
  const { proof, proof_detail: defects, status } = await read(backup.name)
  expect([proof, status, defects?.length]).toEqual(['Failed', 'Ready', expect.any(Number)])
  expect(defects?.length).toBeGreaterThan(0)
  const restored = await t.end(await act(backup.name, 'restore', { what: 'all', backup_first: 0 }))
  expect([restored.status, restored.error_message]).toEqual(['Failed', expect.stringContaining('damaged')])
  expect(await filesOf(site)).toEqual(before)
  expect(await t.siteNow(site.name)).toMatchObject({ status: 'Live', locked_by_job: null, restored_from: null })
  expect(await readdir(join(t.deps.backupsFolder, 'work'))).toEqual([])
}

/** The bytes of somebody's download; null if it breaks off. */
async function downloaded(backup: SiteBackup): Promise<Buffer | null> {
  const { url } = await act(backup.name, 'download_link')
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams)
  const method = downloadBackupMethod(t.deps, createAssemblies(t.deps))
  return (method.run(query, {} as MethodContext) as Promise<Download>)
    .then((file) => buffer(file.open()))
    .catch(() => null)
}

/** Two backups of a site with other content each, and one of another site. */
interface Shelf {
  readonly site: Site
  readonly older: SiteBackup
  readonly backup: SiteBackup
  readonly other: SiteBackup
}
/** Content of an archive, and of the others. */
interface Contents {
  readonly content: Buffer
  readonly older: Buffer
  readonly other: Buffer
}

const flipped = (content: Buffer, at: number): Buffer => {
  const copy = Buffer.from(content)
  const place = Math.floor(at)
  copy[place] = (copy[place] ?? 0) ^ 1
  return copy
}
/** Where the pieces of an archive begin, which `age` encrypts by themselves (https://age-encryption.org/v1). */
const payloadOf = (content: Buffer): number => content.indexOf('\n', content.indexOf('\n--- ') + 1) + 1 + 16
const pieceBytes = 65_536 + 16

const damages: readonly (readonly [what: string, (of: Contents) => Buffer | null | Promise<Buffer | null>])[] = [
  ['is gone', () => null],
  ['is empty', () => Buffer.alloc(0)],
  ['is zeros', ({ content }) => Buffer.alloc(content.length)],
  ['is something else', () => Buffer.from('<html><title>Sign in</title></html>')],
  ['is cut in its header', ({ content }) => content.subarray(0, 80)],
  ['is cut in the middle', ({ content }) => content.subarray(0, content.length / 2)],
  ['is cut between two pieces', ({ content }) => content.subarray(0, payloadOf(content) + 2 * pieceBytes)],
  ['lacks its last byte', ({ content }) => content.subarray(0, -1)],
  ['lacks its first byte', ({ content }) => content.subarray(1)],
  ['has another bit in its header', ({ content }) => flipped(content, 60)],
  ['has another bit at its beginning', ({ content }) => flipped(content, payloadOf(content) + 3)],
  ['has another bit in its middle', ({ content }) => flipped(content, content.length / 2)],
  ['has another bit at its end', ({ content }) => flipped(content, content.length - 1)],
  ['has bytes behind its end', ({ content }) => Buffer.concat([content, randomBytes(100)])],
  ['is there twice, one behind the other', ({ content }) => Buffer.concat([content, content])],
  [
    'has two pieces exchanged',
    ({ content }) => {
      const at = payloadOf(content)
      const piece = (number: number) => content.subarray(at + number * pieceBytes, at + (number + 1) * pieceBytes)
      return Buffer.concat([content.subarray(0, at), piece(1), piece(0), content.subarray(at + 2 * pieceBytes)])
    },
  ],
  [
    'has the beginning of another one',
    ({ content, older }) => Buffer.concat([older.subarray(0, older.length / 2), content.subarray(content.length / 2)]),
  ],
  ['is an older one of the site', ({ older }) => older],
  ['is that of another site', ({ other }) => other],
  ['is for the key of another organization', async ({ content }) => sealed(await clearOf(content), foreign)],
  ['is not encrypted', ({ content }) => clearOf(content)],
  ['is encrypted twice', ({ content }) => sealed(content)],
  ['was written by somebody who knows the public key', async ({ other }) => sealed(await clearOf(other))],
  ['was cut before it was encrypted', async ({ content }) => sealed((await clearOf(content)).subarray(0, -9))],
]

describe.each(['the folder', 'a bucket'])('an archive in %s', (where) => {
  let shelf: Shelf
  let contents: Contents

  beforeAll(async () => {
    const args = { store: where === 'the folder' ? 'local' : inBucket }
    const domain = where === 'the folder' ? 'kept' : 'bucket'
    const [site, another] = [await t.live(domain, { title: 'Kept' }), await t.live(`${domain}-other`)]
    const grow = async (of: Site, day: number) => {
      // Too small to be stored as an increment, and several pieces of `age` long.
      await put(of, `wp-content/uploads/day-${day}.bin`, randomBytes(150_000))
      return backedUp(of, args)
    }
    shelf = { site, older: await grow(site, 1), backup: await grow(site, 2), other: await grow(another, 1) }
    identity = await transaction<string>((tx) => tx.secret(OrganizationDoctype, 'acme', 'backup_identity'))
    const [content, older, other] = await Promise.all([shelf.backup, shelf.older, shelf.other].map(stored))
    contents = { content, older, other } as Contents
    for (const one of [shelf.older, shelf.backup, shelf.other])
      expect(one).toMatchObject({ proof: 'Proven', needs: null, store: args.store })
    // What is damaged later was whole.
    expect((await downloaded(shelf.backup))?.length).toBe(shelf.backup.size)
  })

  test.each(damages)('that %s is found', async (_what, damage) => {
    const { backup, site } = shelf
    await replace(backup, await damage(contents))
    await expectFound(backup, site)
    expect(await downloaded(backup)).toBeNull()
  })

  test('that is back is proven again', async () => {
    await replace(shelf.backup, contents.content)
    await t.end(await act(shelf.backup.name, 'prove'))
    expect(await read(shelf.backup.name)).toMatchObject({ proof: 'Proven' })
  })

  const recorded: readonly (readonly [what: string, (of: Shelf) => Partial<SiteBackup>])[] = [
    ['the checksum of an older one', ({ older }) => ({ sha256: older.sha256 })],
    ['no checksum', () => ({ sha256: null })],
    ['the size of another one', ({ older }) => ({ size: older.size })],
    ['the counts of another one', ({ backup }) => ({ counts: { ...backup.counts, posts: 99 } })],
    ['fewer files', ({ older }) => ({ counts: older.counts })],
    ['the name of another site', ({ other }) => ({ site_domain: other.site_domain })],
    ['another WordPress', () => ({ wordpress_version: '3.1' })],
    ['another store', ({ backup }) => ({ store: backup.store === 'local' ? inBucket : 'local' })],
    [
      'that it needs another one',
      ({ backup, older }) => ({ needs: [older.name], chain: older.name, size: backup.size }),
    ],
    ['that it needs one that is gone', () => ({ needs: ['zzzzzzzzzz'] })],
  ]

  test.each(recorded)('of which the database says %s is found', async (_what, values) => {
    const { backup, site } = shelf
    await record(backup, values(shelf))
    await expectFound(await read(backup.name), site)
    const { sha256, size, counts, site_domain, wordpress_version, store, needs, chain } = backup
    await record(backup, { sha256, size, counts, site_domain, wordpress_version, store, needs, chain })
  })

  test.each(['an older one', 'another site'])(
    'that is that of %s, of which the database says so, is found',
    async (of) => {
      const { backup, older, other, site } = shelf
      const from = of === 'another site' ? other : older
      await replace(backup, of === 'another site' ? contents.other : contents.older)
      await record(backup, { sha256: from.sha256, size: from.size })
      await expectFound(backup, site)
      await replace(backup, contents.content)
      await record(backup, { sha256: backup.sha256, size: backup.size })
    },
  )
})

test('a folder or nothing in place of the folder of archives is found', async () => {
  const site = await t.live('replaced')
  const backup = await backedUp(site)
  await replace(backup, null)
  await mkdir(storedAt(backup))
  await expectFound(backup, site)
})

describe('backups of what changed', () => {
  let site: Site
  let full: SiteBackup
  let middle: SiteBackup
  let last: SiteBackup
  let contents: Map<string, Buffer>

  beforeAll(async () => {
    site = await t.live('changing')
    const day = async (bytes: number) => {
      await put(site, `wp-content/uploads/${bytes}.bin`, randomBytes(bytes))
      return backedUp(site)
    }
    ;[full, middle, last] = [await day(2_000_000), await day(50_000), await day(60_000)]
    expect([full.needs, middle.needs, last.needs]).toEqual([null, [full.name], [full.name, middle.name]])
    expect(last.proof).toBe('Proven')
    contents = new Map()
    for (const one of [full, middle, last]) contents.set(one.name, await stored(one))
  })

  async function expectAllFound(): Promise<void> {
    await expectFound(last, site)
    for (const one of [full, middle, last]) {
      const { sha256, size, needs, chain } = one
      await record(one, { sha256, size, needs, chain })
      await replace(one, contents.get(one.name) ?? null)
    }
    await t.end(await act(last.name, 'prove'))
    expect(await read(last.name)).toMatchObject({ proof: 'Proven' })
  }
  const contentOf = ({ name }: SiteBackup) => contents.get(name) ?? Buffer.alloc(0)

  test.each<[string, () => Promise<unknown>]>([
    ['the full one is gone', () => replace(full, null)],
    ['one in the middle is gone', () => replace(middle, null)],
    ['one in the middle has another bit', () => replace(middle, flipped(contentOf(middle), 5_000))],
    [
      'one in the middle is the full one, with its checksum',
      async () => {
        await replace(middle, contentOf(full))
        await record(middle, { sha256: full.sha256 })
      },
    ],
    [
      'the full one is an increment, with its checksum',
      async () => {
        await replace(full, contentOf(middle))
        await record(full, { sha256: middle.sha256 })
      },
    ],
    [
      'it is the full one, with its checksum',
      async () => {
        await replace(last, contentOf(full))
        await record(last, { sha256: full.sha256 })
      },
    ],
    [
      'it is one in the middle, with its checksum',
      async () => {
        await replace(last, contentOf(middle))
        await record(last, { sha256: middle.sha256, needs: middle.needs })
      },
    ],
    ['fewer archives are named', () => record(last, { needs: [full.name] })],
    ['none is named', () => record(last, { needs: null, chain: last.name })],
    ['the others are named in its place', () => record(last, { needs: [middle.name, 'zzzzzzzzzz'] })],
    [
      'what changed is no longer compressed',
      async () => {
        const clear = await clearOf(contentOf(last))
        const broken = Buffer.concat([clear.subarray(0, 200), randomBytes(100), clear.subarray(300)])
        await replace(last, await sealed(broken))
        await record(last, { sha256: createHash('sha256').update(broken).digest('hex') })
      },
    ],
  ])('%s: it is found', async (_what, damage) => {
    await damage()
    await expectAllFound()
  })

  test('a list of what another backup consists of leads to a full backup, not to a wrong one', async () => {
    const pieces = (name: string) => join(t.deps.backupsFolder, 'pieces', `${name}.zst.age`)
    const elsewhere = await t.live('elsewhere')
    await put(elsewhere, 'wp-content/uploads/large.bin', randomBytes(2_000_000))
    const others = await backedUp(elsewhere)
    await writeFile(pieces(last.name), await readFile(pieces(others.name)))
    await put(site, 'wp-content/uploads/later.bin', randomBytes(10_000))
    expect(await backedUp(site)).toMatchObject({ needs: null, proof: 'Proven' })
  })
})

test('a key of an organization that is gone, or another one, is found', async () => {
  const site = await t.live('keyless')
  const backup = await backedUp(site)
  const setKey = (key: string | null) =>
    transaction((tx) =>
      tx.update(OrganizationDoctype, 'acme', { backup_identity: key }, { hooks: false, activity: false }),
    )
  for (const key of [foreign, null]) {
    await setKey(key)
    await expectFound(backup, site)
  }
  await setKey(identity)
  await t.end(await act(backup.name, 'prove'))
  expect(await read(backup.name)).toMatchObject({ proof: 'Proven' })
})
