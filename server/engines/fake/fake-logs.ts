import { logNames, type LogName } from '#shared/rules/site-logs.ts'
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { LogPositionError, readLog, type LogSegment } from '#server/platform/text-log/read-log.ts'
import { EngineError } from '../engine.ts'
import type { SiteKind, SiteRef } from '../site-ref.ts'
import {
  isMailFound,
  mailPageSize,
  maxLogChunkBytes,
  maxLogChunkLines,
  type LogSource,
  type Mail,
  type SiteLogs,
} from '../site-logs.ts'
import type { FakeContext } from './fake-context.ts'
import { existingSite } from './fake-store.ts'

const logsOfKind: Readonly<Record<SiteKind, readonly LogName[]>> = {
  wp: ['php', 'debug', 'access'],
  php: ['php', 'access'],
  html: ['access'],
}

/** Logs and emails of fake sites: a file for each log, and one for all emails of a site. */
export function createFakeLogs(context: FakeContext): SiteLogs {
  return {
    sources: async (site) => {
      const known = existingSite(context, site)
      return logsOfKind[known.siteType].map((name): LogSource => {
        const content = contentOf(context, known.id, name)
        return { name, bytes: content?.length ?? null, changedAt: content ? context.now() : null }
      })
    },
    read: async (site, log, range) => {
      const content = contentOf(context, siteWithLog(context, site, log), log)
      const limits = { bytes: maxLogChunkBytes, lines: maxLogChunkLines }
      try {
        return await readLog(content === null ? [] : [segmentOf(content)], range, limits)
      } catch (error) {
        if (!(error instanceof LogPositionError)) throw error
        throw new EngineError('invalid', msg`This is no position of an earlier answer.`, {
          nextAction: msg`Read the log from its end.`,
        })
      }
    },
    clear: async (site, log) => {
      const id = siteWithLog(context, site, log)
      if (contentOf(context, id, log) !== null) truncateSync(logFile(context, id, log))
    },
    mails: async (site, { skip = 0, known, search = '' } = {}) => {
      const all = mailsOf(context, existingSite(context, site).id)
      const version = `v${all.map(({ id }) => id).join('')}`
      if (version === known) return null
      const mails = search === '' ? all : all.filter((mail) => isMailFound(mail, search))
      return {
        version,
        total: mails.length,
        isPartial: false,
        mails: mails.slice(skip, skip + mailPageSize).map(({ id, at, to, from, subject, bytes, attachments }) => ({
          ...{ id, at, to, from, subject, bytes, unreadable: false },
          attachments: attachments.length,
        })),
      }
    },
    mail: async (site, id) => mailsOf(context, existingSite(context, site).id).find((mail) => mail.id === id) ?? null,
    deleteMail: async (site, id) => {
      const known = existingSite(context, site).id
      writeMails(
        context,
        known,
        mailsOf(context, known).filter((mail) => mail.id !== id),
      )
    },
    clearMails: async (site) => writeMails(context, existingSite(context, site).id, []),
  }
}

/** Adds text to a log. */
export function addToFakeLog(context: FakeContext, id: string, log: LogName, text: string): void {
  appendFileSync(logFile(context, id, log), text)
}

/** Adds an email, as if the site had sent it. */
export function addFakeMail(context: FakeContext, id: string, mail: Mail): void {
  writeMails(context, id, [mail, ...mailsOf(context, id)])
}

/** Removes all logs and emails of a site. */
export function removeFakeLogs(context: FakeContext, id: string): void {
  for (const log of logNames) rmSync(logFile(context, id, log), { force: true })
  rmSync(mailFile(context, id), { force: true })
}

const logFile = ({ options }: FakeContext, id: string, log: LogName): string => join(options.folder, `${id}.${log}.log`)
const mailFile = ({ options }: FakeContext, id: string): string => join(options.folder, `${id}.mails`)

function siteWithLog(context: FakeContext, site: SiteRef, log: LogName): string {
  const known = existingSite(context, site)
  if (logsOfKind[known.siteType].includes(log)) return known.id
  throw new EngineError('unsupported', msg`This site has no such log.`, { nextAction: msg`Choose another log.` })
}

function contentOf(context: FakeContext, id: string, log: LogName): Buffer | null {
  return readIfThere(logFile(context, id, log))
}

function segmentOf(content: Buffer): LogSegment {
  return {
    file: 'fake-log',
    size: content.length,
    read: async (offset, length) => content.subarray(offset, offset + length),
  }
}

function mailsOf(context: FakeContext, id: string): Mail[] {
  return JSON.parse(readIfThere(mailFile(context, id))?.toString('utf8') ?? '[]') as Mail[]
}

function writeMails(context: FakeContext, id: string, mails: readonly Mail[]): void {
  writeFileSync(mailFile(context, id), JSON.stringify(mails))
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
