import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listNames } from '#server/platform/files/list-folder.ts'
import { systemSession } from '#server/jobs/session.ts'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { LocalProcess } from '#tests/support/local-process.ts'
import { untilEnded } from '#tests/support/jobs.ts'
import { fingerprintOf } from '#tests/support/local-content.ts'
import { openLocalKills, type LocalKills } from '#tests/support/local-kills.ts'

/**
 * kill -9 of the process after the effect of each step while a real site is backed up and while its backup is proven: the job goes on
 * after each restart and ends, the site stays as it is, and nothing is left lying around.
 */

const jobs = {
  'site.backup': ['begin', 'pack', 'store', 'remove'],
  'site.prove_backup': [
    'fetch',
    'prepare_core',
    'unpack',
    'import_database',
    'replace_urls',
    'ready',
    'judge',
    'screenshot',
    'clean_up',
  ],
} as const
type Type = keyof typeof jobs
/** `within` has what is written between the steps, before the end of a step. */
const afterEach = (type: Type, within: Readonly<Record<string, readonly string[]>>) => [
  ...jobs[type].flatMap((step) => [...(within[step] ?? []), crashPointName(type, 'after-run', step)]),
  crashPointName(type, 'after-done'),
]

/** Many processes start, one after the other. */
const timeout = 1_800_000

let t: LocalKills
let live: Site

beforeAll(async () => {
  t = await openLocalKills()
  live = await t.makeLive()
}, 300_000)
afterAll(() => t?.close())

const fingerprint = () => fingerprintOf(t.now.fixture, live)
const transaction: LocalProcess['running']['documents']['transaction'] = (session, run) =>
  t.now.running.documents.transaction(session, run)
const backups = () => transaction(systemSession(), (tx) => tx.list(SiteBackupDoctype, [['site', '=', live.name]]))
const inFolder = (name: string) => listNames(join(t.place.dataDir, 'backups', name))

/** What every job leaves behind: one site at rest, and an archive with its lists for the one backup. */
async function expectAtRest(): Promise<void> {
  for (const job of await transaction(systemSession(), (tx) => tx.list(JobDoctype, [])))
    await untilEnded(t.now.running.documents, job.name)
  expect(await t.siteNow(live.name)).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null })
  expect((await t.now.fixture.fetch(live, '/')).status).toBe(200)
  expect(await t.leftovers(live)).toEqual([])
  expect(await readdir(join(t.place.dataDir, 'local', 'sites'))).toEqual([live.name])
  const all = await backups()
  expect(all).toMatchObject([{ status: 'Ready', locked_by_job: null, proof: 'Proven', proof_detail: [] }])
  expect(await inFolder('work')).toEqual([])
  expect(await inFolder('store')).toEqual([`${all[0]?.name}.tar.zst.age`])
  for (const list of ['pieces', 'contents']) expect(await inFolder(list)).toEqual([`${all[0]?.name}.zst.age`])
}

test(
  'a backup that is killed after each effect is made once, is proven, and changes nothing',
  async () => {
    const before = await fingerprint()
    const points = afterEach('site.backup', { store: ['backups.store/written', 'backups.store/stored'] })
    const job = await t.killAtEach('site.backup', points, { name: live.name, action: 'backup' })
    expect([job.status, job.error_message]).toEqual(['Done', null])
    await expectAtRest()
    expect(await fingerprint()).toEqual(before)
  },
  timeout,
)

test(
  'a proof that is killed after each effect ends in its verdict, and changes nothing',
  async () => {
    const before = await fingerprint()
    const [backup] = await backups()
    const points = afterEach('site.prove_backup', {
      unpack: ['local.import/placed'],
      import_database: ['local.import/part-imported'],
    })
    const asked = { doctype: 'Site Backup', name: backup?.name ?? '', action: 'prove' }
    const job = await t.killAtEach('site.prove_backup', points, asked)
    expect([job.status, job.error_message]).toEqual(['Done', null])
    await expectAtRest()
    const [now] = await backups()
    expect(now?.proved_at).not.toBe(backup?.proved_at)
    expect(now?.proof_seen).toEqual((now?.proof_seen ?? []).map((one) => ({ ...one, found: one.expected })))
    expect(await fingerprint()).toEqual(before)
  },
  timeout,
)
