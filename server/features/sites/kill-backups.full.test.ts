import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import {
  afterEachEffect,
  beforeEachEffect,
  expectDone,
  openBackupKills,
  type BackupKills,
} from '#tests/support/backup-kills.ts'

/**
 * kill -9 of the process before and after the effect of each step while a real site is backed up, and while its backup is proven: the job
 * goes on after each restart and ends, or is canceled; the site stays as it is, and nothing is left lying around.
 */

/** Many processes start, one after the other. */
const timeout = 1_800_000

let t: BackupKills

beforeAll(async () => {
  t = await openBackupKills()
}, 300_000)
afterAll(() => t?.close())

const backing = () => ({ name: t.site.name, action: 'backup' })

test.each([
  ['before each effect', beforeEachEffect('site.backup')],
  ['after each effect', afterEachEffect('site.backup', { store: ['backups.store/written', 'backups.store/stored'] })],
])(
  'a backup that is killed %s is made once, is proven, and changes nothing',
  async (_when, points) => {
    const [before, count] = [await t.fingerprint(), (await t.backups()).length]
    expectDone(await t.kills.killAtEach('site.backup', points, backing()))
    await t.expectAtRest()
    const all = await t.backups()
    expect(all).toHaveLength(count + 1)
    expect(all[0]).toMatchObject({ status: 'Ready', proof: 'Proven', proof_detail: [] })
    expect(await t.fingerprint()).toEqual(before)
  },
  timeout,
)

test.each([
  ['as it begins', crashPointName('site.backup', 'after-intent', 'pack')],
  ['when it is packed', crashPointName('site.backup', 'after-run', 'pack')],
  ['while it is stored', 'backups.store/written'],
  ['when it is stored', 'backups.store/stored'],
])(
  'a backup that is killed %s and then canceled leaves nothing',
  async (_when, point) => {
    const [before, count] = [await t.fingerprint(), (await t.backups()).length]
    const points = [point, ...cancelCrashPoints.map((moment) => crashPointName('site.backup', moment))]
    const job = await t.kills.killAtEach('site.backup', points, backing(), async (killed, look) => {
      if (killed === point) await t.cancel(await look(), 'site.backup')
    })
    expect(job.status).toBe('Cancelled')
    await t.sweep()
    await t.expectAtRest()
    expect(await t.backups()).toHaveLength(count)
    expect(await t.fingerprint()).toEqual(before)
  },
  timeout,
)

test.each([
  ['before each effect', beforeEachEffect('site.prove_backup')],
  [
    'after each effect',
    afterEachEffect('site.prove_backup', {
      unpack: ['local.import/placed'],
      import_database: ['local.import/part-imported'],
    }),
  ],
])(
  'a proof that is killed %s ends in its verdict, and changes nothing',
  async (_when, points) => {
    const before = await t.fingerprint()
    const backup = (await t.backups())[0] ?? (await t.backUp())
    const asked = { doctype: 'Site Backup', name: backup.name, action: 'prove' }
    expectDone(await t.kills.killAtEach('site.prove_backup', points, asked))
    await t.expectAtRest()
    const now = (await t.backups()).find(({ name }) => name === backup.name)
    expect(now).toMatchObject({ proof: 'Proven', proof_detail: [] })
    expect(now?.proved_at).not.toBe(backup.proved_at)
    expect(now?.proof_seen).toEqual((now?.proof_seen ?? []).map((one) => ({ ...one, found: one.expected })))
    expect(await t.fingerprint()).toEqual(before)
  },
  timeout,
)
