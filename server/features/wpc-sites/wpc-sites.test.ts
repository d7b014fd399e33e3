import { beforeAll, describe, expect, test } from 'vitest'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addMember, until } from '#tests/support/jobs.ts'
import { rejectionOf } from '#tests/support/sites.ts'
import { useWpCloud } from '#tests/support/wp-cloud.ts'

const { faults, vendorTime, part, insert, siteNow, act, ended, live, after, atVendor } = useWpCloud()

describe('a new site', () => {
  test('is ordered as it was asked for, and shows what WP Cloud says', async () => {
    const site = await live('one.example', { php_version: '8.3', geo_affinity: 'ams', space_quota: '50' })
    expect(site).toMatchObject({
      ...{ status: 'Live', php_version: '8.3', data_center: 'ams', space_quota: '50G', wordpress_version: '6.8.3' },
      ...{ memory_mb: 512, workers: 10, burst: 1, space_used: 104_857_600, createdby_email: part('owner').user },
      ...{ failure_reason: null, usr_alias_domains: null },
    })
    expect(atVendor(site)?.meta['_data']).toBe('{"v1":{"site_type":"billable"}}')
    const read = await part('running').documents.get(part('owner'), 'WPC Site', site.name)
    expect(read).not.toHaveProperty('admin_password')
    expect(JSON.stringify(read)).not.toContain('database-password')
  })

  test('is ordered once although the answer to the order was lost', async () => {
    faults.push({ kind: 'lose_answer', on: 'POST /create-site' })
    const before = part('served').seen.length
    const site = await live('lost.example')
    expect(
      part('served')
        .seen.slice(before)
        .filter(({ path }) => path.startsWith('/create-site')),
    ).toHaveLength(1)
    expect(atVendor(site)).toBeDefined()
  })

  test('is none where WP Cloud has the domain: the existing site stays when the failed one is deleted', async () => {
    const existing = await live('taken.example')
    await part('running').documents.transaction(systemSession(), (tx) => tx.delete(WpcSiteDoctype, existing.name))
    const doc = await insert('taken.example')
    expect(await ended(doc.job)).toMatchObject({ status: 'Failed', error_code: 'invalid' })
    expect((await siteNow(doc.name))?.failure_reason).toContain('TXT record')
    await part('running').documents.delete(part('owner'), 'WPC Site', doc.name)
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
    expect(await rejectionOf(part('running').documents.delete(part('owner'), 'WPC Site', site.name))).toMatchObject({
      code: 'invalid',
    })
    await after(site, 'delete_permanently', { domain: 'broken.example' })
    expect(await siteNow(site.name)).toBeNull()
    expect(atVendor(site)).toBeUndefined()
  })

  test('canceled while WP Cloud makes it: nothing is left', async () => {
    vendorTime.step = 0
    const doc = await insert('canceled.example')
    const job = await until(part('running').documents, JobDoctype, String(doc.job), (now) => {
      return now?.steps?.some(({ label, wait }) => label.startsWith('Wait') && wait) === true
    })
    const site = (await siteNow(doc.name)) as WpcSite
    await part('running').documents.runAction(part('owner'), 'Job', String(job?.name), 'cancel', {})
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
      part('running').documents.transaction(systemSession(), (tx) =>
        tx.update(OrganizationDoctype, 'acme', { module_wpc: on }),
      )
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
    await part('running').documents.transaction(systemSession(), (tx) =>
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
    const before = part('served').seen.length
    expect(await after(site, 'restore', { backup: own?.backup })).toMatchObject({
      status: 'Done',
      site: { status: 'Live' },
    })
    const [asked] = part('served')
      .seen.slice(before)
      .filter(({ path }) => path.startsWith('/restore-site'))
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

test('a manager works with sites, and neither creates nor deletes them, nor buys resources', async () => {
  const site = await live('managed.example')
  const manager = sessionOf('manager@acme.example', 'acme')
  await part('running').documents.transaction(systemSession(), (tx) =>
    addMember(tx, 'acme', { email: manager.user, name: 'Mia', role: 'Organization Manager' }),
  )
  const may = (action: string, args: object) =>
    rejectionOf(part('running').documents.runAction(manager, 'WPC Site', site.name, action, { ...args }))
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
  expect(part('served').problems).toEqual([])
})
