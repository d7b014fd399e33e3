import { JobDrawer } from '#web/documents/jobs/job-drawer.tsx'
import { CreatedSite } from '#web/features/sites/created-site.tsx'

/** The job drawer with the next steps of completed jobs, which belong to features. */
export function JobOverlay() {
  return <JobDrawer next={(job) => <CreatedSite job={job} />} />
}
