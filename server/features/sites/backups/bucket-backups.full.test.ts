import { buffer } from 'node:stream/consumers'
import type * as z from 'zod/mini'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Download } from '#server/contracts/files.ts'
import type { MethodContext } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { newObject } from '#server/providers/simulator/bucket-objects.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { backupStores } from '#shared/responses/backups.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { connectBucket } from '#tests/support/buckets.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addMember } from '#tests/support/jobs.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { bucketSweep } from './backup-sweep.ts'
import { downloadBackupMethod } from './download-backup.ts'
import { createAssemblies } from './increments/assemblies.ts'
import { backupStoresMethod } from './store-controllers.ts'

let bucket: BucketUnderTest
let t: TestSites
let site: Site
let own: Connection
let others: Connection

beforeAll(async () => {
  bucket = await openBucketUnderTest()
  t = await openTestSites([], { awsS3: bucket.server.url })
  site = await t.live('kept', { title: 'Kept' })
  const connect = (organization: string) => transaction((tx) => connectBucket(tx, organization))
  own = await connect('acme')
  others = await connect('globex')
})
afterEach(() => {
  bucket.state.isLocked = false
  bucket.faults.length = 0
})
afterAll(async () => {
  await t?.close()
  await bucket?.close()
})

const transaction = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  t.deps.documents().transaction(systemSession('job'), run)
const read = (name: string) => transaction((tx) => tx.get(SiteBackupDoctype, name)) as Promise<SiteBackup>
const act = (backup: string, action: string, args: Record<string, unknown> = {}) =>
  t.deps.documents().runAction(t.owner, 'Site Backup', backup, action, args)
const remove = (backup: string) => t.deps.documents().delete(t.owner, 'Site Backup', backup)
const ended = async (reference: string) => {
  for (const job of await transaction((tx) => tx.list('Job', [['reference_name', '=', reference]])))
    await t.end({ job: job.name })
}

async function backedUp(store?: string): Promise<SiteBackup> {
  const { name, job } = (await t.act(site.name, 'backup', store === undefined ? {} : { store })) as {
    name: string
    job: string
  }
  expect(await t.end({ job })).toMatchObject({ status: 'Done' })
  await ended(name)
  return read(name)
}

const storesFor = async (session: Session, named?: string) => {
  const context = { session, documents: t.deps.documents() } as unknown as MethodContext
  const args = { organization: 'acme', ...(named && { site: named }) }
  return ((await backupStoresMethod.run(args, context)) as z.infer<typeof backupStores>).stores
}

const keyOf = ({ name }: SiteBackup) => `easydash/acme/${site.domain}/${name}.tar.zst.age`
/** Resolves when the store was asked to remove the archive. */
const removed = async (backup: SiteBackup): Promise<SiteBackup | null> => {
  for (;;) {
    const now = await read(backup.name)
    if (now?.status !== 'Expired' || now.error_message !== null) return now
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a backup lies in the bucket, is proven from there, restored, downloaded, and deleted there', async () => {
  const backup = await backedUp(own.name)
  expect(backup).toMatchObject({ status: 'Ready', proof: 'Proven', store: own.name })
  expect([...bucket.state.objects.keys()]).toEqual([keyOf(backup)])
  expect(bucket.state.objects.get(keyOf(backup))?.content.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  expect(bucket.state.objects.get(keyOf(backup))?.content.length).toBe(backup.stored_size)

  const { url } = (await act(backup.name, 'download_link')) as { url: string }
  const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams)
  const download = (await downloadBackupMethod(t.deps, createAssemblies(t.deps)).run(
    query,
    {} as MethodContext,
  )) as Download
  expect((await buffer(download.open())).length).toBe(backup.size)

  expect(await t.end((await act(backup.name, 'restore', { what: 'all' })) as { job: string })).toMatchObject({
    status: 'Done',
  })
  const copy = (await act(backup.name, 'restore', { target: 'new_site', domain: 'again' })) as { job: string }
  expect(await t.end(copy)).toMatchObject({ status: 'Done' })

  await remove(backup.name)
  expect(await removed(backup)).toBeNull()
  expect(bucket.state.objects.size).toBe(0)
})

test('the organization says where backups go, unless a schedule or person does', async () => {
  const set = (store: string) => t.deps.documents().save(t.owner, 'Organization', 'acme', { backup_store: store })
  for (const unknown of [others.name, 'zzzzzzzzzz', '../../tmp']) {
    expect(await rejectionOf(set(unknown))).toMatchObject({ code: 'invalid', field: 'backup_store' })
    expect(await rejectionOf(t.act(site.name, 'backup', { store: unknown }))).toMatchObject({
      code: 'invalid',
      field: 'store',
      message: (await rejectionOf(t.act(site.name, 'backup', { store: 'zzzzzzzzzz' })))?.message,
    })
  }
  await set(own.name)
  expect(await backedUp()).toMatchObject({ store: own.name, proof: 'Proven' })
  expect(await backedUp('local')).toMatchObject({ store: 'local', proof: 'Proven' })
  const schedule = { organization: 'acme', site: site.name, every: 'day', at: '03:00' }
  expect(
    await rejectionOf(t.deps.documents().insert(t.owner, 'Backup Schedule', { ...schedule, store: others.name })),
  ).toMatchObject({ code: 'invalid', field: 'store' })
  await set('local')
})

test('an archive that is damaged or gone fails the proof; a store that cannot be reached does not', async () => {
  const backup = await backedUp(own.name)
  const { content } = bucket.state.objects.get(keyOf(backup)) ?? newObject(Buffer.alloc(0), 0)
  const proven = async () => {
    const { job } = (await act(backup.name, 'prove')) as { job: string }
    const { status, error_message } = await t.end({ job })
    return { ...(await read(backup.name)), job: status, reason: error_message }
  }
  const damaged = Buffer.from(content)
  damaged[damaged.length - 30] = (damaged[damaged.length - 30] ?? 0) ^ 1
  bucket.state.objects.set(keyOf(backup), newObject(damaged, 0))
  expect(await proven()).toMatchObject({ job: 'Done', proof: 'Failed' })
  bucket.state.objects.set(keyOf(backup), newObject(content, 0))
  expect(await proven()).toMatchObject({ job: 'Done', proof: 'Proven' })
  bucket.faults.push({ kind: 'quota', on: 'GET', times: 99 })
  expect(await proven()).toMatchObject({
    job: 'Failed',
    proof: 'Proven',
    reason: expect.stringContaining('no room') as string,
  })
  bucket.faults.length = 0
  bucket.state.objects.delete(keyOf(backup))
  expect(await proven()).toMatchObject({ job: 'Done', proof: 'Failed' })
})

test('a refused deletion is shown on the backup and tried again now and then, not for ever', async () => {
  const backup = await backedUp(own.name)
  bucket.state.isLocked = true
  await remove(backup.name)
  expect(await removed(backup)).toMatchObject({
    status: 'Expired',
    error_message: expect.stringContaining('can’t delete objects') as string,
    removal_tries: 1,
  })
  const sweep = bucketSweep(t.deps)
  const asked = () => bucket.server.seen.filter(({ method }) => method === 'DELETE').length
  let before = asked()
  await sweep.run()
  expect(asked()).toBe(before)
  for (let month = 0; month < 10; month += 1) {
    t.pass(30 * 86_400_000)
    await sweep.run()
  }
  expect(await read(backup.name)).toMatchObject({ status: 'Expired', removal_tries: 10, removal_due: null })
  before = asked()
  await sweep.run()
  expect(asked()).toBe(before)
  bucket.state.isLocked = false
  await remove(backup.name)
  expect(await removed(backup)).toBeNull()
  expect(bucket.state.objects.has(keyOf(backup))).toBe(false)
})

test('a connection whose bucket has backups stays, and says how many they are', async () => {
  const documents = t.deps.documents()
  const backup = await backedUp(own.name)
  const stored = await transaction((tx) => tx.count(SiteBackupDoctype, [['store', '=', own.name]]))
  const words = new RegExp(`^${stored} backups? (?:is|are) stored in this bucket`)
  expect((await rejectionOf(documents.delete(t.owner, 'Connection', own.name)))?.message).toMatch(words)
  const moved = documents.save(t.owner, 'Connection', own.name, { bucket_name: 'elsewhere' })
  expect(await rejectionOf(moved)).toMatchObject({ code: 'invalid', field: 'bucket_name' })
  const listed = await storesFor(t.owner)
  expect(listed.find(({ store }) => store === own.name)?.usage?.backups).toBe(stored)
  expect(listed.map(({ store }) => store)).not.toContain(others.name)
  await remove(backup.name)
  expect(await removed(backup)).toBeNull()
})

test('a bucket has a price with its currency, and each site its share; who reads one site learns nothing of others', async () => {
  const documents = t.deps.documents()
  const price = (values: Record<string, unknown>) => documents.save(t.owner, 'Connection', own.name, values)
  expect(await rejectionOf(price({ bucket_price: 0.02 }))).toMatchObject({ field: 'bucket_price_currency' })
  expect(await rejectionOf(price({ bucket_price: -1, bucket_price_currency: 'EUR' }))).toMatchObject({
    field: 'bucket_price',
  })
  await price({ bucket_price: 0.02, bucket_price_currency: 'EUR' })
  const other = await t.live('elsewhere')
  const ofBucket = async (...of: Parameters<typeof storesFor>) =>
    (await storesFor(...of)).find(({ store }) => store === own.name)
  const before = (await ofBucket(t.owner, site.name))?.usage
  const backup = await backedUp(own.name)
  const email = 'mia@acme.example'
  await transaction((tx) => addMember(tx, 'acme', { email, name: 'Mia', role: 'Organization User' }))
  const mia = sessionOf(email, 'acme')
  expect(await ofBucket(t.owner, site.name)).toMatchObject({
    usage: { backups: (before?.backups ?? 0) + 1, bytes: (before?.bytes ?? 0) + (backup.stored_size ?? 0) },
    price: { amount: 0.02, currency: 'EUR' },
  })
  expect(await ofBucket(t.owner, other.name)).toMatchObject({ usage: { backups: 0, bytes: 0 } })
  expect(await ofBucket(mia)).toMatchObject({ usage: null, price: null })
  expect(await rejectionOf(storesFor(mia, other.name))).toMatchObject({ code: 'forbidden' })
  await remove(backup.name)
  expect(await removed(backup)).toBeNull()
})

test('the sweep removes what failed backups left, and counts what is not ours', async () => {
  const failing = await t.live('fails')
  bucket.faults.push({ kind: 'quota', on: 'PUT', times: 9 })
  const { name, job } = (await t.act(failing.name, 'backup', { store: own.name })) as { name: string; job: string }
  expect(await t.end({ job })).toMatchObject({
    status: 'Failed',
    error_message: expect.stringContaining('no room') as string,
  })
  expect(await read(name)).toMatchObject({ status: 'Failed' })
  const left = `easydash/acme/fails/${name}.tar.zst.age`
  const strange = 'easydash/acme/fails/zzzzzzzzzz.tar.zst.age'
  for (const key of [left, strange]) bucket.state.objects.set(key, newObject(Buffer.from('12345'), 0))
  bucket.state.uploads.set('left', { key: left, at: 0, parts: new Map() })
  // What the store refuses to delete keeps nothing from being counted.
  bucket.state.isLocked = true
  await bucketSweep(t.deps).run()
  expect(bucket.state.objects.has(left)).toBe(true)
  expect(await transaction((tx) => tx.get(ConnectionDoctype, own.name))).toMatchObject({
    unknown_archives: { count: 1, bytes: 5 },
  })
  bucket.state.isLocked = false
  await bucketSweep(t.deps).run()
  expect(bucket.state.objects.has(left)).toBe(false)
  expect(bucket.state.objects.has(strange)).toBe(true)
  expect(bucket.state.uploads.size).toBe(0)
})
