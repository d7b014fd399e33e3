import type { Job } from '#shared/doctypes/job.ts'
import { readList } from '#web/lib/api/batched-reads.ts'
import { useLoaded } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'

/**
 * Whether the user can read a job; undefined while unknown. Members can read only their own jobs, but other users may run
 * jobs on a site shared with them. Checked with a list request, because reading the job directly would be denied.
 */
export function useJobReadable(name: string): boolean | undefined {
  const { member } = sessionRoles(useSession())
  const own = useLoaded(member ? ['readable', 'Job', name] : null, () =>
    readList<Pick<Job, 'name'>>('Job', { fields: ['name'], filters: [['name', '=', name]], limit: 1 }),
  ).data
  return member ? own && own.length > 0 : true
}
