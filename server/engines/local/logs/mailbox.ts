import { randomBytes } from 'node:crypto'
import { closeSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { openFolder, type Folder, type OpenFile } from '#server/platform/trees/folder.ts'
import { createFairQueue, type FairQueue } from '#server/platform/fair-queue.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { mailPageSize, type Mail, type MailPage, type SiteLogs } from '../../site-logs.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import type { LocalLogsOptions } from './logs-options.ts'
import { mailFileName, maxMailBytes, parseMail } from './mail-file.ts'
import { ownLogSegment } from './site-log-file.ts'

type Mailbox = Pick<SiteLogs, 'mails' | 'mail' | 'deleteMail' | 'clearMails'>

/** A folder changed this recently may change again with the same time (milliseconds). */
const sameTimeMs = 100

/** The captured emails of local sites: files in their outbox, which the site may have written in any form. */
export function createMailbox(options: LocalLogsOptions): Mailbox {
  const { store, trees } = options
  const lists = createListQueue()
  const outboxOf = (record: SiteRecord): string => store.paths(record.id).outbox
  return {
    mails: async (site, { skip = 0, known, search = '' } = {}) => {
      const record = existingRecord(store, site)
      const version = await versionOf(outboxOf(record))
      if (known !== undefined && known === version) return null
      const input = { path: outboxOf(record), owner: options.userOf(record), skip, count: mailPageSize, search }
      // A folder with many files: read by another process.
      const found = await lists.run({ key: record.id, known: true }, () => trees.run('mails', input))
      return { ...found, version } satisfies MailPage
    },
    mail: async (site, id) => {
      const record = existingRecord(store, site)
      return readMail(outboxOf(record), options.userOf(record), id)
    },
    deleteMail: async (site, id) => {
      const name = mailFileName(id)
      const folder = openIfThere(outboxOf(existingRecord(store, site)))
      try {
        if (name !== null) folder?.removeFile(Buffer.from(name))
      } finally {
        folder?.close()
      }
    },
    clearMails: async (site) => {
      await trees.run('trim', { path: outboxOf(existingRecord(store, site)), limits: { bytes: 0, entries: 0 } })
    },
  }
}

/** At most two processes list mailboxes at a time, and a site has one turn at most. */
function createListQueue(): FairQueue {
  return createFairQueue({
    atOnce: 2,
    waiting: { all: 50, ofKind: 50 },
    share: { known: 4, unknown: 1 },
    full: () =>
      new EngineError('unavailable', msg`Too many mailboxes are being read at this moment.`, {
        retryable: true,
        nextAction: msg`Try again in a moment.`,
      }),
  })
}

/** Changes whenever a file is added to the folder or removed from it. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs, mtimeMs } = await lstat(path, { bigint: true })
    const isRecent = Math.abs(Date.now() - Number(mtimeMs)) < sameTimeMs
    return `${ino.toString(36)}-${mtimeNs.toString(36)}${isRecent ? `-${randomBytes(4).toString('hex')}` : ''}`
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return 'none'
    throw error
  }
}

async function readMail(path: string, owner: number | null, id: string): Promise<Mail | null> {
  const file = openMail(path, id)
  if (file === null) return null
  try {
    const { size, uid } = file.stats
    if (size > maxMailBytes || uid !== (owner ?? process.getuid?.())) return null
    return parseMail(id, await ownLogSegment(file).read(0, size))
  } finally {
    closeSync(file.fd)
  }
}

function openMail(path: string, id: string): OpenFile | null {
  const name = mailFileName(id)
  const folder = name === null ? null : openIfThere(path)
  try {
    return name === null || folder === null ? null : folder.openFile(Buffer.from(name))
  } catch (error) {
    // A site may remove the permissions on its own files.
    if (['EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  } finally {
    folder?.close()
  }
}

function openIfThere(path: string): Folder | null {
  try {
    return openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}
