import type { Job } from '#shared/doctypes/job.ts'
import { readList, useLoaded } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'

/**
 * Whether this person may read a job, undefined while that is not known. Members read only their own ones, and a site that
 * is shared with them may be worked on by others: a list without the job says so, where asking for it is refused.
 */
export function useJobReadable(name: string): boolean | undefined {
  const { member } = sessionRoles(useSession())
  const own = useLoaded(member ? ['readable', 'Job', name] : null, () =>
    readList<Pick<Job, 'name'>>('Job', { fields: ['name'], filters: [['name', '=', name]], limit: 1 }),
  ).data
  return member ? own && own.length > 0 : true
}
