import { sql } from 'kysely'
import type { Method, MethodContext } from '#server/contracts/method.ts'
import type { PlatformJob } from '#shared/responses/platform.ts'
import { jobStatuses } from '#shared/doctypes/job.ts'
import { data, select } from '#shared/fields.ts'
import { equals, pageParams, pageSql, whereAll } from './paging.ts'
import { jobsPage } from '#shared/responses/platform.ts'

/** `easydash.api.platform.jobs`: the work of all organizations, without what it works with. */
export const jobsMethod: Method = {
  name: 'easydash.api.platform.jobs',
  access: 'platform',
  verbs: ['GET', 'POST'],
  description:
    'Jobs of all organizations, newest first, and how many there are in each state. `total` counts all that match.',
  params: {
    status: select(jobStatuses),
    organization: data({ length: 64 }),
    job_type: data(),
    ...pageParams,
  },
  returns: jobsPage,
  run: list,
}

/** What is shown of a job: a `PlatformJob`. */
const columns = sql`j.name, j.organization, j.job_type, j.label, j.status, j.percent, j.reference_doctype, j.reference_name,
  j.reference_title, j.attempt, j.owner, j.creation, j.started, j.ended, j.error_code, j.error_message, j.error_message_parts,
  j.next_action, j.next_action_parts`

async function list(params: Record<string, unknown>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const scope = [equals('j.organization', params['organization']), equals('j.job_type', params['job_type'])]
    const where = whereAll([...scope, equals('j.status', params['status'])])
    const jobs = await sql<PlatformJob>`select ${columns} from tab_job j where ${where}
      order by j.creation desc, j.name ${pageSql(params)}`.execute(tx.trx)
    const counted = await sql<{ status: string; n: number }>`
      select j.status, count(*) as n from tab_job j where ${whereAll(scope)} group by j.status`.execute(tx.trx)
    const counts = Object.fromEntries(
      jobStatuses.map((status) => [status, Number(counted.rows.find((row) => row.status === status)?.n ?? 0)]),
    )
    const wanted = params['status']
    const total =
      typeof wanted === 'string' ? (counts[wanted] ?? 0) : Object.values(counts).reduce((sum, n) => sum + n, 0)
    return { jobs: jobs.rows, total, counts }
  })
}
