import type * as z from 'zod/mini'
import type { Documents } from '#server/contracts/documents.ts'
import { defineMethod } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { AppError } from '#shared/errors.ts'
import { data, select } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { lineLevels, logChunk, mailPage, readableLogs, readLines } from '#shared/responses/site-logs.ts'
import { foldRepeats, matchingEntries, type LogLevel } from '#shared/rules/log-entries.ts'
import { entriesOf } from '#shared/rules/site-log-entries.ts'
import type { LogName } from '#shared/rules/site-logs.ts'

/** What is wanted of a log. */
interface Wanted {
  readonly site: string
  readonly cursor: string
  readonly search: string
  readonly level: (typeof lineLevels)[number] | null
}

/**
 * Reads a log of a site from its beginning, part after part. It calls the actions `read_log` and `list_mails`, so each part passes
 * the gate again.
 */
export const readLogMethod = defineMethod({
  name: 'easydash.api.site.logs',
  access: 'verified',
  // Like all calls that reach a site.
  verbs: ['POST'],
  tokens: 'sites:write',
  params: {
    site: data({ reqd: true }),
    log: select(readableLogs, { reqd: true }),
    cursor: data({ length: 220, description: '`cursor` of the part before. Default: the beginning.' }),
    search: data({ length: 200, description: 'Only lines that contain it, in any case.' }),
    level: select(lineLevels, { description: 'Only lines of this level.' }),
  },
  description: 'Lines of a log of a site, oldest first, or the emails it sent, newest first.',
  returns: readLines,
  async run({ site, log, cursor = '', search = '', level = null }, { session, documents }) {
    const wanted = { site, cursor, search, level }
    return log === 'mail' ? mailsOf(documents, session, wanted) : linesOf(documents, session, log, wanted)
  },
})

type Lines = z.infer<typeof readLines>

async function linesOf(documents: Documents, session: Session, log: LogName, wanted: Wanted): Promise<Lines> {
  const { first, after } = positionOf(wanted.cursor)
  const args = { log, ...(after === null ? { from_start: 1 } : { after }) }
  const chunk = logChunk.parse(await documents.runAction(session, 'Site', wanted.site, 'read_log', args))
  // After a gap, nobody knows how many lines there were.
  const from = chunk.gap === null ? first : 1
  const entries = matchingEntries(foldRepeats(entriesOf(log, chunk.lines, from)), levelsOf(wanted.level), wanted.search)
  return {
    lines: entries.map(({ key, at, level, text, count }) => ({
      ...{ n: key, at: at === null ? null : formatTimestamp(at), level: lineLevelOf(level), text, count },
    })),
    cursor: `${from + chunk.lines.length} ${chunk.end}`,
    done: !chunk.more,
  }
}

/** A cursor is the number of the next line and the engine's position. */
function positionOf(cursor: string): { first: number; after: string | null } {
  if (cursor === '') return { first: 1, after: null }
  const [, line, after] = /^(\d{1,12}) (\S{1,200})$/.exec(cursor) ?? []
  if (after === undefined) throw invalidCursor()
  return { first: Number(line), after }
}

async function mailsOf(
  documents: Documents,
  session: Session,
  { site, cursor, search, level }: Wanted,
): Promise<Lines> {
  if (!/^\d{0,9}$/.test(cursor)) throw invalidCursor()
  const skip = Number(cursor)
  const args = { skip, ...(search === '' ? {} : { search }) }
  const page = mailPage.parse(await documents.runAction(session, 'Site', site, 'list_mails', args))
  const mails = page?.mails ?? []
  const lines = mails.map(({ at, to, subject }, index): Lines['lines'][number] => ({
    ...{ n: skip + index + 1, at, level: 'info', text: `${to}: ${subject}`, count: 1 },
  }))
  const read = skip + mails.length
  return {
    lines: level === null || level === 'info' ? lines : [],
    cursor: String(read),
    done: read >= (page?.total ?? 0),
  }
}

const invalidCursor = () =>
  new AppError('invalid', msg`This is no position of this log.`, {
    field: 'cursor',
    nextAction: msg`Read the log from its beginning.`,
  })

/** A deprecation is a notice to those who only know these levels. */
const lineLevelOf = (level: LogLevel): (typeof lineLevels)[number] => (level === 'deprecated' ? 'notice' : level)

function levelsOf(level: (typeof lineLevels)[number] | null): ReadonlySet<LogLevel> {
  return new Set<LogLevel>(level === null ? [] : level === 'notice' ? ['notice', 'deprecated'] : [level])
}
