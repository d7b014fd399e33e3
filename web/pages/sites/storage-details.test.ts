import { expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { formatDiskUsage, storageDetails } from './storage-details.ts'

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
  storageDetails({ site_type: 'wp', storage: null, disk_used: null, disk_used_at_least: 0, ...site }).map(
    ({ label, value }) => `${label}: ${String(value)}`,
  )

test('a site’s usage is shown beside its quota', () => {
  expect(details({ storage })).toEqual([
    'Disk: 1.2 GB of 5 GB',
    'Files: 12,345 of 250,000',
    'Error log: 0 B of 10 MB',
    'Captured email: 2 KB of 50 MB',
  ])
})

test('an incomplete measurement is shown as “more than”, and without a quota there is no “of”', () => {
  const quota = { disk_mb: 0, files: 0, log_mb: 0, outbox_mb: 0 }
  expect(details({ storage: { ...storage, bytes: 4.2 * gigabyte, at_least: true, quota } })).toEqual([
    'Disk: more than 4.2 GB',
    'Files: more than 12,345',
    'Error log: 0 B',
    'Captured email: 2 KB',
  ])
})

test('a site without code has neither logs nor email', () => {
  expect(details({ site_type: 'html', storage: { ...storage, quota: defaultSiteQuotas.html } })).toEqual([
    'Disk: 1.2 GB of 1 GB',
    'Files: 12,345 of 50,000',
  ])
})

test('without quotas only the size is shown, and nothing if it was never measured', () => {
  expect(details({ disk_used: gigabyte })).toEqual(['Disk: 1 GB'])
  expect(details({ disk_used: gigabyte, disk_used_at_least: 1 })).toEqual(['Disk: more than 1 GB'])
  expect(details({})).toEqual([])
  expect(formatDiskUsage({ disk_used: null, disk_used_at_least: 0 })).toBeNull()
})
