import type * as z from 'zod/mini'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'
import { unreadable } from './wordpress-scripts.ts'

/** What is put back would lose changes that were made since. The only conflict of an undo that the person can decide to ignore. */
export class DatabaseChanged extends EngineError {
  constructor() {
    super('conflict', msg`The database was changed since.`, { nextAction: msg`Going back also loses these changes.` })
  }
}

/** A text of MySQL without `'user'@'host'`, in whose place the host may be the dashboard's. */
export const withoutAccounts = (text: string): string =>
  text.slice(0, 2_000).replace(/'[^'\n]{0,200}'@'[^'\n]{0,300}'/g, '*****')

/** The error of a database that the disk, or the quota of its site, does not let grow: what was to be written is not to blame. */
export const unwritten = (): EngineError =>
  new EngineError(
    'unavailable',
    msg`The database has no room: the disk of this machine or the quota of the site is full.`,
    {
      nextAction: msg`Make room on the disk or within the quota, then try again.`,
    },
  )

const noRoom = (): EngineError =>
  new EngineError('unavailable', msg`The site has no room for this, so nothing was changed.`, {
    nextAction: msg`Make room within the quota of the site, then try again.`,
  })

/** The error for a problem that a script of the table browser or the SQL console reports, with the words of the database. */
export function databaseProblem(kind: unknown, why: unknown = ''): EngineError {
  const reason = typeof why === 'string' ? withoutAccounts(why).slice(0, 600) : ''
  switch (kind) {
    case 'missing':
      return new EngineError('not_found', msg`The database does not have this any more.`, {
        nextAction: msg`Refresh the list.`,
      })
    case 'hidden':
      return new EngineError('invalid', msg`This is hidden because it is a secret.`, {
        nextAction: msg`Choose another column.`,
      })
    case 'large':
      return new EngineError('unavailable', msg`This value is too large to be shown.`, {
        nextAction: msg`Read parts of it with SQL.`,
      })
    case 'late':
      return new EngineError('unavailable', msg`The database took too long and was stopped.`, {
        nextAction: msg`Ask for less at once: filter by a column with an index, or leave out the sorting.`,
      })
    case 'sql':
    case 'refused':
      // SQLite calls a write that the quota rejects an I/O error. https://www.sqlite.org/rescode.html#ioerr
      if (/General error: (?:10 disk I\/O error|13 database or disk is full)/.test(reason)) return noRoom()
      return new EngineError('invalid', msg`The database refused the statement: ${reason}`, {
        nextAction: msg`Change the statement.`,
      })
    case 'room':
      return new EngineError(
        'unavailable',
        msg`The state before the change could not be kept, so nothing was changed.`,
        {
          nextAction: msg`Make room within the quota of the site, then try again.`,
        },
      )
    case 'gone':
      return new EngineError('not_found', msg`The state before is not kept any more.`, {
        nextAction: msg`Restore a backup instead.`,
      })
    case 'changed':
      return new DatabaseChanged()
    default:
      return new EngineError('unavailable', msg`The database could not be read: ${reason}`, {
        nextAction: msg`Look at the error log of the site.`,
      })
  }
}

/** What a script found. Throws EngineError for a problem that it reports, and for anything else: the site can replace the scripts. */
export function foundIn<T extends z.ZodMiniType>(
  schema: T,
  { problem, why, found }: Readonly<Record<string, unknown>>,
): z.infer<T> {
  if (problem !== undefined) throw databaseProblem(problem, why)
  const { success, data } = schema.safeParse(found)
  if (!success) throw unreadable()
  return data
}
