import { FrappeProvider } from '#web/lib/api/frappe.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { JobEnds } from '../job-ends.tsx'

/** Tells of jobs that end on pages without the shell, and shows the other messages of these pages. */
export function JobEndsAlone() {
  return (
    <FrappeProvider>
      <JobEnds />
      <ToastArea />
    </FrappeProvider>
  )
}
