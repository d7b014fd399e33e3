import { ActivityList } from '#web/documents/activity-list.tsx'
import { useSession } from '#web/lib/session.tsx'

/** Who changed plan or billing profile, and when. */
export function BillingActivities() {
  const { organization } = useSession()
  return <ActivityList doctype="Subscription Organization" name={organization?.name ?? ''} />
}
