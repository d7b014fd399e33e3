import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import {
  afterEachEffect,
  beforeEachEffect,
  expectDone,
  openBackupKills,
  type BackupKills,
  type Fingerprint,
} from '#tests/support/backup-kills.ts'
import { wwwOf } from '#tests/support/local-content.ts'
import type { LocalProcess } from '#tests/support/local-process.ts'

/**
 * kill -9 of the process before and after the effect of each step while a real site is restored, and while that is taken back: the job
 * goes on after each restart and ends, or is canceled; meanwhile the site answers its old state or its new one, or keeps visitors out.
 */

/** Many processes start, one after the other. */
const timeout = 1_800_000

let t: BackupKills
let backup: SiteBackup
/** The site as it is in the backup, and as it was before that was restored. */
let states: { readonly backedUp: Fingerprint; readonly changed: Fingerprint }

beforeAll(async () => {
  t = await openBackupKills()
  backup = await t.backUp()
  const backedUp = await t.fingerprint()
  states = { backedUp, changed: backedUp }
}, 600_000)
afterAll(() => t?.close())

const restoring = () => ({ doctype: 'Site Backup', name: backup.name, action: 'restore', args: { what: 'all' } })

let changes = 0
/** Makes the site differ from its backup in files and database. */
async function change(): Promise<void> {
  changes += 1
  const www = wwwOf(t.kills.now.fixture, t.site)
  await writeFile(join(www, 'wp-content', 'later.txt'), `later ${changes}`)
  const code = `<?php require '/wordpress/wp-load.php'; wp_insert_post(array('post_title' => 'Later', 'post_status' => 'publish')); wp_delete_post(1, true); echo 'changed';`
  await writeFile(join(www, `change${changes}.php`), code)
  expect((await t.kills.now.fixture.fetch(t.site, `/change${changes}.php`)).body).toBe('changed')
  states = { ...states, changed: await t.fingerprint() }
  expect(states.changed).not.toEqual(states.backedUp)
}

/** What visitors get while nothing goes on: one state or the other, or the page that keeps them out. */
async function expectOneState(killed: string, look: () => Promise<LocalProcess>): Promise<void> {
  // Until then only the copy of the backup is worked with.
  if (/\/(?:claimed|fetch|rehearse_\w+)|local\.import/.test(killed)) return
  const process = await look()
  const { status } = await process.fixture.fetch(t.site, '/')
  if (status === 503) return
  expect(status).toBe(200)
  expect(Object.values(states)).toContainEqual(await t.fingerprint(process))
}

const within = {
  rehearse_unpack: ['local.import/placed'],
  rehearse_import_database: ['local.import/part-imported'],
  copy_files: ['local.push/dumped', 'local.push/served-moved'],
  open: ['local.push/rollback-removed', 'local.push/before-kept'],
}
const withinUndo = { swap: ['local.push/given-up', 'local.push/brought-back'] }

test.each([
  ['before each effect', beforeEachEffect('site.restore_backup'), beforeEachEffect('site.undo_restore')],
  [
    'after each effect',
    afterEachEffect('site.restore_backup', within),
    afterEachEffect('site.undo_restore', withinUndo),
  ],
  ['when both folders are moved', ['local.push/new-moved'], []],
])(
  'a restore that is killed %s, and its way back, end; visitors see one state or the other',
  async (_when, points, wayBack) => {
    await change()
    expectDone(await t.kills.killAtEach('site.restore_backup', points, restoring(), expectOneState))
    await t.expectAtRest()
    expect(await t.fingerprint()).toEqual(states.backedUp)
    const undo = { doctype: 'Site Backup', name: backup.name, action: 'undo_restore' }
    expectDone(
      wayBack.length === 0
        ? await t.kills.job(undo)
        : await t.kills.killAtEach('site.undo_restore', wayBack, undo, expectOneState),
    )
    await t.expectAtRest()
    expect(await t.fingerprint()).toEqual(states.changed)
  },
  timeout,
)

test.each([
  ['before it is put in place', crashPointName('site.restore_backup', 'after-run', 'rehearse_ready')],
  ['between the two moves', 'local.push/served-moved'],
  ['when it is in place', crashPointName('site.restore_backup', 'after-run', 'copy_files')],
  ['before visitors are let in', crashPointName('site.restore_backup', 'after-run', 'check_page')],
])(
  'a restore that is killed %s and then canceled leaves the site as it was',
  async (_when, point) => {
    await change()
    const type = 'site.restore_backup'
    const points = [point, ...cancelCrashPoints.map((moment) => crashPointName(type, moment))]
    const job = await t.kills.killAtEach(type, points, restoring(), async (killed, look) => {
      await expectOneState(killed, look)
      if (killed === point) await t.cancel(await look(), type)
    })
    expect(job.status).toBe('Cancelled')
    await t.expectAtRest()
    expect(await t.fingerprint()).toEqual(states.changed)
  },
  timeout,
)
