import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestReleases, type TestReleases } from '#server/engines/local/wordpress-core/releases-fixture.ts'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { siteRef } from './engine-of.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import {
  afterEachEffect,
  beforeEachEffect,
  expectDone,
  openBackupKills,
  type BackupKills,
} from '#tests/support/backup-kills.ts'

/**
 * kill -9 of the process while a real site is backed up before a change: afterwards the change is made and the state before it is stored
 * once, or it was canceled and nothing is left but a backup that was ready.
 */

/** Many processes start, one after the other. */
const timeout = 1_800_000
const type = 'site.change_core'

let t: BackupKills
let releases: TestReleases
let versions = 0

beforeAll(async () => {
  releases = await startTestReleases()
  t = await openBackupKills({ cacheDir: releases.cacheDir, wordpressOrgUrl: releases.url })
  // All backups are kept: the sweep would delete those of the same day.
  const kept = { keep_daily: 0, keep_weekly: 0, keep_monthly: 0 }
  const schedule = { organization: 'acme', site: t.site.name, ...kept }
  await t.kills.now.running.documents.insert(t.kills.owner, 'Backup Schedule', schedule)
}, 300_000)
afterAll(async () => {
  await t?.close()
  await releases?.close()
})

const versionNow = async (): Promise<string | null> =>
  (await t.kills.now.fixture.engine.wordpress.inspect(siteRef(t.site, thisMachine))).version
/** A change to a version that did not exist before. */
function change(): { readonly version: string; readonly asked: { name: string; action: string; args: object } } {
  versions += 1
  const version = `6.${90 + versions}`
  releases.add(version, () => ({ 'new-file.php': `<?php // ${version}` }))
  return { version, asked: { name: t.site.name, action: 'set_core', args: { version } } }
}

/** All moments in the long run, a few in others. */
const isLong = process.env['EASYDASH_TEST_LONG'] === '1'
const inStore = ['backups.store/written', 'backups.store/stored']
const at = (step: string) => crashPointName(type, 'after-run', step)

test.each(
  isLong
    ? [
        ['before each effect', beforeEachEffect(type)],
        ['after each effect', afterEachEffect(type, { backup_store: inStore })],
      ]
    : [['now and then', [at('backup'), ...inStore, at('backup_keep'), at('replace')]]],
)(
  'a change that is killed %s is made, with one backup of the state before, which can be had again',
  async (_when, points) => {
    const [before, was, count] = [await t.fingerprint(), await versionNow(), (await t.backups()).length]
    const { version, asked } = change()
    expectDone(await t.kills.killAtEach(type, points, asked))
    await t.expectAtRest()
    expect(await versionNow()).toBe(version)
    const all = await t.backups()
    expect(all).toHaveLength(count + 1)
    expect(all[0]).toMatchObject({ proof_detail: [], proof: 'Proven', status: 'Ready', wordpress_version: was })
    expect(all[0]).toMatchObject({ kind: 'before a change' })
    const changed = await t.fingerprint()
    const doctype = 'Site Backup'
    const restore = { doctype, name: all[0]?.name ?? '', action: 'restore', args: { what: 'all' } }
    expectDone(await t.kills.job(restore))
    expect(await versionNow()).toBe(was)
    expect(await t.fingerprint()).toEqual(before)
    expectDone(await t.kills.job({ ...restore, action: 'undo_restore', args: {} }))
    expect(await versionNow()).toBe(version)
    expect(await t.fingerprint()).toEqual(changed)
    await t.expectAtRest()
  },
  timeout,
)

test.each([
  ['when its backup has begun', at('backup'), 0],
  ['in the middle of it', at('replace'), 1],
  ...(isLong
    ? ([
        ['when its backup is packed', at('backup_pack'), 0],
        ['while its backup is stored', 'backups.store/written', 0],
        ['when its backup is stored', at('backup_store'), 0],
        ['when its backup is ready', at('backup_keep'), 1],
      ] as const)
    : []),
] as const)(
  'a change that is killed %s and then canceled is not made',
  async (_when, point, kept) => {
    const [before, was, count] = [await t.fingerprint(), await versionNow(), (await t.backups()).length]
    const points = [point, ...cancelCrashPoints.map((moment) => crashPointName(type, moment))]
    const job = await t.kills.killAtEach(type, points, change().asked, async (killed, look) => {
      if (killed === point) await t.cancel(await look(), type)
    })
    expect(job.status).toBe('Cancelled')
    await t.sweep()
    await t.expectAtRest()
    expect(await versionNow()).toBe(was)
    expect(await t.fingerprint()).toEqual(before)
    expect(await t.backups()).toHaveLength(count + kept)
  },
  timeout,
)

test(
  'a restore that is killed now and then is made, with one backup of the state before',
  async () => {
    const restoring = 'site.restore_backup'
    const [newest] = await t.backups()
    const asked = { doctype: 'Site Backup', name: newest?.name ?? '', action: 'restore', args: { what: 'all' } }
    expectDone(await t.kills.job(asked))
    const [wanted, count] = [await t.fingerprint(), (await t.backups()).length]
    expectDone(await t.kills.job({ name: t.site.name, action: 'set_core', args: { version: change().version } }))
    const changed = await t.fingerprint()
    const points = [
      ...['backup', 'backup_pack', 'backup_keep', 'copy_files'].map((step) =>
        crashPointName(restoring, 'after-run', step),
      ),
      crashPointName(restoring, 'before-done'),
    ]
    expectDone(await t.kills.killAtEach(restoring, points, asked))
    await t.expectAtRest()
    expect(await t.fingerprint()).toEqual(wanted)
    const all = await t.backups()
    expect(all).toHaveLength(count + 2)
    expect(all[0]).toMatchObject({ kind: 'before a change', proof: 'Proven', status: 'Ready' })
    expectDone(await t.kills.job({ ...asked, action: 'undo_restore', args: {} }))
    expect(await t.fingerprint()).toEqual(changed)
  },
  timeout,
)
