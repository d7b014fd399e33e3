import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '#server/contracts/transaction.ts'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Connection } from '#shared/doctypes/connection.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openBucketUnderTest, type BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import { connectBucket, expectStored } from '#tests/support/buckets.ts'
import { expectDone, killAndCancel, openEeKills, type EeKills } from '#tests/support/ee-kills.ts'
import { until } from '#tests/support/jobs.ts'

/** kill -9 of the process while a server sends its archive to a bucket, alone and before a change of its site. */

/** Many processes start, one after the other. */
const timeout = 1_800_000

let bucket: BucketUnderTest
let t: EeKills
let live: Site
let own: Connection

beforeAll(async () => {
  bucket = await openBucketUnderTest()
  t = await openEeKills({ awsS3: bucket.server.url })
  live = await t.makeLive('live.example.com', 'Live')
  own = await transaction((tx) => connectBucket(tx, 'acme'))
}, 600_000)
afterAll(async () => {
  await t?.close()
  await bucket?.close()
})

const transaction = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  t.running.documents.transaction(systemSession(), run)
const backups = () =>
  transaction((tx) => tx.list(SiteBackupDoctype, [['site', '=', live.name]], { order_by: 'creation desc' }))
/** The numbers of the parts that arrived, in order. */
const sent = () =>
  bucket.server.seen.flatMap(({ method, path }) =>
    method === 'PUT' ? [Number(new URL(path, 'http://store').searchParams.get('partNumber'))] : [],
  )

test(
  'an upload whose process is killed goes on with the parts that are missing',
  async () => {
    await t.write(live, 'wp-content/uploads/small.txt', 'small')
    await writeFile(t.path(live, 'wp-content/uploads/large.bin'), randomBytes(36_000_000))
    const { job } = await t.act(live, 'backup', { store: own.name })
    // The first one tries out whether the server can send.
    bucket.faults.push({ kind: 'hang', on: 'PUT', after: 3 })
    const hanging = bucket.server.whenHanging()
    await t.killAt('', job, async (kill) => {
      await hanging
      await until(t.running.documents, JobDoctype, job, (now) =>
        Boolean(now?.steps?.some(({ kept }) => typeof kept?.['archive_upload'] === 'string')),
      )
      kill()
    })
    bucket.server.dropConnections()
    expect(sent()).toEqual([1, 1, 2, 3])
    expectDone(await t.work(job))
    expect(sent()).toEqual([1, 1, 2, 3, 3])
    const all = await backups()
    expect(all).toMatchObject([{ status: 'Ready' }])
    await expectStored(bucket, all, transaction)
    await t.expectAtRest([live.name])
  },
  timeout,
)

/** The steps of the backup, and where the change begins. */
const type = 'site.change_domain'
const at = (moment: string, step: string) => crashPointName(type, moment, step)
const change = (domain: string) => t.act(live, 'change_domain', { domain, old_domain: 'remove' })

test(
  'a change of a site on a server that is killed now and then begins with one backup, which is restored',
  async () => {
    await transaction((tx) =>
      tx.insert('Backup Schedule', {
        organization: 'acme',
        site: live.name,
        store: own.name,
        every: 'day',
        at: '03:00',
      }),
    )
    const [before, count] = [await t.fingerprint(live), (await backups()).length]
    const steps = ['backup', 'backup_pack', 'backup_store', 'backup_keep']
    const points = [...steps.map((step) => at('after-run', step)), crashPointName(type, 'before-done')]
    expectDone(await t.work((await change('moved.example.com')).job, points))
    live = (await t.siteNow(live.name)) as Site
    expect(live).toMatchObject({ domain: 'moved.example.com' })
    await t.expectAtRest([live.name])
    const all = await backups()
    expect(all).toHaveLength(count + 1)
    // Of what changed since the first one.
    const needs = [all[1]?.name]
    expect(all[0]).toMatchObject({ kind: 'before a change', status: 'Ready', site_domain: 'live.example.com', needs })
    await expectStored(bucket, all, transaction)

    await t.write(live, 'wp-content/uploads/small.txt', 'changed')
    const backup = { doctype: 'Site Backup', name: all[0]?.name ?? '' }
    expectDone(await t.work((await t.act(backup, 'restore', { what: 'files' })).job))
    expect(await t.read(live, 'wp-content/uploads/small.txt')).toBe('small')
    expectDone(await t.work((await t.act(backup, 'undo_restore')).job))
    expect(await t.read(live, 'wp-content/uploads/small.txt')).toBe('changed')
    await t.write(live, 'wp-content/uploads/small.txt', 'small')
    const files = (all_: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(all_).filter(([name]) => name.includes('uploads')))
    expect(files(await t.fingerprint(live))).toEqual(files(before))
  },
  timeout,
)

test.each([
  ['when its backup is packed', at('after-run', 'backup_pack'), 0],
  ['when its backup is ready', at('after-run', 'backup_keep'), 1],
])(
  'a change of a site on a server that is killed %s and then canceled is not made',
  async (_when, point, kept) => {
    const [before, count] = [await t.fingerprint(live), (await backups()).length]
    const { job } = await change('elsewhere.example.com')
    await killAndCancel(t, { job, point })
    expect(await t.siteNow(live.name)).toMatchObject({ domain: live.domain })
    await t.expectAtRest([live.name])
    expect(await t.fingerprint(live)).toEqual(before)
    const all = (await backups()).filter(({ status }) => status !== 'Expired')
    expect(all).toHaveLength(count + kept)
    await expectStored(bucket, all, transaction)
  },
  timeout,
)
