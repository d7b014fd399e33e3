import { createHash, randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { extractBackup, verifyBackups } from '#server/cli/backups/backup-commands.ts'
import type { DirectBackups, SealedSite } from '#server/engines/site-backups.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Connection } from '#shared/doctypes/connection.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { backupsOf } from '#tests/support/backups.ts'
import { connectBucket } from '#tests/support/buckets.ts'
import { openTestSites, type TestSites } from '#tests/support/sites.ts'
import { decrypted } from './archive-cipher.ts'
import { storeOf } from './stores.ts'

let bucket: BucketUnderTest
let t: TestSites
let site: Site
let own: Connection
let honest: DirectBackups['packed']

beforeAll(async () => {
  bucket = await openBucketUnderTest()
  t = await openTestSites([], { awsS3: bucket.server.url, sends: true })
  site = await t.live('kept', { title: 'Kept' })
  own = await transaction((tx) => connectBucket(tx, 'acme'))
  honest = direct().packed
})
afterEach(() => {
  bucket.faults.length = 0
  Object.assign(direct(), { packed: honest })
})
afterAll(async () => {
  await t?.close()
  await bucket?.close()
})

const transaction = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  t.deps.documents().transaction(systemSession('job'), run)
const read = (name: string) => transaction((tx) => tx.get(SiteBackupDoctype, name)) as Promise<SiteBackup>
/** What the server says of the next archives. */
const says = (change: (sealed: SealedSite) => Partial<SealedSite> | null) =>
  Object.assign(direct(), {
    packed: async (one: Parameters<DirectBackups['packed']>[0]) => {
      const sealed = await honest(one)
      return sealed && { ...sealed, ...change(sealed) }
    },
  })
const direct = (): DirectBackups => {
  const { direct: found } = t.engine.backups
  if (!found) throw new Error('It sends nothing')
  return found
}

async function backedUp(
  store = own.name,
  of = site,
): Promise<{ backup: SiteBackup; job: Awaited<ReturnType<TestSites['end']>> }> {
  const { name, job } = (await t.act(of.name, 'backup', { store })) as { name: string; job: string }
  const ended = await t.end({ job })
  for (const one of await transaction((tx) => tx.list('Job', [['reference_name', '=', name]])))
    await t.end({ job: one.name })
  return { backup: await read(name), job: ended }
}

test('what a server sends is a backup like any other: proven from the bucket, restored, and only its recipient can read it', async () => {
  const { backup, job } = await backedUp()
  expect(job).toMatchObject({ status: 'Done' })
  expect(backup).toMatchObject({ status: 'Ready', proof: 'Proven', chain: backup.name, needs: null })
  const key = `easydash/acme/${site.domain}/${backup.name}.tar.zst.age`
  const object = bucket.state.objects.get(key)
  expect(bucket.state.objects.size).toBe(1)
  expect(object?.content.length).toBe(backup.stored_size)
  expect(object?.checksum).toMatch(/-1$/)
  const store = await transaction((tx) => storeOf(t.deps, tx, backup))
  const identity = await transaction((tx) => tx.secret('Organization', 'acme', 'backup_identity'))
  const archive = await buffer(await decrypted(identity ?? '', await store.read(backup)))
  expect([archive.length, createHash('sha256').update(archive).digest('hex')]).toEqual([backup.size, backup.sha256])
  const restored = (await t.deps
    .documents()
    .runAction(t.owner, 'Site Backup', backup.name, 'restore', { what: 'all' })) as { job: string }
  expect(await t.end(restored)).toMatchObject({ status: 'Done' })
})

test('after a full one a server sends what is new: proven, read by the commands, restored, and whole for as long as it is needed', async () => {
  const { put, wwwOf, read: readOne } = backupsOf(() => t)
  const growing = await t.live('growing')
  await put(growing, 'wp-content/uploads/large.bin', randomBytes(2_000_000))
  const day = async () => {
    t.pass(86_400_000)
    return backedUp(own.name, growing)
  }
  const { backup: full } = await day()
  expect(full).toMatchObject({ proof: 'Proven', chain: full.name, needs: null })
  const made: SiteBackup[] = []
  for (const name of ['first', 'second']) {
    await put(growing, `wp-content/uploads/${name}.bin`, randomBytes(50_000))
    await put(growing, 'wp-content/uploads/changed.txt', name)
    made.push((await day()).backup)
  }
  const [first, second] = made as [SiteBackup, SiteBackup]
  expect(first).toMatchObject({ proof: 'Proven', chain: full.name, needs: [full.name] })
  expect(second).toMatchObject({ proof: 'Proven', chain: full.name, needs: [full.name, first.name] })
  for (const { size, stored_size: stored } of made) {
    expect(size).toBeGreaterThan(2_000_000)
    expect(stored).toBeLessThan(80_000)
  }

  // What it needs stays, and others read it.
  await t.deps.documents().delete(t.owner, 'Site Backup', full.name)
  expect(await readOne(full.name)).toMatchObject({ status: 'Expired' })
  const { content } = (await t.deps
    .documents()
    .runAction({ ...t.owner, reauthAt: Date.now() }, 'Organization', 'acme', 'download_recovery_key', {})) as {
    content: string
  }
  const [key, credentials] = [join(t.folder, 'key.txt'), join(t.folder, 'credentials')]
  await writeFile(key, content)
  await writeFile(
    credentials,
    `AWS_ACCESS_KEY_ID=AKIASIMULATED0000000\nAWS_SECRET_ACCESS_KEY=simulated-secret-key\nAWS_REGION=eu-central-1\nAWS_ENDPOINT_URL_S3=${bucket.server.url}\n`,
  )
  const of = `s3://backups/easydash/acme/growing/`
  const args = ['--key', key, '--credentials', credentials]
  expect(await verifyBackups([of, ...args], () => undefined)).toBe(true)
  const out = join(t.folder, 'extracted')
  await extractBackup([`${of}${second.name}.tar.zst.age`, out, ...args], () => undefined)
  expect(await readFile(join(out, 'files/wp-content/uploads/changed.txt'), 'utf8')).toBe('second')

  await put(growing, 'wp-content/uploads/large.bin', 'lost')
  const restored = (await t.deps
    .documents()
    .runAction(t.owner, 'Site Backup', second.name, 'restore', { what: 'all' })) as { job: string }
  expect(await t.end(restored)).toMatchObject({ status: 'Done' })
  expect((await readFile(wwwOf(growing, 'wp-content/uploads/large.bin'))).length).toBe(2_000_000)

  // What is kept by pieces of another kind is not compared with it, nor the other way.
  t.pass(86_400_000)
  const { direct: sends } = t.engine.backups
  Object.assign(t.engine.backups, { direct: undefined })
  const { backup: fetched } = await backedUp(own.name, growing)
  Object.assign(t.engine.backups, { direct: sends })
  const { backup: after } = await day()
  expect([fetched, after]).toMatchObject([{ needs: null }, { needs: null, proof: 'Proven' }])
  // What a server says that it needs has to be what is kept for it.
  says(({ needs }) => needs && { needs: [...needs, first.name] })
  await put(growing, 'wp-content/uploads/changed.txt', 'third')
  expect((await day()).job).toMatchObject({
    status: 'Failed',
    error_message: expect.stringContaining('no longer kept') as string,
  })
  // And without the list, everything is stored.
  Object.assign(direct(), { packed: honest })
  await rm(join(t.deps.backupsFolder, 'pieces'), { recursive: true })
  expect(await day()).toMatchObject({ backup: { needs: null, proof: 'Proven' } })
})

test('what servers can’t reach gets what passes through here', async () => {
  const before = bucket.server.seen.length
  expect(await backedUp('local')).toMatchObject({ backup: { status: 'Ready', proof: 'Proven', store: 'local' } })
  expect(bucket.server.seen.length).toBe(before)
  bucket.faults.push({ kind: 'quota', on: 'PUT', times: 2 })
  expect(await backedUp()).toMatchObject({ backup: { status: 'Ready', proof: 'Proven', store: own.name } })
  expect([bucket.faults.length, bucket.state.uploads.size]).toEqual([0, 0])
  // Nor does a store whose address only this installation knows.
  const network = { profile: 'operator', addressMap: { 'store.example:443': '127.0.0.1:1' } } as const
  expect(bucket.opened({ endpoint: 'https://store.example' }, network).direct).toBeNull()
  expect(bucket.opened({ endpoint: 'https://store.example:9000' }, network).direct).not.toBeNull()
})

test('what a server says of its archive counts for nothing until it was fetched and compared', async () => {
  says(({ clear }) => ({ clear: { ...clear, sha256: '0'.repeat(64) } }))
  const { backup } = await backedUp()
  expect(backup).toMatchObject({ status: 'Ready', proof: 'Failed' })
  says(({ clear }) => ({ clear: { ...clear, bytes: clear.bytes * 1_000 } }))
  expect(await backedUp()).toMatchObject({ job: { status: 'Failed' }, backup: { status: 'Failed' } })
  says(({ parts }) => ({ parts: parts.map((part) => ({ ...part, md5: '1'.repeat(32) })) }))
  const { job } = await backedUp()
  expect(job).toMatchObject({
    status: 'Failed',
    error_message: expect.stringContaining('is not what was sent') as string,
  })
  expect(bucket.state.uploads.size).toBe(0)
})

test('a part that fails is sent again by a fresh address; a store that refuses, or an upload that cannot end, leaves nothing', async () => {
  const objects = bucket.state.objects.size
  // The first one tries out whether the server can send.
  bucket.faults.push({ kind: 'server_error', on: 'PUT', after: 1, times: 2 })
  expect(await backedUp()).toMatchObject({ job: { status: 'Done' }, backup: { proof: 'Proven' } })
  expect(bucket.state.objects.size).toBe(objects + 1)
  bucket.faults.push({ kind: 'quota', on: 'PUT', after: 1, times: 9 })
  expect(await backedUp()).toMatchObject({
    job: { status: 'Failed', error_message: expect.stringContaining('no room') as string },
  })
  bucket.faults.length = 0
  // A bad disk of the store: the object is not what was sent.
  bucket.faults.push({ kind: 'fail_later', on: 'PUT', after: 1, times: 9 })
  expect(await backedUp()).toMatchObject({ job: { status: 'Failed' } })
  expect([bucket.state.objects.size, bucket.state.uploads.size]).toEqual([objects + 1, 0])
})

test('what was packed and cannot be removed is no reason for a backup to fail, or to look as if it was being made', async () => {
  const { removePacked } = t.engine.backups
  Object.assign(t.engine.backups, { removePacked: () => Promise.reject(new Error('The key was refused')) })
  const failing = await t.live('fail-pack')
  try {
    expect(await backedUp()).toMatchObject({ job: { status: 'Done' }, backup: { status: 'Ready', proof: 'Proven' } })
    const { name, job } = (await t.act(failing.name, 'backup')) as { name: string; job: string }
    expect(await t.end({ job })).toMatchObject({ status: 'Failed' })
    expect(await read(name)).toMatchObject({ status: 'Failed' })
  } finally {
    Object.assign(t.engine.backups, { removePacked })
  }
})

test('a site whose archive failed is not archived with a backup of that time', async () => {
  const last = await t.live('fail-pack-files')
  const asked = { confirm_name: 'fail-pack-files', backup: 1 }
  const { job } = (await t.act(last.name, 'archive', asked)) as { job: string }
  expect(await t.end({ job })).toMatchObject({ status: 'Failed' })
  const finals = () => transaction((tx) => tx.list(SiteBackupDoctype, [['site', '=', last.name]]))
  const [stored] = await finals()
  expect(stored).toMatchObject({ kind: 'final', status: 'Ready' })
  t.pass(86_400_000)
  await t.deps.documents().runAction(t.owner, 'Job', job, 'retry', {})
  const again = await t.end({ job })
  expect(again).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('first attempt') as string })
  const { status, taken_at, sha256 } = stored as SiteBackup
  expect(await finals()).toMatchObject([{ status, taken_at, sha256 }])
  expect(await t.siteNow(last.name)).toMatchObject({ status: 'Live', locked_by_job: null })
})

test('a cancel in the middle of sending ends the upload', async () => {
  const objects = bucket.state.objects.size
  bucket.faults.push({ kind: 'hang', on: 'PUT', after: 1 })
  const hanging = bucket.server.whenHanging()
  const { name, job } = (await t.act(site.name, 'backup', { store: own.name })) as { name: string; job: string }
  await hanging
  await t.deps.documents().runAction(t.owner, 'Job', job, 'cancel', {})
  expect(await t.end({ job })).toMatchObject({ status: 'Cancelled' })
  // Nobody waits for the store.
  await expect.poll(() => read(name), { timeout: 30_000 }).toBeNull()
  expect([bucket.state.objects.size, bucket.state.uploads.size]).toEqual([objects, 0])
})

/** Ends the process: nothing can come after it. */
test('a stop in the middle of sending leaves the parts that are there, for the next process to go on', async () => {
  const large = await t.live('stopped')
  await backupsOf(() => t).put(large, 'wp-content/uploads/large.bin', randomBytes(20_000_000))
  const objects = bucket.state.objects.size
  // After the one that tries out whether the server can send, and the first part.
  bucket.faults.push({ kind: 'hang', on: 'PUT', after: 2 })
  const hanging = bucket.server.whenHanging()
  const { job } = (await t.act(large.name, 'backup', { store: own.name })) as { job: string }
  await hanging
  await t.running.stop()
  const [upload] = bucket.state.uploads
  expect([bucket.state.objects.size, [...(upload?.[1].parts.keys() ?? [])]]).toEqual([objects, [1]])
  const kept = (await transaction((tx) => tx.get(JobDoctype, job)))?.steps?.map((step) => step.kept?.['archive_upload'])
  expect(kept).toContain(upload?.[0])
})
