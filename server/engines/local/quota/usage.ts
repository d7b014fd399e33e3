import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { TreeLimits } from '../trees/limits.ts'
import type { Measured } from '../trees/measure.ts'
import type { QuotaArea, QuotaStart } from './quota.ts'
import { fileBytes } from './size-on-disk.ts'

/** What was measured of a site's folders. */
export interface SiteUsage {
  files: Measured
  logs: Measured
  outbox: Measured
}

const megabyte = 1_048_576

/** A limit in bytes or entries; 0 is none. */
const limit = (most: number, unit = 1): number => (most > 0 ? most * unit : Number.POSITIVE_INFINITY)

/** Entries of all of a site. */
export const entriesOf = ({ files, logs, outbox }: SiteUsage): number => files.entries + logs.entries + outbox.entries

/** Whether everything was counted. */
export const isComplete = ({ files, logs, outbox }: SiteUsage): boolean =>
  files.complete && logs.complete && outbox.complete

/** Whether something of it cannot be counted at all. PHP can hide nothing, so this is code that left PHP, or somebody else. */
const isHidden = ({ files, logs, outbox }: SiteUsage): boolean => files.hidden || logs.hidden || outbox.hidden

/** What counts against a limit: all of it where there is more than was counted, so that nothing more is written. */
const against = (found: number, most: number, complete: boolean): number =>
  complete || most === Number.POSITIVE_INFINITY ? found : Math.max(found, most)

/** Most that the tree of a site may hold, its log and mail included. */
export function limitsOf({ disk_mb, files, log_mb, outbox_mb }: SiteQuota): TreeLimits {
  return {
    bytes: limit(disk_mb, megabyte) + limit(log_mb, megabyte) + limit(outbox_mb, megabyte),
    entries: limit(files),
  }
}

/** Size past which an error log is emptied (bytes): before it is full, since a full one takes no more lines. */
export const logLimitOf = ({ log_mb }: SiteQuota): number => limit(log_mb, megabyte) * 0.8

/** Captured mails past which the oldest are removed, and how many stay then. */
const mostMails = { before: 10_000, after: 5_000 }

/** What the captured mail of a site is cut to, oldest first, before there is no room for the next; null: there is room. */
export function outboxTrim({ outbox_mb }: SiteQuota, { outbox }: SiteUsage): TreeLimits | null {
  const bytes = limit(outbox_mb, megabyte)
  if (outbox.bytes <= bytes * 0.8 && outbox.entries <= mostMails.before) return null
  return { bytes: bytes / 2, entries: mostMails.after }
}

/** What the accountant in a site's process begins with. `closed`: it may not write any more than it holds. */
export function startOf(quota: SiteQuota, usage: SiteUsage, closed: boolean): QuotaStart {
  const usedOf = ({ bytes, complete }: Measured, mb: number): number => against(bytes, limit(mb, megabyte), complete)
  const usedBytes = {
    files: usedOf(usage.files, quota.disk_mb),
    logs: usedOf(usage.logs, quota.log_mb),
    outbox: usedOf(usage.outbox, quota.outbox_mb),
  }
  const usedEntries = against(entriesOf(usage), limit(quota.files), isComplete(usage))
  const most = (value: number) => Math.min(value, Number.MAX_SAFE_INTEGER)
  return {
    usedBytes,
    usedEntries,
    maxBytes: closed
      ? { files: 0, logs: 0, outbox: 0 }
      : {
          files: most(limit(quota.disk_mb, megabyte)),
          logs: most(limit(quota.log_mb, megabyte)),
          outbox: most(limit(quota.outbox_mb, megabyte)),
        },
    maxEntries: closed ? 0 : most(limit(quota.files)),
  }
}

/** What a site's process could write at most, by the accountant in it. */
export interface Allowance {
  bytes: number
  entries: number
}

/** The allowance of a process that starts now: its quotas, or what is there already; no limit where nobody knows that. */
export function allowanceOf(quota: SiteQuota, usage: SiteUsage): Allowance {
  if (!isComplete(usage)) return { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }
  const { bytes, entries } = limitsOf(quota)
  return { bytes: Math.max(bytes, bytesOf(usage)), entries: Math.max(entries, entriesOf(usage)) }
}

const bytesOf = ({ files, logs, outbox }: SiteUsage): number => files.bytes + logs.bytes + outbox.bytes

/**
 * Past an allowance by this much: folders with many entries and files under way explain less. Then something writes that the
 * accountant does not see: code that left PHP.
 */
const slack = { share: 1.1, bytes: 64 * megabyte, entries: 1_000 }

/** With less room than this (bytes), nothing can be added: what is written takes whole blocks. */
const leastRoom = fileBytes(1)

/** How a site stands to its quotas. `allowance`: of its process, or of the last one; null: it had none. */
export function judge(
  usage: SiteUsage,
  quota: SiteQuota,
  allowance: Allowance | null,
): Exclude<SiteStorage['state'], 'disk_full'> {
  if (isHidden(usage)) return 'suspended'
  if (allowance !== null) {
    const isPast = (used: number, most: number, more: number) => used > most * slack.share + more
    const [bytes, entries] = [bytesOf(usage), entriesOf(usage)]
    if (isPast(bytes, allowance.bytes, slack.bytes) || isPast(entries, allowance.entries, slack.entries))
      return 'suspended'
  }
  const { usedBytes, maxBytes, usedEntries, maxEntries } = startOf(quota, usage, false)
  const isFull = (area: QuotaArea) => usedBytes[area] + leastRoom > maxBytes[area]
  if (isFull('files') || usedEntries >= maxEntries) return 'full'
  if (isFull('logs')) return 'log_full'
  return isFull('outbox') ? 'outbox_full' : 'ok'
}

/** The same for people and documents. */
export function storageOf(usage: SiteUsage, quota: SiteQuota, state: SiteStorage['state']): SiteStorage {
  return {
    bytes: usage.files.bytes,
    files: entriesOf(usage),
    log_bytes: usage.logs.bytes,
    outbox_bytes: usage.outbox.bytes,
    at_least: !isComplete(usage),
    quota,
    state,
  }
}

/** Entries after which measuring stops: enough to tell that the process made more than it could. */
export function mostMeasured(allowance: Allowance | null): number {
  return allowance === null ? Number.POSITIVE_INFINITY : Math.ceil(allowance.entries * slack.share) + 2 * slack.entries
}
