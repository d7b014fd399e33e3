import { sql } from 'kysely'
import { defineMethod, type MethodContext, type Params } from '#server/contracts/method.ts'
import type { PlatformJob } from '#shared/responses/platform.ts'
import { jobStatuses } from '#shared/doctypes/job.ts'
import { data, select } from '#shared/fields.ts'
import { equals, pageParams, pageSql, whereAll } from './paging.ts'
import { jobsPage } from '#shared/responses/platform.ts'

/** Parameters of the job list. */
const wanted = {
  status: select(jobStatuses),
  organization: data({ length: 64 }),
  job_type: data(),
  ...pageParams,
}

/** `easydash.api.platform.jobs`: jobs of all organizations, without their arguments. */
export const jobsMethod = defineMethod({
  name: 'easydash.api.platform.jobs',
  access: 'platform',
  verbs: ['GET', 'POST'],
  description:
    'Jobs of all organizations, newest first, and how many there are in each state. `total` counts all that match.',
  params: wanted,
  returns: jobsPage,
  run: list,
})

/** Columns of a `PlatformJob`. */
const columns = sql`j.name, j.organization, j.job_type, j.label, j.status, j.percent, j.reference_doctype, j.reference_name,
  j.reference_title, j.attempt, j.owner, j.creation, j.started, j.ended, j.error_code, j.error_message, j.error_message_i18n,
  j.next_action, j.next_action_i18n`

async function list(params: Params<typeof wanted>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const scope = [equals('j.organization', params.organization), equals('j.job_type', params.job_type)]
    const where = whereAll([...scope, equals('j.status', params.status)])
    const jobs = await sql<PlatformJob>`select ${columns} from tab_job j where ${where}
      order by j.creation desc, j.name ${pageSql(params)}`.execute(tx.trx)
    const counted = await sql<{ status: string; n: number }>`
      select j.status, count(*) as n from tab_job j where ${whereAll(scope)} group by j.status`.execute(tx.trx)
    const found = new Map(counted.rows.map(({ status, n }) => [status, Number(n)]))
    const counts = {
      Queued: found.get('Queued') ?? 0,
      Running: found.get('Running') ?? 0,
      Cancelling: found.get('Cancelling') ?? 0,
      Done: found.get('Done') ?? 0,
      Failed: found.get('Failed') ?? 0,
      Cancelled: found.get('Cancelled') ?? 0,
      'Lost Contact': found.get('Lost Contact') ?? 0,
    }
    const total =
      params.status === undefined ? Object.values(counts).reduce((sum, n) => sum + n, 0) : counts[params.status]
    return { jobs: jobs.rows, total, counts }
  })
}
