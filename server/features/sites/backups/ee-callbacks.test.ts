import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MethodContext } from '#server/contracts/method.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { dashAuthOf, eeBackupMethods, endSilent } from './ee-callbacks.ts'

let t: TestSites
let site: Site

beforeAll(async () => {
  t = await openTestSites()
  site = await t.live('shop')
})
afterAll(() => t?.close())

const call = (name: 'success' | 'failure', params: Record<string, unknown>) => {
  const method = eeBackupMethods(t.deps).find((one) => one.name.endsWith(`.on_ee_backup_${name}`))
  return method?.run(params, {} as MethodContext) as Promise<{ name: string }>
}
const ask = async () => {
  const { dash_auth: auth } = await t.deps
    .documents()
    .transaction(systemSession('job'), (tx) => dashAuthOf(t.deps, tx, site))
  return { site: site.domain, backup: auth.slice(0, auth.indexOf(':')), verify: auth.slice(auth.indexOf(':') + 1) }
}
const backups = (): Promise<SiteBackup[]> =>
  t.deps.documents().transaction(systemSession('job'), (tx) => tx.list(SiteBackupDoctype, [['site', '=', site.name]]))

test('a backup that EasyEngine made appears once, says Not Tested, and is left to EasyEngine', async () => {
  const shown = await ask()
  const metadata = { post_count: 3, page_count: 1, wp_version: '6.8.3', remote_path: 'r:b/shop/1_x', user_count: -5 }
  const { name } = await call('success', { ...shown, metadata })
  expect(await call('success', { ...shown, metadata })).toEqual({ name })
  expect(await call('failure', { ...shown, error_message: 'no' })).toEqual({ name })
  const made = await backups()
  expect(made).toMatchObject([
    {
      ...{
        name,
        kind: 'imported',
        status: 'Ready',
        proof: 'Not Tested',
        store: 'easyengine',
        site_domain: site.domain,
      },
      ...{ wordpress_version: '6.8.3', remote_path: 'r:b/shop/1_x', counts: { posts: 3, pages: 1, users: 0 } },
    },
  ])
  expect(await t.siteNow(site.name)).toMatchObject({ backup_at: made[0]?.taken_at, backup_proof: 'Not Tested' })
  for (const action of ['contents', 'prove', 'open', 'download_link'])
    expect(await rejectionOf(t.deps.documents().runAction(t.owner, 'Site Backup', name, action, {}))).toMatchObject({
      code: 'unsupported',
    })
  await t.deps.documents().delete(t.owner, 'Site Backup', name)
  expect(await backups()).toEqual([])
})

test('one that failed says what EasyEngine said', async () => {
  const problem = { error_message: 'rclone is not\ninstalled.', error_type: 'configuration_error', error_code: 2001 }
  await call('failure', { ...(await ask()), ...problem })
  expect(await backups()).toMatchObject([
    { status: 'Failed', error_message: 'EasyEngine says: “rclone is not installed.” (configuration_error 2001)' },
  ])
  expect((await t.siteNow(site.name))?.backup_failed_at).not.toBeNull()
})

test('a key that a later one took the place of is not missed', async () => {
  const unused = await ask()
  t.pass(1000)
  await call('success', { ...(await ask()), metadata: {} })
  t.pass(30 * 3_600_000 + 1)
  await endSilent(t.deps)
  expect((await backups()).map(({ reported_as }) => reported_as)).not.toContain(unused.backup)
})

test('a key that was never used is no failure once the site has a newer backup', async () => {
  const unused = await ask()
  t.pass(1000)
  const { job } = (await t.act(site.name, 'backup')) as { job: string }
  await t.end({ job })
  const before = await backups()
  t.pass(30 * 3_600_000 + 1)
  await endSilent(t.deps)
  expect(await backups()).toEqual(before)
  expect(before.map(({ reported_as }) => reported_as)).not.toContain(unused.backup)
})

test('a key is of one site and one backup, and ends', async () => {
  const [shown, other] = [await ask(), await ask()]
  const before = await backups()
  const unauthorized = { code: 'unauthorized' }
  for (const wrong of [
    { ...shown, verify: other.verify },
    { ...shown, verify: '' },
    { ...shown, site: 'another.example' },
    { ...shown, backup: 'nosuchsite-0123456789' },
    { ...shown, backup: `${shown.backup}x` },
  ])
    expect(await rejectionOf(call('success', { ...wrong, metadata: {} }))).toMatchObject(unauthorized)
  await endSilent(t.deps)
  expect(await backups()).toEqual(before)
  t.pass(30 * 3_600_000 + 1)
  expect(await rejectionOf(call('success', { ...shown, metadata: {} }))).toMatchObject(unauthorized)
  // What was asked for ends all the same, once.
  for (const _time of [1, 2]) await endSilent(t.deps)
  const silent = (await backups()).filter(({ name }) => before.every((one) => one.name !== name))
  expect(new Set(silent.map(({ reported_as }) => reported_as))).toEqual(new Set([shown.backup, other.backup]))
  expect(silent).toHaveLength(2)
  for (const backup of silent)
    expect(backup).toMatchObject({ status: 'Failed', error_message: expect.stringContaining('within 30 hours') })
})
