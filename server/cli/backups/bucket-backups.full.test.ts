import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createZstdCompress } from 'node:zlib'
import { generateX25519Identity } from 'age-encryption'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { encrypted } from '#server/features/sites/backups/archive-cipher.ts'
import { packTar } from '#server/platform/files/tar.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { extractBackup, listBackups, verifyBackups } from './backup-commands.ts'

let bucket: BucketUnderTest
let folder: string
let key: string
let credentials: string
const sent = new AbortController().signal

beforeAll(async () => {
  bucket = await openBucketUnderTest()
  folder = await mkdtemp(join(tmpdir(), 'bucket-backups-'))
  const identity = await generateX25519Identity()
  key = join(folder, 'key.txt')
  await writeFile(key, `${identity}\n`)
  credentials = join(folder, 'credentials')
  await writeFile(
    credentials,
    `AWS_ACCESS_KEY_ID=AKIASIMULATED0000000\nAWS_SECRET_ACCESS_KEY="simulated-secret-key"\nAWS_REGION=eu-central-1\nAWS_ENDPOINT_URL_S3=${bucket.server.url}\n`,
  )
  const manifest = JSON.stringify({
    ...{ format: 'easydash-site', version: 1, created: '2026-01-02T03:04:05Z', site: 'shop', engine: 'local' },
    ...{ type: 'html', url: 'http://shop.localhost', title: 'Shop', php_version: null, wordpress_version: null },
    ...{ table_prefix: null, database: null, tables: {}, pages: [], left_out: [] },
    files: [{ path: 'a.txt', size: 1, sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb' }],
    counts: { posts: 0, pages: 0, comments: 0, uploads: 0, plugins: 0, themes: 0, users: 0 },
  })
  const members = Object.entries({ 'files/a.txt': 'a', 'manifest.json': manifest }).map(([name, text]) => ({
    header: { name, type: 'file' as const, size: Buffer.byteLength(text), mode: 0o644, mtime: 0 },
    content: [Buffer.from(text)],
  }))
  const archive = await buffer(Readable.from(packTar(members)).pipe(createZstdCompress()))
  for (const name of ['aaaaaaaaaa', 'bbbbbbbbbb']) {
    const content = await encrypted(identity, Readable.from([archive], { objectMode: false }))
    await bucket.store.write({ name, site_domain: 'shop.example.com' }, content, sent)
  }
  await bucket.cut('bbbbbbbbbb')
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await bucket.close()
})

const objectOf = (name: string) => `s3://backups/easydash/acme/shop.example.com/${name}.tar.zst.age`
async function run(command: typeof listBackups, ...args: string[]) {
  const lines: string[] = []
  const isFine = await command([...args, '--key', key, '--credentials', credentials], (line) => void lines.push(line))
  return { isFine, lines }
}

test('lists and verifies what is in a bucket, and names what is damaged', async () => {
  const listed = await run(listBackups, 's3://backups')
  expect(listed.isFine).toBe(false)
  expect(listed.lines[0]).toBe(
    `${objectOf('aaaaaaaaaa')}: shop, 2026-01-02T03:04:05Z, http://shop.localhost, html, 1 files, 0 tables`,
  )
  expect(listed.lines[1]).toMatch(/bbbbbbbbbb.*damaged/)
  const verified = await run(verifyBackups, 's3://backups/easydash/acme/')
  expect(verified).toMatchObject({ isFine: false })
  expect(verified.lines[0]).toBe(`${objectOf('aaaaaaaaaa')}: every checksum is right`)
  expect(verified.lines[1]).toMatch(/bbbbbbbbbb.*damaged/)
  expect(await run(verifyBackups, objectOf('aaaaaaaaaa'))).toMatchObject({ isFine: true })
  await expect(run(listBackups, 's3://backups/easydash/other/')).rejects.toThrow('There are no backups')
})

test('extracts a backup out of a bucket, or nothing', async () => {
  const target = join(folder, 'new')
  await run((args, print) => extractBackup(args, print).then(() => true), objectOf('aaaaaaaaaa'), target)
  expect(await readFile(join(target, 'files/a.txt'), 'utf8')).toBe('a')
  for (const [place, says] of [
    [objectOf('bbbbbbbbbb'), /damaged/],
    [objectOf('cccccccccc'), /bucket|object|no such/i],
    ['s3://backups', /not one backup/],
  ] as const) {
    await expect(
      extractBackup([place, `${target}2`, '--key', key, '--credentials', credentials], vi.fn()),
    ).rejects.toThrow(says)
    expect(existsSync(`${target}2`)).toBe(false)
  }
})

test('takes keys from the environment or a file alone, and says what they lack', async () => {
  const print = vi.fn()
  vi.stubEnv('AWS_ACCESS_KEY_ID', '')
  await expect(listBackups(['s3://backups', '--key', key], print)).rejects.toThrow('keys of the bucket are missing')
  await expect(listBackups(['s3://', '--key', key], print)).rejects.toThrow('names no bucket')
  await expect(
    listBackups(['s3://backups', '--key', key, '--credentials', join(folder, 'none')], print),
  ).rejects.toThrow('cannot be read (ENOENT)')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIASIMULATED0000000')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ENDPOINT_URL_S3', bucket.server.url)
  await expect(listBackups(['s3://backups', '--key', key], print)).rejects.toThrow('s3://backups')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'simulated-secret-key')
  expect(await listBackups([objectOf('aaaaaaaaaa'), '--key', key], print)).toBe(true)
  vi.unstubAllEnvs()
})
