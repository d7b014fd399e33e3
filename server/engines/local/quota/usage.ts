import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { TreeLimits } from '../trees/limits.ts'
import type { Measured } from '../trees/measure.ts'
import type { QuotaArea, QuotaStart } from './quota.ts'
import { fileBytes } from './size-on-disk.ts'

/** Measured usage of a site's folders. */
export interface SiteUsage {
  files: Measured
  logs: Measured
  outbox: Measured
}

const nothing: Measured = { bytes: 0, entries: 0, complete: true, hidden: false }

/** Usage of a site without files. */
export const emptyUsage: SiteUsage = { files: nothing, logs: nothing, outbox: nothing }

const megabyte = 1_048_576

/** A limit in bytes or entries; 0 means none. */
const limit = (most: number, unit = 1): number => (most > 0 ? most * unit : Number.POSITIVE_INFINITY)

/** Total entries of a site. */
export const entriesOf = ({ files, logs, outbox }: SiteUsage): number => files.entries + logs.entries + outbox.entries

/** Whether everything was counted. */
export const isComplete = ({ files, logs, outbox }: SiteUsage): boolean =>
  files.complete && logs.complete && outbox.complete

/**
 * Whether something can't be counted at all. PHP can't hide anything, so this is code that escaped from PHP, or another
 * program.
 */
const isHidden = ({ files, logs, outbox }: SiteUsage): boolean => files.hidden || logs.hidden || outbox.hidden

/** What counts toward a limit: the full limit if there is more than was counted, so that nothing more is written. */
const against = (found: number, most: number, complete: boolean): number =>
  complete || most === Number.POSITIVE_INFINITY ? found : Math.max(found, most)

/** Maximum size of a site's folder, including its log and mail. */
export function limitsOf({ disk_mb, files, log_mb, outbox_mb }: SiteQuota): TreeLimits {
  return {
    bytes: limit(disk_mb, megabyte) + limit(log_mb, megabyte) + limit(outbox_mb, megabyte),
    entries: limit(files),
  }
}

/** Size above which an error log is emptied (bytes): below the limit, because a full log accepts no more lines. */
export const logLimitOf = ({ log_mb }: SiteQuota): number => limit(log_mb, megabyte) * 0.8

/** Number of captured emails above which the oldest are removed, and how many are kept then. */
const maxMails = { before: 10_000, after: 5_000 }

/** Limits to which a site's captured mail is trimmed, oldest first, before it is full; null: not needed. */
export function outboxTrim({ outbox_mb }: SiteQuota, { outbox }: SiteUsage): TreeLimits | null {
  const bytes = limit(outbox_mb, megabyte)
  if (outbox.bytes <= bytes * 0.8 && outbox.entries <= maxMails.before) return null
  return { bytes: bytes / 2, entries: maxMails.after }
}

/** Initial quota of a site's process. `closed`: it may not write more than it already uses. */
export function initialQuota(quota: SiteQuota, usage: SiteUsage, closed: boolean): QuotaStart {
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

/** Maximum that a site's process can write under its own quota. */
export interface Allowance {
  bytes: number
  entries: number
}

/**
 * The allowance of a process that starts now: its quotas, or its current usage if that is more; unlimited if the usage is
 * unknown.
 */
export function allowanceOf(quota: SiteQuota, usage: SiteUsage): Allowance {
  if (!isComplete(usage)) return { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY }
  const { bytes, entries } = limitsOf(quota)
  return { bytes: Math.max(bytes, bytesOf(usage)), entries: Math.max(entries, entriesOf(usage)) }
}

const bytesOf = ({ files, logs, outbox }: SiteUsage): number => files.bytes + logs.bytes + outbox.bytes

/**
 * Tolerance above an allowance: folders with many entries and files being written explain no more. Beyond it, something
 * writes that the quota does not see: code that escaped from PHP.
 */
const slack = { share: 1.1, bytes: 64 * megabyte, entries: 1_000 }

/** With less space than this (bytes) nothing can be added, because files occupy whole blocks. */
const minimumFree = fileBytes(1)

/** Compares a site's usage with its quotas. `allowance`: of its current or last process; null: it had none. */
export function evaluateUsage(
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
  const { usedBytes, maxBytes, usedEntries, maxEntries } = initialQuota(quota, usage, false)
  const isFull = (area: QuotaArea) => usedBytes[area] + minimumFree > maxBytes[area]
  if (isFull('files') || usedEntries >= maxEntries) return 'full'
  if (isFull('logs')) return 'log_full'
  return isFull('outbox') ? 'outbox_full' : 'ok'
}

/** The same as displayed and stored in documents. */
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

/** Number of entries after which measuring stops: enough to detect that the process created more than it could. */
export function maxMeasuredEntries(allowance: Allowance | null): number {
  return allowance === null ? Number.POSITIVE_INFINITY : Math.ceil(allowance.entries * slack.share) + 2 * slack.entries
}
