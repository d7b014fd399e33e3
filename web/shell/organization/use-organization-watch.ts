import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { hasUnsavedWork } from '#web/lib/routing/navigation-blockers.ts'
import { isSwitching } from '#web/lib/session/organizations.ts'
import { useNavigate } from 'react-router'
import { useSession } from '#web/lib/session/session.tsx'

/**
 * A user works in one organization at a time. A switch in another tab or browser applies to this tab too, because otherwise
 * input could end up in the wrong organization. Without unsaved work the tab reloads; otherwise returns the new
 * organization's slug ('' for none), and the user decides.
 */
export function useOrganizationWatch(): string | null {
  const { user, organization } = useSession()
  const navigate = useNavigate()
  const meta = useDoc('User Meta', user)
  const chosen = meta.data?.current_organization
  /** The organization stored when this page loaded. Only changes count; the stored one may no longer exist. */
  const first = useRef<string | undefined>(undefined)
  const [elsewhere, setElsewhere] = useState<string | null>(null)
  const changed = useEffectEvent((next: string) => {
    if (first.current === undefined || next === organization?.name || isSwitching()) {
      first.current = next
      setElsewhere(null)
      return
    }
    if (next === first.current) return
    if (hasUnsavedWork()) return setElsewhere(next)
    // The document in the URL belongs to the previous organization.
    void navigate('/', { replace: true, state: { reason: 'organization_switched' } })
    location.reload()
  })
  useEffect(() => {
    if (chosen !== undefined) changed(chosen ?? '')
  }, [chosen])
  return elsewhere
}
