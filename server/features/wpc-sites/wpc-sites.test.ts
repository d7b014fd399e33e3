import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createProviders } from '#server/providers/providers.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { simulatedWpCloud } from '#server/providers/simulator/simulated-wpcloud.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { createProductDatabase, type TestDatabase } from '#tests/support/database.ts'
import { sessionOf } from '#tests/support/documents.ts'
import {
  addMember,
  makeOrganization,
  startTestProcess,
  testClock,
  until,
  type TestProcess,
} from '#tests/support/jobs.ts'
import { rejectionOf } from '#tests/support/sites.ts'
import { createWpcSites } from './wpc-sites.ts'

const key = 'wp-cloud-key'
const faults: Fault[] = []
const clock = testClock()
/** The vendor's clock: what it works on is done at the next look, unless its time stands still. */
const vendorTime = { now: Date.now(), step: 4000 }
const vendor = simulatedWpCloud({
  keys: { [key]: { client: 'acme', access: 'full' } },
  now: () => (vendorTime.now += vendorTime.step),
})
let database: TestDatabase
let served: VendorServer
let running: TestProcess
let owner: Session

beforeAll(async () => {
  database = await createProductDatabase()
  served = await serveVendor(withFaults(vendor, faults))
  const config = loadConfig({ WPCLOUD_API_URL: served.url }, '/nowhere')
  const noPauses = { now: () => Date.now(), sleep: async () => undefined, random: () => 0 }
  const providers = createProviders(config, { clock: noPauses })
  running = await startTestProcess(database.database, {
    clock,
    features: ({ documents, jobs }) =>
      createWpcSites({
        documents,
        jobs: () => jobs,
        clock,
        wpCloudOf: async () => providers.wpcloud({ key, client: 'acme' }),
      }),
  })
  owner = await makeOrganization(running.documents, 'acme', { module_wpc: 1 })
})
afterAll(async () => {
  await running?.stop()
  await served?.close()
  await database?.drop()
})
beforeEach(() => {
  faults.length = 0
  vendorTime.step = 4000
})

const insert = (domain: string, more: object = {}) =>
  running.documents.insert(owner, 'WPC Site', { domain, admin_user: 'ann', admin_email: 'ann@acme.example', ...more })

const siteNow = (name: string) => running.documents.transaction(systemSession(), (tx) => tx.get(WpcSiteDoctype, name))

const act = (name: string, action: string, args: Record<string, unknown> = {}) =>
  running.documents.runAction(owner, 'WPC Site', name, action, args)

/** The job when it has ended; what its steps wait for is over at once. */
async function ended(name: unknown): Promise<Job> {
  const isOver = (job: Job | null) => ['Done', 'Failed', 'Cancelled'].includes(job?.status ?? '')
  for (let last = ''; ;) {
    const job = await until(
      running.documents,
      JobDoctype,
      String(name),
      (now) => isOver(now) || (now?.modified !== last && now?.steps?.some(({ wait }) => wait) === true),
    )
    if (job && isOver(job)) return job
    last = job?.modified ?? ''
    clock.pass(20_000)
  }
}

async function live(domain: string, more: object = {}): Promise<WpcSite> {
  const doc = await insert(domain, more)
  expect(await ended(doc.job)).toMatchObject({ status: 'Done', error_message: null })
  return (await siteNow(doc.name)) as WpcSite
}

/** What an action has become: its job, and the site after it. */
async function after(site: WpcSite, action: string, args: Record<string, unknown> = {}) {
  const { job } = (await act(site.name, action, args)) as { job: string }
  const { status, error_message } = await ended(job)
  return { status, error_message, site: await siteNow(site.name) }
}

const atVendor = (site: WpcSite) =>
  (vendor.contents() as { sites: { id: number; meta: Record<string, string> }[] }).sites.find(
    ({ id }) => String(id) === site.atomic_site_id,
  )

describe('a new site', () => {
  test('is ordered as it was asked for, and shows what WP Cloud says', async () => {
    const site = await live('one.example', { php_version: '8.3', geo_affinity: 'ams', space_quota: '50' })
    expect(site).toMatchObject({
      ...{ status: 'Live', php_version: '8.3', data_center: 'ams', space_quota: '50G', wordpress_version: '6.8.3' },
      ...{ memory_mb: 512, workers: 10, burst: 1, space_used: 104_857_600, createdby_email: owner.user },
      ...{ failure_reason: null, usr_alias_domains: null },
    })
    expect(atVendor(site)?.meta['_data']).toBe('{"v1":{"site_type":"billable"}}')
    const read = await running.documents.get(owner, 'WPC Site', site.name)
    expect(read).not.toHaveProperty('admin_password')
    expect(JSON.stringify(read)).not.toContain('database-password')
  })

  test('is ordered once although the answer to the order was lost', async () => {
    faults.push({ kind: 'lose_answer', on: 'POST /create-site' })
    const before = served.seen.length
    const site = await live('lost.example')
    expect(served.seen.slice(before).filter(({ path }) => path.startsWith('/create-site'))).toHaveLength(1)
    expect(atVendor(site)).toBeDefined()
  })

  test('is none where WP Cloud has the domain: the existing site stays when the failed one is deleted', async () => {
    const existing = await live('taken.example')
    await running.documents.transaction(systemSession(), (tx) => tx.delete(WpcSiteDoctype, existing.name))
    const doc = await insert('taken.example')
    expect(await ended(doc.job)).toMatchObject({ status: 'Failed', error_code: 'invalid' })
    expect((await siteNow(doc.name))?.failure_reason).toContain('TXT record')
    await running.documents.delete(owner, 'WPC Site', doc.name)
    expect(await siteNow(doc.name)).toBeNull()
    expect(atVendor(existing)).toBeDefined()
  })

  test('fails with what to do, and is deleted there, too', async () => {
    faults.push({ kind: 'fail_later', on: 'POST /create-site' })
    const doc = await insert('broken.example')
    expect(await ended(doc.job)).toMatchObject({ status: 'Failed', error_code: 'unavailable' })
    const site = (await siteNow(doc.name)) as WpcSite
    expect(site).toMatchObject({ status: 'Failed' })
    expect(site.failure_reason).toContain('bills it until you delete it')
    expect(await rejectionOf(running.documents.delete(owner, 'WPC Site', site.name))).toMatchObject({ code: 'invalid' })
    await after(site, 'delete_permanently', { domain: 'broken.example' })
    expect(await siteNow(site.name)).toBeNull()
    expect(atVendor(site)).toBeUndefined()
  })

  test('canceled while WP Cloud makes it: nothing is left', async () => {
    vendorTime.step = 0
    const doc = await insert('canceled.example')
    const job = await until(running.documents, JobDoctype, String(doc.job), (now) => {
      return now?.steps?.some(({ label, wait }) => label.startsWith('Wait') && wait) === true
    })
    const site = (await siteNow(doc.name)) as WpcSite
    await running.documents.runAction(owner, 'Job', String(job?.name), 'cancel', {})
    expect(await ended(doc.job)).toMatchObject({ status: 'Cancelled' })
    expect(await siteNow(doc.name)).toBeNull()
    expect(atVendor(site)).toBeUndefined()
  })

  test.each([
    ['no administrator', { admin_user: null }, 'admin_user'],
    ['storage that is none', { space_quota: '50T' }, 'space_quota'],
    ['more storage than WP Cloud gives', { space_quota: '900G' }, 'space_quota'],
    ['a place that is none', { data_center: 'A/../b' }, 'data_center'],
    ['a domain in upper case', { domain: 'One.example' }, 'domain'],
    ['a domain that the organization has', { domain: 'one.example' }, 'domain'],
  ])('is refused with %s', async (_what, more, field) => {
    expect(await rejectionOf(insert('refused.example', more))).toMatchObject({ code: 'invalid', field })
  })

  test('is refused where the module is off', async () => {
    const set = (on: 0 | 1) =>
      running.documents.transaction(systemSession(), (tx) => tx.update(OrganizationDoctype, 'acme', { module_wpc: on }))
    await set(0)
    expect(await rejectionOf(insert('off.example'))).toMatchObject({ code: 'invalid' })
    await set(1)
  })
})

describe('changes', () => {
  let site: WpcSite
  beforeAll(async () => {
    site = await live('changed.example')
  })

  test.each([
    ['set_php_version', '8.5', { php_version: '8.5' }],
    ['set_memory', 1024, { memory_mb: 1024 }],
    ['set_workers', 4, { workers: 4 }],
    ['set_burst', 0, { burst: 0 }],
    ['set_space', '100', { space_quota: '100G' }],
    ['set_aliases', ['b.example', 'c.example'], { usr_alias_domains: 'b.example\nc.example' }],
    ['set_aliases', ['c.example'], { usr_alias_domains: 'c.example' }],
    ['set_domain', 'b.example', { domain: 'b.example', usr_alias_domains: 'c.example\nchanged.example' }],
    ['suspend', undefined, { status: 'Suspended' }],
    ['resume', undefined, { status: 'Live' }],
    ['set_defensive_mode', 60, { defensive_until: expect.any(String) as string }],
    ['set_defensive_mode', 0, { defensive_until: null }],
    ['purge_cache', undefined, { status: 'Live' }],
  ])('%s %s', async (action, value, expected) => {
    expect(await after(site, action, value === undefined ? {} : { value })).toMatchObject({
      status: 'Done',
      site: expected,
    })
  })

  test.each([
    ['set_memory', 600],
    ['set_workers', 11],
    ['set_space', '0'],
    ['set_php_version', '8.x'],
    ['set_domain', 'B.example'],
    ['set_aliases', ['a b']],
    ['set_defensive_mode', 5],
  ])('%s %s is refused', async (action, value) => {
    expect(await rejectionOf(act(site.name, action, { value }))).toMatchObject({ code: 'invalid', field: 'value' })
  })

  test('a version that WP Cloud lacks: the job says so, and what holds is shown', async () => {
    const result = await after(site, 'set_php_version', { value: '5.6' })
    expect(result).toMatchObject({ status: 'Failed', site: { php_version: '8.5', status: 'Live' } })
    expect(result.error_message).toContain('php_version')
  })

  test('what was changed there is read by resync; a site that is gone is said to be', async () => {
    const other = await live('gone.example')
    atVendor(other)
    await after(other, 'suspend')
    await after(other, 'delete_permanently', { domain: 'gone.example' })
    expect(await siteNow(other.name)).toBeNull()
    const foreign = await live('elsewhere.example')
    await running.documents.transaction(systemSession(), (tx) =>
      tx.update(WpcSiteDoctype, foreign.name, { atomic_site_id: '999999' }),
    )
    expect(await after(foreign, 'resync')).toMatchObject({
      status: 'Failed',
      error_message: expect.stringContaining('no longer has this site') as string,
    })
  })
})

describe('backups', () => {
  test('are asked for, listed, restored in pairs, and deleted', async () => {
    const site = await live('backed.example')
    const list = async () =>
      ((await act(site.name, 'list_backups')) as { backups: { backup: string; kind: string; on_demand: boolean }[] })
        .backups
    expect(await after(site, 'backup', { kind: 'fs' })).toMatchObject({ status: 'Done' })
    const [own] = await list()
    expect(own).toMatchObject({ kind: 'fs', on_demand: true })
    const quota = await after(site, 'backup', { kind: 'fs' })
    expect(quota).toMatchObject({
      status: 'Failed',
      error_message: expect.stringContaining('as many backups') as string,
    })
    const before = served.seen.length
    expect(await after(site, 'restore', { backup: own?.backup })).toMatchObject({
      status: 'Done',
      site: { status: 'Live' },
    })
    const [asked] = served.seen.slice(before).filter(({ path }) => path.startsWith('/restore-site'))
    expect(new URLSearchParams(asked?.body).getAll('restore_from[]')).toContain(own?.backup)
    expect(await after(site, 'delete_backup', { backup: own?.backup })).toMatchObject({ status: 'Done' })
    expect((await list()).map(({ backup }) => backup)).not.toContain(own?.backup)
  })

  test('on demand do not stop a deletion', async () => {
    const site = await live('whole.example')
    await after(site, 'backup', { kind: 'db' })
    await after(site, 'delete_permanently', { domain: 'whole.example' })
    expect(atVendor(site)).toBeUndefined()
  })
})

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@laptop'

describe('what is kept at WP Cloud only', () => {
  let site: WpcSite
  beforeAll(async () => {
    site = await live('kept.example')
  })

  test('SSH users are added with a key of theirs, listed and removed', async () => {
    const list = async () => ((await act(site.name, 'list_ssh_users')) as { logins: string[] }).logins
    await act(site.name, 'add_ssh_user', { user: 'acme-ann', public_key: sshKey })
    expect(await list()).toEqual(['acme-ann'])
    expect(await rejectionOf(act(site.name, 'add_ssh_user', { user: 'acme-ann', public_key: sshKey }))).toMatchObject({
      code: 'conflict',
    })
    await act(site.name, 'set_ssh_access', { value: 'ssh' })
    await act(site.name, 'remove_ssh_user', { user: 'acme-ann' })
    expect(await list()).toEqual([])
  })

  test.each([
    ['12345', sshKey, 'user'],
    ['ann', sshKey, 'user'],
    ['acme-ann', 'ssh-ed25519 AAAA', 'public_key'],
    ['acme-ann', `${sshKey}\n${sshKey}`, 'public_key'],
  ])('an SSH user %s with a key that %s is refused', async (user, key, field) => {
    expect(await rejectionOf(act(site.name, 'add_ssh_user', { user, public_key: key }))).toMatchObject({ field })
  })

  test('logs are read part by part to their end', async () => {
    type Part = { lines: { at: string; level: string; text: string }[]; cursor: string | null }
    const read = async (log: string, cursor: string | null) =>
      (await act(site.name, 'read_log', { log, ...(cursor !== null && { cursor }) })) as Part
    const [first] = (await read('php', null)).lines
    expect(first).toMatchObject({
      level: 'warning',
      text: 'Warning: Undefined variable $example_0 in /srv/htdocs/wp-content/themes/example/functions.php:12',
    })
    const texts: string[] = []
    for (let part = await read('access', null); ; part = await read('access', part.cursor)) {
      texts.push(...part.lines.map(({ text }) => text))
      if (part.cursor === null) break
    }
    expect(new Set(texts).size).toBe(450)
    expect(texts[0]).toBe('GET /page-0/ 200 192.0.2.7 0.12 s')
  })

  test('metrics come in the periods that WP Cloud chooses', async () => {
    const { interval, samples } = (await act(site.name, 'get_metrics', { range: '7d' })) as {
      interval: number
      samples: { requests: number; cache_percent: number }[]
    }
    expect(interval).toBe(6300)
    expect(samples).toHaveLength(96)
    expect(samples[0]).toMatchObject({
      requests: 40,
      response_seconds: expect.closeTo(0.23) as number,
      cache_percent: 70,
    })
  })
})

test('a manager works with sites, and neither creates nor deletes them, nor buys resources', async () => {
  const site = await live('managed.example')
  const manager = sessionOf('manager@acme.example', 'acme')
  await running.documents.transaction(systemSession(), (tx) =>
    addMember(tx, 'acme', { email: manager.user, name: 'Mia', role: 'Organization Manager' }),
  )
  const may = (action: string, args: object) =>
    rejectionOf(running.documents.runAction(manager, 'WPC Site', site.name, action, { ...args }))
  for (const [action, args] of [
    ['set_workers', { value: 3 }],
    ['set_space', { value: '50G' }],
    ['suspend', {}],
    ['delete_permanently', { domain: 'managed.example' }],
  ] as const)
    expect(await may(action, args)).toMatchObject({ code: 'forbidden' })
  expect(await may('purge_cache', {})).toBeNull()
})

test('every request was one that WP Cloud has', () => {
  expect(served.problems).toEqual([])
})
