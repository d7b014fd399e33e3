import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelCrashPoints, crashPointName } from '#server/jobs/crash-point.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import {
  afterEachEffect,
  beforeEachEffect,
  expectDone,
  openBackupKills,
  type BackupKills,
  type Fingerprint,
} from '#tests/support/backup-kills.ts'
import { fingerprintOf } from '#tests/support/local-content.ts'

/**
 * kill -9 of the process before and after the effect of each step while a backup of a real site becomes a new site: the job goes on after
 * each restart and the new site has the content of the backup, or the job is canceled and nothing is left of it; the original stays as it is.
 */

/** Many processes start, one after the other. */
const timeout = 1_800_000
const type = 'site.import'

let t: BackupKills
let backup: SiteBackup
let original: Fingerprint

beforeAll(async () => {
  t = await openBackupKills()
  backup = await t.backUp()
  original = await t.fingerprint()
}, 600_000)
afterAll(() => t?.close())

const copying = (domain: string) => ({
  ...{ doctype: 'Site Backup', name: backup.name, action: 'restore' },
  args: { target: 'new_site', domain },
})

async function siteAt(domain: string): Promise<Site | undefined> {
  const { documents } = t.kills.now.running
  const [site] = await documents.transaction(systemSession(), (tx) => tx.list(SiteDoctype, [['domain', '=', domain]]))
  return site
}

/** What it has of its backup: its configuration is its own. */
async function contentOf(site: Site): Promise<Fingerprint> {
  const { '/wp-config.php': _own, ...found } = await fingerprintOf(t.kills.now.fixture, site)
  return found
}

test.each([
  ['before each effect', 'before', beforeEachEffect(type)],
  [
    'after each effect',
    'copied',
    afterEachEffect(type, {
      copy_files: ['local.import/placed'],
      import_database: ['local.import/part-imported'],
    }),
  ],
])(
  'a new site whose restore is killed %s has the content of the backup',
  async (_when, domain, points) => {
    expectDone(await t.kills.killAtEach(type, points, copying(domain)))
    const site = await siteAt(domain)
    expect(site).toMatchObject({ status: 'Live', locked_by_job: null, failure_reason: null, import_defects: 0 })
    await t.expectAtRest([site?.name ?? ''])
    expect(await contentOf(site as Site)).toEqual(original)
    expect(await t.kills.leftovers(site as Site)).toEqual([])
    for (const action of ['archive', 'delete_permanently'])
      expectDone(
        await t.kills.job({ name: site?.name ?? '', action, args: { confirm_name: (await siteAt(domain))?.domain } }),
      )
    await t.expectAtRest()
    expect(await t.fingerprint()).toEqual(original)
  },
  timeout,
)

test.each([
  ['as the archive is fetched', crashPointName(type, 'after-intent', 'fetch')],
  ['when the archive is taken', crashPointName(type, 'after-run', 'take')],
  ['when its files are placed', 'local.import/placed'],
  ['within its database', 'local.import/part-imported'],
  ['when it answers', crashPointName(type, 'after-run', 'check')],
  ['before it is Live', crashPointName(type, 'before-done')],
])(
  'a new site whose restore is killed %s and then canceled is gone, with its address',
  async (_when, point) => {
    const points = [point, ...cancelCrashPoints.map((moment) => crashPointName(type, moment))]
    const job = await t.kills.killAtEach(type, points, copying('gone'), async (killed, look) => {
      if (killed === point) await t.cancel(await look(), type)
    })
    expect(job.status).toBe('Cancelled')
    // The next one gets the same address.
    expect(await siteAt('gone')).toBeUndefined()
    await t.expectAtRest()
    expect(await t.fingerprint()).toEqual(original)
  },
  timeout,
)
