import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { logPage, type LogPage } from '#shared/responses/job-log.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { endedJobStatuses } from '#shared/rules/job-statuses.ts'
import { AppError } from '#shared/errors.ts'
import { data, int } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { readLines } from './log/log-store.ts'

/** Methods of jobs: the log. Users who can read the Job can read its log. */
export function jobMethods(db: Db): Method[] {
  return [
    defineMethod({
      name: 'easydash.easydash.doctype.server_logs.server_logs.get_job_logs',
      access: 'verified',
      tokens: 'jobs:read',
      verbs: ['GET', 'POST'],
      params: { job: data({ reqd: true }), cursor: int() },
      description:
        'Lines of a job’s log after a cursor, at most 1,000 at once; `done` when the job has ended and no line is left.',
      returns: logPage,
      async run(params, { session, documents }): Promise<LogPage> {
        const cursor = params.cursor ?? 0
        if (typeof cursor !== 'number' || !Number.isSafeInteger(cursor) || cursor < 0 || cursor > 2 ** 31 - 1) {
          throw new AppError('invalid', msg`Cursor must be a number from an earlier answer.`, { field: 'cursor' })
        }
        // Read the status before the lines: a job writes its last lines in the same transaction as its end.
        const job = await documents.get(session, JobDoctype, params.job)
        const { lines, more } = await readLines(db, job.name, cursor)
        return { lines, cursor: lines.at(-1)?.n ?? cursor, done: !more && endedJobStatuses.includes(job.status ?? '') }
      },
    }),
  ]
}
