import { closeSync, readSync } from 'node:fs'
import { openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { isMailFound, type MailSummary } from '../../site-logs.ts'
import { mailOfFile, maxMailBytes, parseMail, summaryOf } from '../logs/mail-file.ts'

/** Entries of the folder that are looked at; the engine trims it far below. */
const maxEntries = 200_000
/** Bytes of emails that one search reads; what is older is not looked at. */
const maxSearchedBytes = 64 * 1024 * 1024

/** What is listed. */
export interface MailsInput {
  readonly path: string
  /** User of the site; null: everything belongs to one user. */
  readonly owner: number | null
  readonly skip: number
  readonly count: number
  /** Only emails that contain this text; '' for all. */
  readonly search: string
}

/** Emails in a folder, newest first. */
export interface ListedMails {
  readonly mails: MailSummary[]
  readonly total: number
  /** A search left out the oldest ones. */
  readonly isPartial: boolean
}

/** Lists captured emails: names first, then the content of those on the page. */
export function listMails({ path, owner, skip, count, search }: MailsInput): ListedMails {
  let folder: Folder
  try {
    folder = openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return { mails: [], total: 0, isPartial: false }
    throw error
  }
  try {
    const found = namesIn(folder)
    // Ids begin with the time.
    const newestFirst = found.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    if (search !== '') return searchMails(folder, newestFirst, { owner, skip, count, search })
    const page = newestFirst.slice(skip, skip + count)
    return { mails: page.map((one) => summaryIn(folder, one, owner)), total: found.length, isPartial: false }
  } finally {
    folder.close()
  }
}

/** Reads the emails until all are read, or as much as a search may read. */
function searchMails(
  folder: Folder,
  names: readonly { id: string; at: number }[],
  { owner, skip, count, search }: Omit<MailsInput, 'path'>,
): ListedMails {
  const mails: MailSummary[] = []
  let total = 0
  let bytes = 0
  for (const { id } of names) {
    if (bytes > maxSearchedBytes) return { mails, total, isPartial: true }
    const content = readMail(folder, id, owner)
    const mail = Buffer.isBuffer(content) ? parseMail(id, content) : null
    bytes += mail?.bytes ?? 0
    if (mail === null || !isMailFound(mail, search)) continue
    if (total >= skip && mails.length < count) mails.push(summaryOf(mail))
    total += 1
  }
  return { mails, total, isPartial: false }
}

function namesIn(folder: Folder): { id: string; at: number }[] {
  const found: { id: string; at: number }[] = []
  const listing = folder.list()
  try {
    let seen = 0
    for (let entry = listing.next(); entry !== null && seen < maxEntries; entry = listing.next()) {
      seen += 1
      const mail = entry.kind === 'file' ? mailOfFile(entry.name.toString('latin1')) : null
      if (mail !== null) found.push(mail)
    }
  } finally {
    listing.close()
  }
  return found
}

function summaryIn(folder: Folder, { id, at }: { id: string; at: number }, owner: number | null): MailSummary {
  const content = readMail(folder, id, owner)
  const mail = Buffer.isBuffer(content) ? parseMail(id, content) : null
  if (mail !== null) return summaryOf(mail)
  const bytes = Buffer.isBuffer(content) ? content.length : content
  return { id, at, to: '', from: '', subject: '', attachments: 0, bytes, unreadable: true }
}

/** Content of an email's file, or its size if it can't be read: too large, or not the site's. */
function readMail(folder: Folder, id: string, owner: number | null): Buffer | number {
  let file
  try {
    file = folder.openFile(Buffer.from(`${id}.json`))
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(systemErrorCode(error))) return 0
    throw error
  }
  if (file === null) return 0
  try {
    const { size, uid } = file.stats
    if (size > maxMailBytes || uid !== (owner ?? process.getuid?.())) return size
    const content = Buffer.alloc(size)
    return content.subarray(0, readSync(file.fd, content, 0, size, 0))
  } finally {
    closeSync(file.fd)
  }
}
