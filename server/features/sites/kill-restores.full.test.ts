import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mysqlCapability } from '#server/engines/local/mysql/local-mysql.ts'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
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

const isMysqlInstalled = mysqlCapability(await findMysql(), null).supported

/** Many processes start, one after the other. */
const timeout = 1_800_000

const type = 'site.restore_backup'
const within = {
  rehearse_unpack: ['local.import/placed'],
  rehearse_import_database: ['local.import/part-imported'],
  copy_files: ['local.push/dumped', 'local.push/served-moved'],
  open: ['local.push/rollback-removed', 'local.push/before-kept'],
}
const withinUndo = { swap: ['local.push/given-up', 'local.push/brought-back'] }
const afterRun = (step: string) => crashPointName(type, 'after-run', step)
const afterIntent = (step: string) => crashPointName(type, 'after-intent', step)

/** Where the process is killed; on MySQL, where that differs. */
interface Kind {
  readonly database: SiteDatabaseKind
  readonly killed: readonly (readonly [when: string, points: readonly string[], wayBack: readonly string[]])[]
  readonly canceled: readonly (readonly [when: string, point: string])[]
}

const onSqlite: Kind = {
  database: 'sqlite',
  killed: [
    ['before each effect', beforeEachEffect(type), beforeEachEffect('site.undo_restore')],
    ['after each effect', afterEachEffect(type, within), afterEachEffect('site.undo_restore', withinUndo)],
    ['when both folders are moved', ['local.push/new-moved'], []],
  ],
  canceled: [
    ['before it is put in place', afterRun('rehearse_ready')],
    ['between the two moves', 'local.push/served-moved'],
    ['when it is in place', afterRun('copy_files')],
    ['before visitors are let in', afterRun('check_page')],
  ],
}

const onMysql: Kind = {
  database: 'mysql',
  killed: [
    ['while it is made', ['local.import/part-imported', 'local.push/dumped', 'local.push/new-moved'], []],
    [
      'before its tables are in place',
      [afterIntent('copy_database'), 'local.restore/defined'],
      ['local.push/given-up'],
    ],
    ['when its tables are in place', ['local.restore/taken', afterRun('copy_database')], ['local.mysql/cleared']],
    ['at its end', [afterRun('replace_urls'), 'local.push/dump-kept'], ['local.push/brought-back']],
  ],
  canceled: [
    ['before its tables are in place', 'local.restore/defined'],
    ['when its tables are in place', 'local.restore/taken'],
    ['before visitors are let in', afterRun('check_page')],
  ],
}

let t: BackupKills
let backup: SiteBackup
/** The site as it is in the backup, and as it was before that was restored. */
let states: { readonly backedUp: Fingerprint; readonly changed: Fingerprint }

/** Without the backup before: `kill-first-backups.full.test.ts` kills that. */
const restoring = () => ({
  ...{ doctype: 'Site Backup', name: backup.name, action: 'restore', args: { what: 'all', backup_first: 0 } },
})

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

describe.each(isMysqlInstalled ? [onSqlite, onMysql] : [onSqlite])(
  'on $database',
  ({ database, killed: killedAt, canceled }) => {
    beforeAll(async () => {
      t = await openBackupKills(database === 'mysql' ? { mysql: { url: null } } : {}, database)
      backup = await t.backUp()
      const backedUp = await t.fingerprint()
      states = { backedUp, changed: backedUp }
    }, 600_000)
    afterAll(() => t?.close())

    test.each(killedAt)(
      'a restore that is killed %s, and its way back, end; visitors see one state or the other',
      async (_when, points, wayBack) => {
        await change()
        expectDone(await t.kills.killAtEach(type, points, restoring(), expectOneState))
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

    test.each(canceled)(
      'a restore that is killed %s and then canceled leaves the site as it was',
      async (_when, point) => {
        await change()
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
  },
)
