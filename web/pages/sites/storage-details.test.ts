import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { formatDiskUsage, isUnpacked, storageDetails } from './storage-details.ts'

const gigabyte = 1024 ** 3
const storage: SiteStorage = {
  bytes: 1.2 * gigabyte,
  files: 12_345,
  log_bytes: 0,
  outbox_bytes: 2048,
  at_least: false,
  quota: defaultSiteQuotas.wp,
  state: 'ok',
}
const details = (site: Partial<Site>) =>
  storageDetails({ site_type: 'wp', status: 'Live', storage: null, ...site }).map(
    ({ label, value }) => `${label}: ${String(value)}`,
  )
const disk = (site: Partial<Site>) =>
  formatDiskUsage({ storage: null, disk_used: null, disk_used_at_least: 0, ...site })

test('a site’s usage is shown beside its quota', () => {
  expect(disk({ storage, disk_used: 0 })).toBe('1.2 GB of 5 GB')
  expect(details({ storage })).toEqual([
    'Files: 12,345 of 250,000',
    'Error log: 0 B of 10 MB',
    'Captured email: 2 KB of 50 MB',
  ])
})

test('an incomplete measurement is shown as “more than”, and without a quota there is no “of”', () => {
  const quota = { disk_mb: 0, files: 0, log_mb: 0, outbox_mb: 0 }
  const more = { ...storage, bytes: 4.2 * gigabyte, at_least: true, quota }
  expect(disk({ storage: more })).toBe('more than 4.2 GB')
  expect(details({ storage: more })).toEqual(['Files: more than 12,345', 'Error log: 0 B', 'Captured email: 2 KB'])
})

test('a site without code has neither logs nor email', () => {
  expect(details({ site_type: 'html', storage: { ...storage, quota: defaultSiteQuotas.html } })).toEqual([
    'Files: 12,345 of 50,000',
  ])
})

test('without quotas only the size is shown, and nothing if it was never measured', () => {
  expect(disk({ disk_used: gigabyte })).toBe('1 GB')
  expect(disk({ disk_used: gigabyte, disk_used_at_least: 1 })).toBe('more than 1 GB')
  expect([details({}), disk({})]).toEqual([[], null])
})

test('a site in the archive, or on its way there or back, stores nothing of what was measured before', () => {
  expect((['Archived', 'Archiving', 'Restoring'] as const).flatMap((status) => details({ storage, status }))).toEqual(
    [],
  )
  expect([isUnpacked({ status: 'Live' }), isUnpacked({ status: 'Restoring' })]).toEqual([true, false])
})
