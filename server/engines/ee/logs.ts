import type { LogSegment } from '#server/platform/text-log/read-log.ts'
import { logNames, type LogName } from '#shared/rules/site-logs.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import { readChunk } from '../log-chunk.ts'
import type { SiteLogs } from '../site-logs.ts'
import type { SiteKind, SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { change, look, outputOf, type ScriptCall } from './remote.ts'
import { isOn } from './inventory.ts'
import { existingSite, workdirOf } from './site-of.ts'

const logsOfKind: Readonly<Record<SiteKind, readonly LogName[]>> = {
  wp: ['php', 'debug', 'access'],
  php: ['php', 'access'],
  html: ['access'],
}

/** The log files of sites. Emails are delivered by the server, so none are kept. */
export function createEeLogs(context: EeContext): SiteLogs {
  return {
    async sources(site) {
      const where = await whereOf(context, site)
      const found = await statOf(context, where, where.logs)
      return where.logs.map((name) => ({
        name,
        bytes: found.get(name)?.size ?? null,
        changedAt: found.get(name)?.changedAt ?? null,
      }))
    },
    async read(site, log, range) {
      const where = await whereOf(context, site, log)
      const found = (await statOf(context, where, [log])).get(log)
      const chunk = await readChunk(found ? [segmentOf(context, where, { log, ...found })] : [], range)
      return log === 'access' ? { ...chunk, lines: chunk.lines.map(withoutQuery), partial: '' } : chunk
    },
    async clear(site, log) {
      const where = await whereOf(context, site, log)
      outputOf(await change(context, site.server, callOf(where, 'log-clear', log)))
    },
    mails: async (site) => notKept(context, site),
    mail: async (site) => notKept(context, site),
    deleteMail: async (site) => notKept(context, site),
    clearMails: async (site) => notKept(context, site),
  }
}

async function notKept(context: EeContext, site: SiteRef): Promise<never> {
  const { row } = await existingSite(context, site)
  if (isOn(row.mailhog_enabled))
    throw new EngineError('unsupported', msg`MailHog keeps the emails of this site on its server.`, {
      nextAction: msg`The link to MailHog is under Configurations.`,
    })
  throw new EngineError('unsupported', msg`Emails of this site are delivered, and no copies are kept.`, {
    nextAction: msg`To keep them instead, turn on MailHog under Configurations.`,
  })
}

/** Where the logs of a site are. */
interface Where {
  readonly site: SiteRef
  readonly workdir: string
  readonly logs: readonly LogName[]
}

/** Throws EngineError `unsupported` for a log that sites of this kind do not have. */
async function whereOf(context: EeContext, site: SiteRef, log?: LogName): Promise<Where> {
  const { row } = await existingSite(context, site)
  const logs = logsOfKind[row.site_type]
  if (log === undefined || logs.includes(log)) return { site, workdir: workdirOf(row), logs }
  throw new EngineError('unsupported', msg`This site has no such log.`, { nextAction: msg`Choose another log.` })
}

const callOf = ({ site, workdir }: Where, script: ScriptCall['script'], ...words: readonly string[]): ScriptCall => ({
  script,
  args: [site.domain, workdir, ...words],
})

interface LogFile {
  readonly inode: string
  readonly size: number
  readonly changedAt: number
}

async function statOf(
  context: EeContext,
  where: Where,
  names: readonly LogName[],
): Promise<ReadonlyMap<LogName, LogFile>> {
  const output = outputOf(await look(context, where.site.server, callOf(where, 'log-stat', ...names)))
  return new Map(
    output.split('\n').flatMap((line): [LogName, LogFile][] => {
      const [, name = '', inode = '', size, at] = /^(\w+) (\d{1,20}) (\d{1,15}) (\d{1,11})$/.exec(line) ?? []
      if (!isOneOf(logNames, name)) return []
      return [[name, { inode, size: Number(size), changedAt: Number(at) * 1000 }]]
    }),
  )
}

/** A log on its server as a file to read. */
function segmentOf(
  context: EeContext,
  where: Where,
  { log, inode, size }: Pick<LogFile, 'inode' | 'size'> & { readonly log: LogName },
): LogSegment {
  return {
    file: inode,
    size,
    async read(offset, length) {
      if (length <= 0) return Buffer.alloc(0)
      const call = callOf(where, 'log-read', log, String(offset), String(length))
      // Base64 takes a third more.
      const output = outputOf(await look(context, where.site.server, { ...call, maxBytes: 4096 + length * 2 }))
      return Buffer.from(output, 'base64').subarray(0, length)
    },
  }
}

/** Links that sign in, and others that nobody else should use, are in the query. */
export const withoutQuery = (line: string): string => line.replaceAll(/\?[^\s"]*/g, '')
