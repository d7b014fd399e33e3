import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '#server/contracts/transaction.ts'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { expectDone, openBackupKills, type BackupKills } from '#tests/support/backup-kills.ts'
import { connectBucket, expectStored } from '#tests/support/buckets.ts'
import { wwwOf } from '#tests/support/local-content.ts'

/** kill -9 of the process while this machine sends the archive of a site to a bucket. */

/** Many processes start, one after the other. */
const timeout = 1_800_000
const type = 'site.backup'

let bucket: BucketUnderTest
let t: BackupKills
let store: string

beforeAll(async () => {
  bucket = await openBucketUnderTest()
  t = await openBackupKills({ awsS3: bucket.server.url })
  store = (await transaction((tx) => connectBucket(tx, 'acme'))).name
  await writeFile(join(wwwOf(t.kills.now.fixture, t.site), 'wp-content', 'large.bin'), randomBytes(36_000_000))
}, 300_000)
afterAll(async () => {
  await t?.close()
  await bucket?.close()
})

const transaction = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  t.kills.now.running.documents.transaction(systemSession(), run)
const backing = () => ({ name: t.site.name, action: 'backup', args: { store } })

/** The bucket has the archives of the backups, each as it was packed, and after the sweep nothing else. */
async function expectProven(): Promise<void> {
  await expect
    .poll(async () => (await t.backups()).every((one) => one.proof === 'Proven' && one.locked_by_job === null), {
      timeout: 300_000,
    })
    .toBe(true)
  // As if they had been begun two days ago.
  for (const upload of bucket.state.uploads.values()) Object.assign(upload, { at: Date.now() - 48 * 3_600_000 })
  await t.sweep()
  const all = await t.backups()
  for (const backup of all)
    expect(backup).toMatchObject({ status: 'Ready', proof: 'Proven', store, locked_by_job: null })
  await expectStored(bucket, all, transaction)
  for (const folder of ['store', 'work']) expect(await t.inFolder(folder)).toEqual([])
}

test(
  'a backup whose process is killed while it sends a part, and when all are sent, is there once and proven',
  async () => {
    const before = await t.fingerprint()
    bucket.faults.push({ kind: 'hang', on: 'PUT', after: 2 })
    const hanging = bucket.server.whenHanging()
    const job = await t.kills.killAt(type, '', backing(), async (kill) => {
      await hanging
      kill()
      bucket.server.dropConnections()
    })
    expectDone(job)
    await expectProven()
    const points = ['after-intent', 'after-run'].map((moment) => crashPointName(type, moment, 'store'))
    expectDone(await t.kills.killAtEach(type, [...points, crashPointName(type, 'before-done')], backing()))
    await expectProven()
    expect(await t.backups()).toHaveLength(2)
    expect(await t.fingerprint()).toEqual(before)
  },
  timeout,
)

test(
  'one that is killed while it sends, and then canceled, leaves nothing',
  async () => {
    const [before, count] = [await t.fingerprint(), (await t.backups()).length]
    const point = crashPointName(type, 'after-run', 'store')
    const job = await t.kills.killAtEach(type, [point], backing(), async (_killed, look) => {
      await t.cancel(await look(), type)
    })
    expect(job.status).toBe('Cancelled')
    await expectProven()
    expect(await t.backups()).toHaveLength(count)
    expect(await t.fingerprint()).toEqual(before)
  },
  timeout,
)
