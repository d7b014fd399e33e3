import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { isGuarded } from '#web/lib/routing/navigation-blockers.ts'
import { isSwitching } from '#web/lib/session/organizations.ts'
import { useNavigate } from 'react-router'
import { useSession } from '#web/lib/session/session.tsx'

/**
 * A person works in one organization at a time: whoever switches in another tab or browser takes this tab along, or what
 * is typed here would end in the wrong one. Without anything unsaved the tab goes on there; else the new organization's
 * slug is returned ('' for none), and the person has to decide.
 */
export function useOrganizationWatch(): string | null {
  const { user, organization } = useSession()
  const navigate = useNavigate()
  const meta = useDoc<UserMeta>('User Meta', user)
  const chosen = meta.data?.current_organization
  /** What was chosen when this page came: only a change counts, an old choice may be gone. */
  const first = useRef<string | undefined>(undefined)
  const [elsewhere, setElsewhere] = useState<string | null>(null)
  const changed = useEffectEvent((next: string) => {
    if (first.current === undefined || next === organization?.name || isSwitching()) {
      first.current = next
      setElsewhere(null)
      return
    }
    if (next === first.current) return
    if (isGuarded()) return setElsewhere(next)
    // The document in the address belongs to the organization left behind.
    void navigate('/', { replace: true, state: { reason: 'organization_switched' } })
    location.reload()
  })
  useEffect(() => {
    if (chosen !== undefined) changed(chosen ?? '')
  }, [chosen])
  return elsewhere
}
