import { defineMethod, type MethodContext, type Params } from '#server/contracts/method.ts'
import type { PlatformJob } from '#shared/responses/platform.ts'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { jobStatuses } from '#shared/rules/job-statuses.ts'
import { data, select } from '#shared/fields.ts'
import { equals, newestPage, pageParams } from './paging.ts'
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

/** The fields of a `PlatformJob`. */
const fields = [
  'name',
  'organization',
  'job_type',
  'label',
  'status',
  'percent',
  'reference_doctype',
  'reference_name',
  'reference_title',
  'attempt',
  'owner',
  'creation',
  'started',
  'ended',
  'error_code',
  'error_message',
  'error_message_i18n',
  'next_action',
  'next_action_i18n',
] as const

async function list(params: Params<typeof wanted>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const scope = equals({ organization: params.organization, job_type: params.job_type })
    const filters = [...scope, ...equals({ status: params.status })]
    const jobs = await tx.listFields(JobDoctype, fields, filters, newestPage(params))
    const found = await tx.countBy(JobDoctype, 'status', scope)
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
    return { jobs: jobs.map(toPlatformJob), total, counts }
  })
}

/** A job always has a state: its doctype sets one. */
function toPlatformJob(job: Pick<Job, (typeof fields)[number]>): PlatformJob {
  return { ...job, status: job.status ?? 'Queued' }
}
