import type { LogName } from '#shared/rules/site-logs.ts'
import { closeSync } from 'node:fs'
import { msg } from '#shared/localized-message.ts'
import type { LogSegment } from '#server/platform/text-log/read-log.ts'
import { EngineError } from '../../engine.ts'
import type { SiteKind, SiteRef } from '../../site-ref.ts'
import { readChunk } from '../../log-chunk.ts'
import type { LogSource, SiteLogs } from '../../site-logs.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import type { LocalLogsOptions } from './logs-options.ts'
import { createMailbox } from './mailbox.ts'
import { emptyOwnLog, openOwnLog, ownLogSegment } from './site-log-file.ts'

const logsOfKind: Readonly<Record<SiteKind, readonly LogName[]>> = {
  wp: ['php', 'debug', 'access'],
  php: ['php', 'access'],
  html: ['access'],
}

/** Logs and captured emails of local sites. */
export function createLocalLogs(options: LocalLogsOptions): SiteLogs {
  const { store } = options
  return {
    sources: async (site) => {
      const record = existingRecord(store, site)
      return Promise.all(logsOfKind[record.siteType].map((log) => sourceOf(options, record, log)))
    },
    read: async (site, log, range) => {
      const record = recordWithLog(options, site, log)
      return withSegments(options, record, log, (segments) => readChunk(segments, range))
    },
    clear: async (site, log) => {
      const record = recordWithLog(options, site, log)
      if (log === 'access') await options.access.clear(record.id)
      else emptyOwnLog(store.paths(record.id), options.userOf(record), log)
      if (log === 'debug') options.onFilesChanged(record.id)
    },
    ...createMailbox(options),
  }
}

/** Throws EngineError `unsupported` for a log that sites of this kind do not have. */
function recordWithLog({ store }: LocalLogsOptions, site: SiteRef, log: LogName): SiteRecord {
  const record = existingRecord(store, site)
  if (logsOfKind[record.siteType].includes(log)) return record
  throw new EngineError('unsupported', msg`This site has no such log.`, { nextAction: msg`Choose another log.` })
}

/** Calls `work` with the open files of a log. */
async function withSegments<T>(
  { store, access, userOf }: LocalLogsOptions,
  record: SiteRecord,
  log: LogName,
  work: (segments: readonly LogSegment[], changedAt: number | null) => Promise<T>,
): Promise<T> {
  if (log === 'access') {
    const opened = await access.open(record.id)
    try {
      return await work(opened.segments, opened.changedAt)
    } finally {
      await opened.close()
    }
  }
  const file = openOwnLog(store.paths(record.id), userOf(record), log, 'r')
  if (file === null) return work([], null)
  try {
    return await work([ownLogSegment(file)], file.stats.mtimeMs)
  } finally {
    closeSync(file.fd)
  }
}

function sourceOf(options: LocalLogsOptions, record: SiteRecord, name: LogName): Promise<LogSource> {
  return withSegments(options, record, name, async (segments, changedAt) => ({
    name,
    bytes: segments.length === 0 ? null : segments.reduce((sum, { size }) => sum + size, 0),
    changedAt: changedAt === null ? null : Math.round(changedAt),
  }))
}
