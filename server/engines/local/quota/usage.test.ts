import { describe, expect, it, test } from 'vitest'
import { effectiveQuota, type SiteQuota } from '#shared/rules/site-quotas.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { createQuota } from './quota.ts'
import { allowanceOf, evaluateUsage, limitsOf, outboxTrim, initialQuota, storageOf, type SiteUsage } from './usage.ts'

const megabyte = 1_048_576
const quota: SiteQuota = { disk_mb: 100, files: 1_000, log_mb: 10, outbox_mb: 10 }
interface Found {
  mb?: number
  files?: number
  logMb?: number
  outboxMb?: number
  complete?: boolean
  hidden?: boolean
}
const usage = (more: Found = {}): SiteUsage => ({
  files: {
    bytes: (more.mb ?? 1) * megabyte,
    entries: more.files ?? 10,
    complete: more.complete ?? true,
    hidden: more.hidden ?? false,
  },
  logs: { bytes: (more.logMb ?? 0) * megabyte, entries: 1, complete: true, hidden: false },
  outbox: { bytes: (more.outboxMb ?? 0) * megabyte, entries: 0, complete: true, hidden: false },
})

describe('compares usage with the quota', () => {
  it.each([
    ['has room', usage(), 'ok'],
    ['holds all it may', usage({ mb: 100 }), 'full'],
    ['has all the files it may', usage({ files: 999 }), 'full'],
    ['has no room for one more block', usage({ mb: 100 - 0.001 }), 'full'],
    ['has a full error log', usage({ logMb: 10 }), 'log_full'],
    ['has captured all the mail it may', usage({ outboxMb: 10 }), 'outbox_full'],
    ['is full in every way', usage({ mb: 100, logMb: 10, outboxMb: 10 }), 'full'],
    ['could not be counted to its end', usage({ complete: false }), 'full'],
    ['has something that cannot be counted', usage({ complete: false, hidden: true }), 'suspended'],
    ['holds a little more, as folders with many entries explain', usage({ mb: 150 }), 'full'],
    ['holds more than its process could write', usage({ mb: 300 }), 'suspended'],
    ['has more files than its process could make', usage({ files: 5_000 }), 'suspended'],
  ])('a site %s', (_what, found, state) => {
    expect(evaluateUsage(found, quota, allowanceOf(quota, usage()))).toBe(state)
  })

  it('a site whose quota was made smaller than what it holds is full, not suspended', () => {
    const held = usage({ mb: 900, files: 9_000 })
    expect(evaluateUsage(held, quota, allowanceOf(quota, held))).toBe('full')
    expect(evaluateUsage(usage({ mb: 1_200 }), quota, allowanceOf(quota, held))).toBe('suspended')
  })

  it('0 means no limit', () => {
    const none: SiteQuota = { disk_mb: 0, files: 0, log_mb: 0, outbox_mb: 0 }
    expect(evaluateUsage(usage({ mb: 1e6, files: 1e7 }), none, allowanceOf(none, usage()))).toBe('ok')
    expect(limitsOf(none)).toEqual({ bytes: Infinity, entries: Infinity })
    // It is sent to the site's process as JSON.
    const accountant = createQuota(JSON.parse(JSON.stringify(initialQuota(none, usage(), false))))
    expect(() => accountant.beforeWrite('files', 1e12)).not.toThrow()
  })

  it('starts with the existing usage and rejects writes when the quota is reached', () => {
    const accountant = createQuota(initialQuota(quota, usage({ mb: 99 }), false))
    accountant.beforeWrite('files', megabyte)
    expect(() => accountant.beforeWrite('files', 1)).toThrow('quota')
    expect(() => accountant.beforeWrite('outbox', megabyte)).not.toThrow()
    const full = createQuota(initialQuota(quota, usage({ mb: 500 }), false))
    expect(() => full.beforeWrite('files', 1)).toThrow('quota')
    full.released('files', 450 * megabyte)
    expect(() => full.beforeWrite('files', megabyte)).not.toThrow()
  })

  it('its accountant lets nothing more in where there is more than could be counted, unless nothing is limited', () => {
    const unknown = usage({ complete: false })
    const accountant = createQuota(initialQuota(quota, unknown, false))
    expect(() => accountant.beforeWrite('files', 1)).toThrow('quota')
    expect(() => accountant.beforeCreate()).toThrow('quota')
    expect(() => accountant.beforeWrite('outbox', megabyte)).not.toThrow()
    const free = createQuota(initialQuota({ ...quota, disk_mb: 0, files: 0 }, unknown, false))
    expect(() => free.beforeWrite('files', megabyte)).not.toThrow()
    expect(() => free.beforeCreate()).not.toThrow()
    // Existing files don't prove that code escaped from PHP.
    expect(evaluateUsage(usage({ mb: 900, complete: false }), quota, allowanceOf(quota, unknown))).toBe('full')
  })

  it('on a disk that is nearly full its accountant lets nothing in at all', () => {
    const accountant = createQuota(initialQuota(quota, usage(), true))
    for (const area of ['files', 'logs', 'outbox'] as const)
      expect(() => accountant.beforeWrite(area, 1)).toThrow('quota')
    expect(() => accountant.beforeCreate()).toThrow('quota')
  })

  it('says when there is more than was counted', () => {
    expect(storageOf(usage({ complete: false }), quota, 'ok')).toMatchObject({ at_least: true, files: 11 })
    expect(storageOf(usage(), quota, 'ok').at_least).toBe(false)
  })
})

test('truncates captured email to half before it runs out of space', () => {
  expect(outboxTrim(quota, usage({ outboxMb: 8 }))).toBeNull()
  expect(outboxTrim(quota, usage({ outboxMb: 9 }))).toEqual({ bytes: 5 * megabyte, entries: 5_000 })
  const many = { ...usage(), outbox: { bytes: 0, entries: 10_001, complete: true, hidden: false } }
  expect(outboxTrim({ ...quota, outbox_mb: 0 }, many)).toEqual({ bytes: Infinity, entries: 5_000 })
})

describe('which quotas hold', () => {
  it('are those of the kind of site, single ones replaced by what the organization was granted', () => {
    expect(effectiveQuota(defaultSiteQuotas.php, null)).toEqual(defaultSiteQuotas.php)
    expect(effectiveQuota(quota, { disk_mb: 500, files: null, log_mb: 0 })).toEqual({
      disk_mb: 500,
      files: 1_000,
      log_mb: 0,
      outbox_mb: 10,
    })
  })
})
