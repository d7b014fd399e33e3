import { useLocation } from 'react-router'
import type { RedirectState } from '#web/lib/routing/redirect-reason.ts'
import { RedirectReasonText } from './redirect-reason-text.tsx'

/** Line at the top of a page that explains why the user was redirected here. */
export function RedirectReason() {
  const state = useLocation().state as RedirectState | null
  if (!state?.reason) return null
  return <RedirectReasonText reason={state.reason} />
}
