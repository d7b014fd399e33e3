import { FrappeProvider } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { BulkEnds } from '../bulk-ends.tsx'
import { JobEnds } from '../job-ends.tsx'

/** The messages of a signed-in user on pages without the shell, also of jobs that end meanwhile. */
export function OutsideShell() {
  const { organization } = useSession()
  // Without the second factor that an organization requires, its jobs can't be read.
  const canReadJobs = organization !== null && !organization.two_factor_needed
  return (
    <>
      {canReadJobs && (
        <FrappeProvider>
          <JobEnds />
          <BulkEnds />
        </FrappeProvider>
      )}
      <ToastArea />
    </>
  )
}
