import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { keepEasyEngineBackups } from '#tests/support/ee-backups.ts'
import { openEeKills, expectDone, type EeKills } from '#tests/support/ee-kills.ts'
import { watchPrograms, type Moments } from '#tests/support/ee-moments.ts'

/** kill -9 of the process, and of the server, while EasyEngine restores a backup of its own: the job goes on, and EasyEngine restores once. */

/** Many processes start, one after the other. */
const timeout = 1_800_000

const type = 'site.restore_imported'
let t: EeKills
let moments: Moments
let live: Site
let backup: string
/** What EasyEngine had restored when that was counted last. */
let restored = 0

beforeAll(async () => {
  t = await openEeKills()
  moments = await watchPrograms(t.server)
  live = await t.makeLive('live.example.com', 'Live')
  await keepEasyEngineBackups(t.server)
  await t.server.ee('site', 'backup', live.domain)
  const [id = ''] = await readdir(join(t.server.root, 'var/lib/simulated/rclone/store/bucket', live.domain))
  const made = await transaction((tx) =>
    tx.insert(SiteBackupDoctype.name, {
      ...{ organization: 'acme', site: live.name, site_domain: live.domain, site_type: 'wp', server: live.server },
      ...{ kind: 'imported', store: 'easyengine', status: 'Ready', reported_as: `${live.name}-1` },
      ...{ remote_path: `bucket/${live.domain}/${id}`, counts: { posts: 1, pages: 1, users: 1, themes: 1 } },
    }),
  )
  backup = made.name
}, 600_000)
afterAll(() => t?.close())

const transaction = <T>(run: (tx: Tx) => Promise<T>): Promise<T> =>
  t.running.documents.transaction(systemSession(), run)
const restore = () => t.act({ doctype: 'Site Backup', name: backup }, 'restore')
const at = (moment: string, step: string) => crashPointName(type, moment, step)
/** Of EasyEngine, since this was asked last. */
async function restores(): Promise<number> {
  const all = (await t.server.effects()).filter((line) => line.startsWith('restore ')).length
  const before = restored
  restored = all
  return all - before
}

/** Makes the site differ from its backup in files and database. */
async function change(): Promise<void> {
  await t.write(live, 'wp-content/later.txt', 'later')
  const content = await t.readDatabase(live)
  content.options['blogname'] = 'Changed'
  await t.writeDatabase(live, content)
}
const seen = async () => [(await t.readDatabase(live)).options['blogname'], await t.read(live, 'wp-content/later.txt')]
async function expectBacked(count: number): Promise<void> {
  await t.expectAtRest([live.name])
  const all = await transaction((tx) => tx.list(SiteBackupDoctype, [['site', '=', live.name]]))
  expect(all.filter(({ kind }: SiteBackup) => kind === 'before a change')).toHaveLength(count)
  for (const one of all) expect(one).toMatchObject({ status: 'Ready' })
}

/** The last thing that the script does in the site, after EasyEngine. */
const placing = '^docker exec .*rm -rf wp-content/easydash-login'

test(
  'a process that is killed before and after the restore, and a server that is rebooted in it, go on: EasyEngine restores once',
  async () => {
    await change()
    await moments.plan({ what: 'reboot', when: 'before', call: placing })
    expectDone(await t.work((await restore()).job, [at('after-intent', 'restore'), at('after-run', 'restore')]))
    expect(await moments.hasCome()).toBe(true)
    await moments.clear()
    expect(await seen()).toEqual(['Live', null])
    expect(await restores()).toBe(1)
    await expectBacked(1)
  },
  timeout,
)

test(
  'one that is killed and canceled while EasyEngine is at it follows it to its end, and says what the site is like',
  async () => {
    await change()
    const { job } = await restore()
    await t.killAt(at('after-record', 'begin'), job)
    await moments.plan({ what: 'pause', when: 'before', call: placing })
    await t.killAt('', job, async (kill) => {
      await moments.come()
      kill()
    })
    await t.cancel(job)
    await moments.clear()
    expect(await t.work(job)).toMatchObject({ status: 'Cancelled', error_message: null })
    // It had been done by then.
    expect(await seen()).toEqual(['Live', null])
    expect(await restores()).toBe(1)
    await expectBacked(2)
    expect(await t.server.violations()).toEqual([])
  },
  timeout,
)
