import { useLocation } from 'react-router'
import type { RedirectState } from '#web/lib/routing/redirect-reason.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { RedirectReasonText } from './redirect-reason-text.tsx'

/** Line at the top of a page that explains why the user was redirected here. */
export function RedirectReason() {
  const state = useLocation().state as RedirectState | null
  const { unreachable } = useSession()
  // Once the server has answered that nobody is logged in, that is the reason.
  const given = state?.reason === 'no_answer' ? 'login_needed' : state?.reason
  const reason = unreachable ? 'no_answer' : given
  return reason ? <RedirectReasonText reason={reason} /> : null
}
