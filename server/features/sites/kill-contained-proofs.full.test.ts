import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import { listNames } from '#server/platform/files/list-folder.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { expectDone, killAndCancel, killAtWork, openEeKills, type EeKills } from '#tests/support/ee-kills.ts'
import { watchPrograms, type Moments } from '#tests/support/ee-moments.ts'

/** kill -9 of the process while a backup is tried out in containers on the server of its site: the verdict is there once, and nothing is left. */

/** Many processes start, one after the other. */
const timeout = 1_800_000

let t: EeKills
let moments: Moments
let live: Site
let backup: string
let before: Readonly<Record<string, string>>

beforeAll(async () => {
  t = await openEeKills({ triesOut: true })
  moments = await watchPrograms(t.server)
  live = await t.makeLive('live.example.com', 'Live')
  await t.running.documents.transaction(systemSession(), (tx) =>
    tx.insert('Backup Schedule', { organization: 'acme', site: live.name, prove_on_server: 1 }),
  )
  const made = await t.act(live, 'backup')
  expectDone(await t.work(made.job))
  backup = String(made['name'])
  before = await t.fingerprint(live)
  // Each backup is tried out once by itself.
  expectDone(await t.work(String((await backupNow()).locked_by_job)))
}, 600_000)
afterAll(() => t?.close())

const backupNow = () =>
  t.running.documents.transaction(systemSession(), (tx) => tx.get(SiteBackupDoctype, backup)) as Promise<SiteBackup>
const askForProof = () => t.act({ doctype: 'Site Backup', name: backup }, 'prove')
const at = (moment: string) => crashPointName('site.prove_backup', moment, 'contained')

/** Works on a new proof to its end. */
async function proven(points: readonly string[] = []): Promise<void> {
  expectDone(await t.work((await askForProof()).job, points))
}

async function expectAtRest(): Promise<void> {
  await t.expectAtRest([live.name])
  expect(await listNames(join(t.server.root, 'var/lib/simulated/containers'))).toEqual([])
  expect(await t.fingerprint(live)).toEqual(before)
  expect(await t.server.violations()).toEqual([])
}

const expectProven = async () =>
  expect(await backupNow()).toMatchObject({ proof: 'Proven', proof_detail: [], proved_on: live.server })

test(
  'a proof that is killed before and after its containers ends in its verdict',
  async () => {
    const first = await backupNow()
    await proven([at('after-intent'), at('after-run'), crashPointName('site.prove_backup', 'after-run', 'clean_up')])
    await expectProven()
    expect((await backupNow()).proved_at).not.toBe(first.proved_at)
    await expectAtRest()
  },
  timeout,
)

const begins = '^docker run .*-php'
const loads = '^docker exec -i easydash-proof-.*-db .* --max-allowed-packet'
const looks = '^docker exec .*-php'

test.each([
  ['begins its containers', begins],
  ['loads the database', loads],
  ['looks at the site', looks],
])(
  'a proof that is killed while the server %s goes on, or leaves nothing when it is canceled',
  async (_what, call) => {
    const { job } = await askForProof()
    await killAtWork(t, moments, job, call)
    await moments.clear()
    expectDone(await t.work(job))
    await expectProven()
    await expectAtRest()

    const canceled = await askForProof()
    await killAtWork(t, moments, canceled.job, call)
    await t.cancel(canceled.job)
    await moments.clear()
    expect(await t.work(canceled.job)).toMatchObject({ status: 'Cancelled', error_message: null })
    // What this machine could say of it stands.
    expect(await backupNow()).toMatchObject({ proof: 'Inconclusive', proved_on: null })
    await expectAtRest()
  },
  timeout,
)

test(
  'a proof that is killed in the end of its containers, and then canceled, leaves nothing',
  async () => {
    await killAndCancel(t, { job: (await askForProof()).job, point: at('after-run') })
    await expectProven()
    await expectAtRest()
  },
  timeout,
)
