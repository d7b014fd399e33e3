import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { extractBackup, verifyBackups } from '#server/cli/backups/backup-commands.ts'
import type { Download } from '#server/contracts/files.ts'
import type { MethodContext } from '#server/contracts/method.ts'
import { readTar } from '#server/platform/files/tar.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { connectBucket } from '#tests/support/buckets.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { backupSweep, bucketSweep } from '../backup-sweep.ts'
import { downloadBackupMethod } from '../download-backup.ts'
import { createAssemblies } from './assemblies.ts'
import { backupsOf } from '#tests/support/backups.ts'
import { holdBase } from './chains.ts'

let t: TestSites
let bucket: BucketUnderTest
beforeAll(async () => {
  bucket = await openBucketUnderTest()
  t = await openTestSites([], { awsS3: bucket.server.url })
})
afterAll(async () => {
  await t?.close()
  await bucket?.close()
})

const { transaction, read, act, store, work, storedAt, wwwOf, put, largeSite, backedUp } = backupsOf(() => t)
const remove = (backup: SiteBackup) => t.deps.documents().delete(t.owner, 'Site Backup', backup.name)

const sweep = async () => {
  t.pass(2 * 3_600_000)
  await bucketSweep(t.deps).run()
  await backupSweep(t.deps).run()
}

/** The recovery key in a file. */
async function keyIn(folder: string): Promise<string> {
  const owner = { ...t.owner, reauthAt: Date.now() }
  const { content } = (await t.deps
    .documents()
    .runAction(owner, 'Organization', 'acme', 'download_recovery_key', {})) as { content: string }
  const key = join(folder, 'key.txt')
  await writeFile(key, content)
  return key
}

/** The files of a downloaded backup. */
async function filesOf(backup: SiteBackup): Promise<Record<string, Buffer>> {
  const { url } = await act(backup.name, 'download_link')
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams)
  const method = downloadBackupMethod(t.deps, createAssemblies(t.deps))
  const open = () => method.run(query, {} as MethodContext) as Promise<Download>
  const whole = await buffer((await open()).open())
  const again = await open()
  expect(again.length).toBe(whole.length)
  expect(await buffer(again.open({ start: 1_000, end: 9_999 }))).toEqual(whole.subarray(1_000, 10_000))
  const files: Record<string, Buffer> = {}
  await readTar(
    (async function* () {
      yield zstdDecompressSync(whole)
    })(),
    ({ name }) => {
      const chunks: Buffer[] = []
      return { write: (chunk) => void chunks.push(chunk), end: () => void (files[name] = Buffer.concat(chunks)) }
    },
  )
  return files
}

test('after a full backup only what is new is stored, and each backup is whole', async () => {
  const site = await largeSite('growing')
  const full = await backedUp(site)
  expect(full).toMatchObject({ proof: 'Proven', needs: null, chain: full.name })
  const backups = [full]
  const large = await readFile(wwwOf(site, 'wp-content/uploads/large.bin'))
  for (const day of [1, 2, 3]) {
    await put(site, `wp-content/uploads/day-${day}.bin`, randomBytes(50_000))
    // A large file of which a part is another one, with something inserted.
    await put(
      site,
      'wp-content/uploads/large.bin',
      Buffer.concat([large.subarray(0, 500_000 * day), randomBytes(10), large.subarray(500_000 * day)]),
    )
    backups.push(await backedUp(site))
  }
  for (const [day, one] of backups.entries()) {
    expect(one).toMatchObject({ status: 'Ready', proof: 'Proven' })
    expect(one.size).toBeGreaterThan(2_000_000)
    if (day === 0) continue
    expect(one.needs).toContain(full.name)
    expect(one.stored_size).toBeLessThan(120_000)
  }
  const [, , second, last] = backups as [SiteBackup, SiteBackup, SiteBackup, SiteBackup]
  expect(Object.keys(await filesOf(second)).filter((name) => name.includes('day-'))).toEqual([
    'files/wp-content/uploads/day-1.bin',
    'files/wp-content/uploads/day-2.bin',
  ])
  expect((await filesOf(last))['files/wp-content/uploads/large.bin']?.length).toBe(2_000_010)
  await put(site, 'wp-content/uploads/large.bin', 'lost')
  expect(await t.end(await act(last.name, 'restore', { what: 'all', backup_first: 0 }))).toMatchObject({
    status: 'Done',
  })
  expect((await readFile(wwwOf(site, 'wp-content/uploads/large.bin'))).length).toBe(2_000_010)
  expect(await readdir(work())).toEqual([])

  // What others need stays, and says so, until nobody needs it.
  await remove(full)
  await sweep()
  expect(await read(full.name)).toMatchObject({
    status: 'Expired',
    error_message: expect.stringContaining('3 other backups') as string,
  })
  expect(await readdir(store())).toContain(`${full.name}.tar.zst.age`)
  for (const kind of ['pieces', 'contents'])
    expect(await readdir(join(t.deps.backupsFolder, kind))).not.toContain(`${full.name}.zst.age`)
  await t.end(await act(last.name, 'prove'))
  expect(await read(last.name)).toMatchObject({ proof: 'Proven' })
  // Who deletes it can't be built on any more.
  expect(await transaction((tx) => holdBase(tx, last.name, full))).toBe(false)
  for (const one of backups.slice(1)) await remove(one)
  await sweep()
  await sweep()
  for (const one of backups) expect(await read(one.name)).toBeNull()
  expect(await readdir(store())).toEqual([])
  for (const kind of ['pieces', 'contents']) expect(await readdir(join(t.deps.backupsFolder, kind))).toEqual([])
})

test('a backup that shares nothing with the one before is a full one', async () => {
  const site = await t.live('replaced')
  const replace = async () => {
    await rm(wwwOf(site, 'wp-content'), { recursive: true, force: true })
    // Twice the same: what a backup shares with itself makes it no increment.
    const content = randomBytes(1_500_000)
    for (const name of ['wp-content/large.bin', 'wp-content/copy.bin']) await put(site, name, content)
    return content
  }
  await replace()
  const before = await backedUp(site)
  const content = await replace()
  const backup = await backedUp(site)
  expect(backup).toMatchObject({ status: 'Ready', proof: 'Proven', needs: null, chain: backup.name })
  await put(site, 'wp-content/copy.bin', 'lost')
  await remove(before)
  expect(await t.end(await act(backup.name, 'restore', { what: 'all', backup_first: 0 }))).toMatchObject({
    status: 'Done',
  })
  expect((await readFile(wwwOf(site, 'wp-content/copy.bin'))).equals(content)).toBe(true)
  expect((await filesOf(backup))['files/wp-content/copy.bin']?.length).toBe(content.length)
})

test('a site that became much larger is cut into larger pieces', async () => {
  const site = await largeSite('enlarged')
  const { packed } = t.engine.backups
  const before = await backedUp(site)
  t.engine.backups.packed = async (of) => {
    const real = await packed(of)
    const { manifest, files } = real
    return {
      ...real,
      manifest,
      files: async function* () {
        yield { path: 'large.bin', size: 100_000_000_000, sha256: '' }
        return yield* files()
      },
    }
  }
  const [large, next] = [await backedUp(site), await backedUp(site)]
  t.engine.backups.packed = packed
  expect([before, large, next].map(({ needs }) => needs)).toEqual([null, null, [large.name]])
})

test('one damaged archive costs the backups that need it, each is named, and the next backup is full', async () => {
  const site = await largeSite('damaged')
  const full = await backedUp(site)
  const day = async (name: string) => {
    await put(site, `wp-content/uploads/${name}.bin`, randomBytes(50_000))
    return backedUp(site)
  }
  const [first, second, third] = [await day('first'), await day('second'), await day('third')]
  expect(third.needs).toEqual([full.name, first.name, second.name])
  await writeFile(storedAt(second), 'nothing')
  await t.end(await act(third.name, 'prove'))
  expect(await read(third.name)).toMatchObject({
    proof: 'Failed',
    proof_detail: [{ defect: expect.stringMatching(/^It needs the archive of the backup of 2/) as string }],
  })
  expect(await read(second.name)).toMatchObject({ proof: 'Failed' })
  expect((await read(second.name)).proof_detail?.map(({ evidence }) => evidence)).toContain(third.name)
  for (const one of [full, first]) {
    await t.end(await act(one.name, 'prove'))
    expect(await read(one.name)).toMatchObject({ proof: 'Proven' })
  }
  expect(await t.end(await act(third.name, 'restore', { backup_first: 0 }))).toMatchObject({
    status: 'Failed',
    error_message: expect.stringContaining('It needs the archive of the backup of') as string,
  })
  const next = await day('next')
  expect(next).toMatchObject({ needs: null, proof: 'Proven' })

  // So does one whose list of content this machine does not have.
  await rm(join(t.deps.backupsFolder, 'pieces'), { recursive: true })
  expect(await day('later')).toMatchObject({ needs: null, proof: 'Proven' })
  // All others of the full one name it when it is lost.
  await rm(storedAt(full))
  await t.end(await act(full.name, 'prove'))
  expect((await read(full.name)).proof_detail?.map(({ evidence }) => evidence)).toEqual(
    expect.arrayContaining([first.name, second.name, third.name]),
  )
  expect(await read(first.name)).toMatchObject({ proof: 'Failed' })
})

test('a backup that fails while it is stored keeps nothing from being deleted', async () => {
  const site = await largeSite('failing')
  const full = await backedUp(site)
  const { packed } = t.engine.backups
  t.engine.backups.packed = async (of) => {
    t.engine.backups.packed = packed
    const [made] = await transaction<SiteBackup[]>((tx) =>
      tx.list(SiteBackupDoctype, [
        ['site', '=', site.name],
        ['status', '=', 'Running'],
      ]),
    )
    // Where its new content would go.
    await mkdir(join(work(), made?.name ?? '', 'added'), { recursive: true })
    return packed(of)
  }
  const { name, job } = (await t.act(site.name, 'backup')) as { name: string; job: string }
  expect(await t.end({ job })).toMatchObject({ status: 'Failed' })
  expect(await read(name)).toMatchObject({ status: 'Failed', chain: null, needs: null })
  expect(await readdir(work())).toEqual([])
  await remove(full)
  expect(await read(full.name)).toBeNull()
})

test('in a bucket, the archives of one store are enough, and the last of them takes all along', async () => {
  const site = await largeSite('bucket')
  const { name: to } = await transaction<{ name: string }>((tx) => connectBucket(tx, 'acme'))
  await backedUp(site)
  const full = await backedUp(site, { store: to })
  expect(full).toMatchObject({ store: to, needs: null, proof: 'Proven' })
  const next: SiteBackup[] = []
  for (const day of [1, 2, 3]) {
    await put(site, `wp-content/uploads/${day}.bin`, randomBytes(50_000))
    next.push(await backedUp(site, { store: to }))
    expect(next.at(-1)).toMatchObject({ needs: [full, ...next.slice(0, -1)].map(({ name }) => name), proof: 'Proven' })
  }
  const credentials = join(t.folder, 'credentials')
  await writeFile(
    credentials,
    `AWS_ACCESS_KEY_ID=AKIASIMULATED0000000\nAWS_SECRET_ACCESS_KEY=simulated-secret-key\nAWS_REGION=eu-central-1\nAWS_ENDPOINT_URL_S3=${bucket.server.url}\n`,
  )
  bucket.server.seen.length = 0
  const args = ['s3://backups', '--key', await keyIn(t.folder), '--credentials', credentials]
  expect(await verifyBackups(args, () => undefined)).toBe(true)
  // Looked into, read, and unpacked for those that need it; the bucket is listed once.
  const paths = bucket.server.seen.map(({ path }) => path)
  expect(paths.filter((path) => path.includes(full.name)).length).toBe(3)
  expect(paths.filter((path) => path.includes('list-type')).length).toBe(1)

  await remove(full)
  await sweep()
  expect(await read(full.name)).toMatchObject({ status: 'Expired', removal_tries: 0 })
  expect(bucket.state.objects.size).toBe(4)
  const last = next.at(-1)?.name ?? ''
  await t.end(await act(last, 'prove'))
  expect(await read(last)).toMatchObject({ proof: 'Proven' })
  for (const one of next) await remove(one)
  await sweep()
  await sweep()
  for (const { name } of [full, ...next]) expect(await read(name)).toBeNull()
  expect(bucket.state.objects.size).toBe(0)
})

test('is read with the recovery key alone, by our commands and by standard tools', async () => {
  const site = await largeSite('tools')
  await backedUp(site)
  await put(site, 'wp-content/uploads/new.bin', randomBytes(50_000))
  const backup = await backedUp(site)
  expect(backup.needs).toHaveLength(1)
  const folder = await mkdtemp(join(t.folder, 'elsewhere-'))
  const key = await keyIn(folder)
  const lines: string[] = []
  expect([await verifyBackups([storedAt(backup), '--key', key], (line) => void lines.push(line)), lines]).toEqual([
    true,
    [expect.stringContaining('every checksum is right')],
  ])
  await extractBackup([storedAt(backup), join(folder, 'ours'), '--key', key], () => undefined)

  // The commands of the documentation, with our library in place of the program.
  const [, script = ''] =
    /```sh\n(# one that needs others\n[^`]*)```/.exec(await readFile('docs/backups.md', 'utf8')) ?? []
  expect(script).toContain('recipe.txt')
  const age = join(folder, 'age')
  await writeFile(
    age,
    `#!/usr/bin/env node
import { Decrypter } from '${import.meta.resolve('age-encryption')}'
import { readFileSync } from 'node:fs'
const [, , , , key, file] = process.argv
const decrypter = new Decrypter()
decrypter.addIdentity(/^AGE-SECRET-KEY-\\S+$/m.exec(readFileSync(key, 'utf8'))[0])
process.stdout.write(await decrypter.decrypt(readFileSync(file)))
`,
  )
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await chmod(age, 0o755)
  for (const name of [...(backup.needs ?? []), backup.name])
    await writeFile(join(folder, `${name}.tar.zst.age`), await readFile(join(store(), `${name}.tar.zst.age`)))
  const run = promisify(execFile)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, NAME: backup.name, KEY: key }
  await run('sh', ['-euc', script], { cwd: folder, env })
  await run('diff', ['-r', join(folder, 'ours'), join(folder, 'site')])
  expect((await readFile(join(folder, 'site/files/wp-content/uploads/new.bin'))).length).toBe(50_000)

  // Without the one that it needs, that is said.
  await rm(join(folder, `${backup.needs?.[0]}.tar.zst.age`))
  lines.length = 0
  expect(
    await verifyBackups([join(folder, `${backup.name}.tar.zst.age`), '--key', key], (line) => void lines.push(line)),
  ).toBe(false)
  expect(lines.join(' ')).toContain(`It needs the backup ${backup.needs?.[0]}`)
})
